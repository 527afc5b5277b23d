"""Quotes: found where they stand, whatever their dress, and never found where they do not.

Measured with the fixed seeds below: of 10,000 true quotes in other width, case, punctuation and
spacing all are found as exact; of 10,000 inventions (one number, Latin term or negation changed,
or taken from another answer) none is. `python -m tests.test_quotes` prints the rates by kind and
length, together with a Chinese term of two characters exchanged, which is refused at any length,
and the one kind that the rules leave open: a slip in one Chinese character.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.quotes import NEGATIONS, SHORT, Folded, fold, locate, locate_folded
from tests.conftest import ROOT

ANSWERS = (ROOT / "tests" / "golden" / "answers.txt").read_text(encoding="utf-8").splitlines()
NUMERALS = "〇零一二两三四五六七八九十百千万亿半"
NEGATED = "不|没|无|非|未|not|never|no|none|don't|wouldn't|isn't"
_TOKEN = re.compile(
    rf"[A-Za-z0-9{NUMERALS}_][A-Za-z0-9{NUMERALS}_.,:/+#%'～~-]*[A-Za-z0-9+#%{NUMERALS}]|."
)
FOLDED = tuple(fold(answer) for answer in ANSWERS)
TERMS = ("Kafka", "Nginx", "gRPC", "Java", "MongoDB", "index", "Raft", "cache", "HDFS")
CHINESE_TERMS = (
    ("缓存", "索引"),
    ("节点", "线程"),
    ("查询", "事务"),
    ("数据", "日志"),
    ("模型", "接口"),
)


def tokens_of(text: str) -> list[str]:
    """Words, numbers with their signs, and single characters: what a quote is made of."""
    return _TOKEN.findall(text)


def said(text: str) -> list[str]:
    """The tokens without spaces and punctuation, to see whether a text really was said."""
    return [t.casefold().strip(".,:") for t in tokens_of(text) if any(c.isalnum() for c in t)]


SAID_IN = tuple(said(answer) for answer in ANSWERS)


def was_said(quote: str, which: int) -> bool:
    run, whole = said(quote), SAID_IN[which]
    return any(whole[n : n + len(run)] == run for n in range(len(whole)))


def between_digits(text: str, place: int) -> bool:
    return text[:place].rstrip()[-1:].isdigit() and text[place:].lstrip()[:1].isdigit()


# Noise that changes nothing: each takes a quote and gives it back in other dress.


def widen(quote: str, draw: random.Random) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and c not in "'_" else c for c in quote)


def shout(quote: str, draw: random.Random) -> str:
    return draw.choice([quote.upper(), quote.lower(), quote.swapcase()])


def repoint(quote: str, draw: random.Random) -> str:
    other = {"，": ",", "。": "！", "；": ";", "：": " — ", "“": '"', "”": '"', "、": "，"}
    return "".join(
        other.get(c, c) if not between_digits(quote, n + 1) else c for n, c in enumerate(quote)
    )


def unpoint(quote: str, draw: random.Random) -> str:
    return "".join(c for c in quote if c not in "，。；：“”、") or quote


def space(quote: str, draw: random.Random) -> str:
    parts = tokens_of(quote)
    text = parts[0]
    for part in parts[1:]:
        gap = draw.choice(["", "", " ", "\n", "\u3000", "\u200b"])
        text += part if text[-1].isdigit() and part[0].isdigit() else gap + part
    return text


def wrap(quote: str, draw: random.Random) -> str:
    return draw.choice(["“{}”", "…{}…", "「{}」", " {}。", "**{}**"]).format(quote)


NOISE: dict[str, Callable[[str, random.Random], str]] = {
    "as it is": lambda quote, draw: quote,
    "width": widen,
    "case": shout,
    "punctuation": repoint,
    "no punctuation": unpoint,
    "spaces": space,
    "wrapped": wrap,
    "all at once": lambda quote, draw: widen(wrap(space(repoint(quote, draw), draw), draw), draw),
}

# Inventions: each changes what was said, or gives None where it finds nothing to change.


def inside(quote: str, pattern: str, draw: random.Random) -> re.Match[str] | None:
    """A match that stands neither at the start nor at the end of the quote."""
    found = [m for m in re.finditer(pattern, quote) if m.start() > 0 and m.end() < len(quote)]
    return draw.choice(found) if found else None


def other_number(quote: str, draw: random.Random) -> str | None:
    found = list(re.finditer(rf"[0-9{NUMERALS}]", quote))
    if not found:
        return None
    place = draw.choice(found)
    pool = "0123456789" if place[0].isascii() else NUMERALS
    digit = draw.choice([c for c in pool if c != place[0]])
    new = draw.choice([digit, place[0] + digit])
    return quote[: place.start()] + new + quote[place.end() :]


def shifted_point(quote: str, draw: random.Random) -> str | None:
    numbers = list(re.finditer(r"(?<![A-Za-z0-9.,])\d[\d.,]*\d(?![A-Za-z0-9.,])", quote))
    if not numbers:
        return None
    number = draw.choice(numbers)
    text = number[0].replace(",", "")
    new = text.replace(".", "") if "." in text else f"{text[0]}.{text[1:]}"
    return quote[: number.start()] + new + quote[number.end() :]


def other_term(quote: str, draw: random.Random) -> str | None:
    found = list(re.finditer(r"[A-Za-z]{3,}", quote))
    if not found:
        return None
    term = draw.choice(found)
    letter = draw.choice([c for c in "abcdefgh" if c != term[0][-1].lower()])
    new = draw.choice([draw.choice(TERMS), term[0][:-1] + letter, term[0] + letter])
    return quote[: term.start()] + new + quote[term.end() :]


def other_negation(quote: str, draw: random.Random) -> str | None:
    negation = inside(quote, rf"(?<![A-Za-z])(?:{NEGATED})(?![A-Za-z])", draw)
    if negation and draw.random() < 0.5:
        return quote[: negation.start()] + quote[negation.end() :]
    word = "not " if quote.isascii() else draw.choice(["不", "没", "未", "非"])
    place = inside(quote, r"(?<=[\u4e00-\u9fff])(?=[\u4e00-\u9fff])|(?<= )(?=[a-z])", draw)
    return quote[: place.start()] + word + quote[place.end() :] if place else None


INVENTIONS: dict[str, Callable[[str, random.Random], str | None]] = {
    "number": other_number,
    "decimal point": shifted_point,
    "Latin term": other_term,
    "negation": other_negation,
}


def slip(quote: str, draw: random.Random) -> str | None:
    """One harmless Chinese character exchanged for another."""
    found = [n for n, c in enumerate(quote) if c > "\u4e00" and c not in NEGATIONS]
    found = [n for n in found if quote[n] not in NUMERALS and quote[n].isalpha()]
    if not found:
        return None
    place = draw.choice(found)
    return quote[:place] + "颗" + quote[place + 1 :]


def other_chinese_term(quote: str, draw: random.Random) -> str | None:
    held = [pair for pair in CHINESE_TERMS if pair[0] in quote]
    return quote.replace(*draw.choice(held), 1) if held else None


OPEN = {"one Chinese slip": slip, "Chinese term": other_chinese_term}


def true_quote(draw: random.Random, which: int) -> str:
    parts = tokens_of(ANSWERS[which])
    while True:
        size = draw.choice([4, 8, 15, 25, 40, 60])
        start = draw.randrange(len(parts) - size)
        quote = "".join(parts[start : start + size]).strip()
        if said(quote):
            return quote


def noisy_quotes(count: int) -> Iterator[tuple[str, str, int]]:
    draw = random.Random(20261201)
    kinds = list(NOISE)
    for n in range(count):
        which = draw.randrange(len(ANSWERS))
        kind = kinds[n % len(kinds)]
        yield kind, NOISE[kind](true_quote(draw, which), draw), which


@cache
def inventions(count: int) -> tuple[tuple[str, str, int], ...]:
    """Made-up quotes that were certainly not said in the answer they are held against."""
    draw = random.Random(1201)
    kinds = ["sibling", *INVENTIONS]
    made: list[tuple[str, str, int]] = []
    while len(made) < count:
        which = draw.randrange(len(ANSWERS))
        kind = kinds[len(made) % len(kinds)]
        if kind == "sibling":
            quote: str | None = true_quote(draw, (which + 1) % len(ANSWERS))
        else:
            quote = INVENTIONS[kind](true_quote(draw, which), draw)
        if quote and not was_said(quote, which):
            made.append((kind, quote, which))
    return tuple(made)


def length_class(quote: str) -> str:
    size = len(fold(quote).text)
    return "under 20" if size < SHORT else "20 to 39" if size < 40 else "40 and more"


def found(quote: str, which: int) -> str:
    return locate_folded(fold(quote).text, FOLDED[which]).match


def test_ten_thousand_true_quotes_in_other_dress_are_all_exact() -> None:
    missed = [
        (kind, quote) for kind, quote, n in noisy_quotes(10_000) if found(quote, n) != "exact"
    ]
    assert missed == []


def test_ten_thousand_inventions_are_all_refused() -> None:
    accepted = [
        (kind, quote) for kind, quote, n in inventions(10_000) if found(quote, n) != "not_found"
    ]
    assert accepted == []


def test_an_exchanged_chinese_term_is_refused_at_any_length() -> None:
    draw = random.Random(7)
    tried = Counter[str]()
    while sum(tried.values()) < 600:
        which = draw.randrange(len(ANSWERS))
        quote = other_chinese_term(true_quote(draw, which), draw)
        if quote and not was_said(quote, which):
            tried[length_class(quote)] += 1
            assert found(quote, which) == "not_found", quote
    assert min(tried.values()) >= 100


def test_the_inventions_are_of_every_kind_and_length() -> None:
    counts = Counter((kind, length_class(quote)) for kind, quote, _ in inventions(10_000))
    assert len(counts) == (1 + len(INVENTIONS)) * 3
    assert min(counts.values()) >= 100


@given(st.data())
def test_the_span_of_any_run_of_words_folds_to_the_quote(data: st.DataObject) -> None:
    answer = data.draw(st.sampled_from(ANSWERS))
    parts = tokens_of(answer)
    start = data.draw(st.integers(0, len(parts) - 1))
    quote = "".join(parts[start : data.draw(st.integers(start + 1, len(parts)))])
    assume(said(quote))
    place = locate(quote, answer)
    assert place.match == "exact"
    assert place.span is not None
    assert fold(answer[slice(*place.span)]).text == fold(quote).text


@given(st.text(max_size=200))
def test_a_text_is_found_in_itself_or_has_no_content(text: str) -> None:
    place = locate(text, text)
    if not text.strip():
        assert place.match == "none"
    elif not fold(text).text:
        assert place.match == "not_found"
    else:
        assert place.match == "exact"
        assert place.span is not None
        assert fold(text[slice(*place.span)]).text == fold(text).text


@given(st.text(max_size=200))
def test_folding_keeps_its_offsets_in_step(text: str) -> None:
    folded: Folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= s <= e <= len(text) for s, e in zip(folded.starts, folded.ends, strict=True))


@pytest.mark.parametrize("quote", ["", " ", "\n\u3000"])
def test_an_empty_quote_is_none(quote: str) -> None:
    assert locate(quote, "回答").match == "none"


@pytest.mark.parametrize("quote", ["。", "…", "\u200b", "“”", "-"])
def test_a_quote_of_punctuation_alone_is_not_found(quote: str) -> None:
    assert locate(quote, "回答。…\u200b“”-").match == "not_found"


FOUND = [
    ("width", "ＭｙＳＱＬ　８．０", "我用 MySQL 8.0 做的", "MySQL 8.0"),
    ("case", "mysql", "我用 MySQL", "MySQL"),
    ("half-width kana", "ｶﾞｲﾄﾞ", "これはガイドです", "ガイド"),
    ("ligature in the answer", "find office", "We ﬁnd ofﬁce", "ﬁnd ofﬁce"),
    ("ligature in the quote", "ﬁnd", "We find it", "find"),
    ("sharp s", "STRASSE", "die Straße", "Straße"),
    ("one sign, many letters", "5kg", "重 5㎏。", "5㎏"),
    ("composed", "café", "a cafe\u0301 here", "cafe\u0301"),
    ("decomposed", "cafe\u0301", "a café here", "café"),
    ("dotted capital I", "İSTANBUL", "in İstanbul", "İstanbul"),
    ("dotless i", "ISPARTA", "in isparta", "isparta"),
    ("emoji", "很好👍", "结果很好👍。", "很好👍"),
    ("emoji with selector", "❤爱", "我❤️爱你", "❤️爱"),
    ("hidden characters", "两阶段提交", "用两\u200b阶\u2060段提交", "两\u200b阶\u2060段提交"),
    ("astral letters", "𠮷野家", "在𠮷野家吃", "𠮷野家"),
    ("thousands", "1200000", "每天 1,200,000 笔", "1,200,000"),
    ("thousands in the quote", "1,200,000", "每天 1200000 笔", "1200000"),
    ("range dash", "3–5天", "需要3-5天", "3-5天"),
    ("range with spaces", "3 ~ 5天", "需要3～5天", "3～5天"),
    ("minus sign", "−5度", "最低 -5度", "-5度"),
    ("fraction", "1/2", "大约½。", "½"),
    ("apostrophe", "dont", "I don't know", "don't"),
    ("operand", "Redis", "用 Redis+Lua 脚本", "Redis"),
    ("operand before Chinese", "Redis", "用Redis+缓存", "Redis"),
    ("letter before a number", "99", "P99 是 35ms", "99"),
    ("second place", "C语言", "C++不是C语言", "C语言"),
    ("whole answer", "不是。", "不是", "不是"),
    ("raised digit", "10^2", "大约10²次", "10²"),
]


@pytest.mark.parametrize(
    ("quote", "answer", "place"), [row[1:] for row in FOUND], ids=[row[0] for row in FOUND]
)
def test_dress_does_not_hide_a_quote(quote: str, answer: str, place: str) -> None:
    located = locate(quote, answer)
    assert located.match == "exact"
    assert located.span is not None
    assert answer[slice(*located.span)] == place


NOT_FOUND = [
    ("35", "约 3.5 万"),
    ("3.5", "约 35 万"),
    ("5万", "约3.5万"),
    ("约3", "约3.5万"),
    ("3万", "约13万"),
    ("35天", "3-5天"),
    ("35天", "3–5天"),
    ("35天", "3、5天"),
    ("35天", "3 5天"),
    ("35天", "3,5天"),
    ("5天", "3-5天"),
    ("5天", "3 ~ 5天"),
    ("5度", "-5度"),
    ("-5度", "5度"),
    ("1", "1,000"),
    ("000", "1,000"),
    ("30", "30%"),
    ("30%", "30"),
    ("30%", "30‰"),
    ("10:30", "1030"),
    ("1/2", "12"),
    ("2", "½"),
    ("102", "10²"),
    ("五天", "十五天"),
    ("3", "3万"),
    ("C", "C++"),
    ("C", "C#"),
    ("C+", "C++"),
    ("C++", "C"),
    ("C#", "C"),
    ("Java", "JavaScript"),
    ("Script", "JavaScript"),
    ("able", "not unable"),
    ("I can", "I can't"),
    ("I don", "I don’t"),
    ("caf", "café"),
    ("cafe", "cafe\u0301"),
    ("na", "naïve"),
    ("fi", "oﬃce"),
    ("f", "ﬁ"),
    ("isparta", "ısparta"),
    ("能保证", "保证"),
    ("不能", "能"),
    ("延迟<10", "延迟>10"),
    ("不在回答里", "回答"),
]


@pytest.mark.parametrize(("quote", "answer"), NOT_FOUND)
def test_a_part_of_a_word_or_number_is_no_quote(quote: str, answer: str) -> None:
    assert locate(quote, answer).match == "not_found"


SAID = "我们在第 3.5 版里把缓存的过期时间改成随机值，以后再压测 Redis 集群，系统就没有再抖过了"
# Each row deviates from SAID, which has 41 folded characters: two edits are allowed.
DEVIATIONS = [
    ("one other character", ("随机值", "随机直"), "approximate"),
    ("one lost", ("随机值", "随值"), "approximate"),
    ("one added", ("随机值", "随机的值"), "approximate"),
    ("first lost and one added", ("我们在第", "我们在在第"), "approximate"),
    ("two other characters apart", ("过期时间改成随机值", "过气时间改成随机直"), "approximate"),
    ("two other characters in one term", ("过期时间", "过气时见"), "not_found"),
    ("another term", ("随机", "固定"), "not_found"),
    ("another term that shares a character", ("时间改", "日时改"), "not_found"),
    ("three other characters", ("过期时间", "国气时见"), "not_found"),
    ("digit", ("3.5", "3.6"), "not_found"),
    ("lost point", ("3.5", "35"), "not_found"),
    ("added percent", ("3.5", "3.5%"), "not_found"),
    ("Latin letter", ("Redis", "Redit"), "not_found"),
    ("lost Latin word", ("Redis", ""), "not_found"),
    ("lost negation", ("没有", "有"), "not_found"),
    ("other negation", ("没有", "不有"), "not_found"),
    ("added negation", ("改成", "未改成"), "not_found"),
    ("added numeral", ("以后再", "以后三再"), "not_found"),
    ("added sign", ("改成", "≠改成"), "not_found"),
]


@pytest.mark.parametrize(
    ("change", "match"), [row[1:] for row in DEVIATIONS], ids=[row[0] for row in DEVIATIONS]
)
def test_a_long_quote_may_deviate_only_where_it_is_harmless(
    change: tuple[str, str], match: str
) -> None:
    quote = SAID.replace(*change)
    assert quote != SAID
    located = locate(quote, "先说背景。" + SAID + "。后来推广到别的组。")
    assert located.match == match
    if match == "approximate":
        assert located.span == (5, 5 + len(SAID))


@pytest.mark.parametrize("negation", ["not", "no", "never", "don't", "isn't"])
def test_an_english_negation_can_neither_come_nor_go(negation: str) -> None:
    plain = "In the last project we did add a second index to the orders table and measured it"
    other = plain.replace("did add", f"did {negation} add")
    assert locate(plain, other).match == "not_found"
    assert locate(other, plain).match == "not_found"


@pytest.mark.parametrize(("length", "match"), [(19, "not_found"), (20, "approximate")])
def test_from_twenty_folded_characters_one_edit_is_allowed(length: int, match: str) -> None:
    answer = "写入时要多维护棵树所以写多读少的表会变慢很多呢"[:length]
    quote = answer.replace("维护", "维互")
    assert locate(answer, answer).match == "exact"
    assert locate(quote, answer).match == match


@pytest.mark.parametrize(("length", "edits"), [(39, 1), (40, 2), (60, 3), (140, 7)])
def test_five_percent_are_counted_exactly(length: int, edits: int) -> None:
    answer = "".join(chr(0x5000 + n) for n in range(length))
    for count, match in ((edits, "approximate"), (edits + 1, "not_found")):
        places = {round((n + 1) * length / (count + 2)) for n in range(count)}
        assert len(places) == count
        quote = "".join("颗" if n in places else c for n, c in enumerate(answer))
        assert locate(quote, answer).match == match


def test_a_quote_longer_than_the_answer_is_not_found() -> None:
    assert locate(SAID + SAID, SAID).match == "not_found"
    assert locate(SAID, "").match == "not_found"


@pytest.mark.parametrize(
    ("quote", "answer"),
    [
        (ANSWERS[0][:120], ANSWERS[3] * 600),
        (ANSWERS[0][:120], ANSWERS[3] * 400 + ANSWERS[0]),
        ("a" * 30, "a" * 100_000),
        ("ab" * 150 + "好", "ab" * 50_000),
        ("。" * 300, "。" * 100_000),
        ("\u0301" * 300, "e" + "\u0301" * 100_000),
    ],
    ids=["absent", "at the end", "one letter", "pattern", "punctuation", "marks"],
)
def test_a_very_long_answer_is_searched_at_once(quote: str, answer: str) -> None:
    started = time.perf_counter()
    assert locate(quote, answer).match in ("exact", "not_found")
    assert time.perf_counter() - started < 5, "seconds"


def rates() -> None:
    """Print how many quotes of each kind and length are found, and how."""
    draw = random.Random(7)
    made: list[tuple[str, str, int]] = [*noisy_quotes(10_000), *inventions(10_000)]
    for n in range(8_000):
        kind, which = list(OPEN)[n % 2], draw.randrange(len(ANSWERS))
        quote = OPEN[kind](true_quote(draw, which), draw)
        if quote and not was_said(quote, which):
            made.append((kind, quote, which))
    table: dict[tuple[str, str], Counter[str]] = {}
    for kind, quote, which in made:
        counts = table.setdefault((kind, length_class(quote)), Counter())
        counts[found(quote, which)] += 1
    for (kind, length), counts in sorted(table.items()):
        print(f"{kind:18}{length:13}{sum(counts.values()):6}  {dict(counts)}")


if __name__ == "__main__":
    rates()
