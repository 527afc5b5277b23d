"""Whether an answer is in another language than its question, over many scripts."""

from __future__ import annotations

import time

import pytest

from pipeline.gates.language import is_other_language
from pipeline.records import Item

ENGLISH = "Why does a database index make reading faster, and what does it cost when writing?"
CHINESE = "数据库索引为什么能加快读取？写入时要付出什么代价？"
ANSWERS = {
    "Arabic": "الفهرس شجرة متوازنة تجعل البحث سريعا لكن كل كتابة يجب أن تحدث الفهرس أيضا",
    "Cyrillic": "Индекс это сбалансированное дерево, поиск быстрый, но запись его обновляет",
    "Hangul": "인덱스는 균형 트리라서 검색이 빠르지만 쓸 때마다 인덱스도 갱신해야 합니다",
    "Thai": "ดัชนีเป็นต้นไม้ที่สมดุลจึงค้นหาได้เร็วแต่ทุกครั้งที่เขียนต้องปรับปรุงดัชนีด้วย",
    "Devanagari": "सूचकांक एक संतुलित वृक्ष है इसलिए खोज तेज होती है पर हर लेखन में इसे बदलना पड़ता है",
    "Hebrew": "האינדקס הוא עץ מאוזן ולכן החיפוש מהיר אבל כל כתיבה חייבת לעדכן גם אותו",
    "Greek": "Το ευρετήριο είναι ένα ισορροπημένο δέντρο και η αναζήτηση είναι γρήγορη",
    "Tamil": "குறியீடு ஒரு சமநிலை மரம் எனவே தேடல் வேகமானது ஆனால் எழுதும்போது அதையும் புதுப்பிக்க வேண்டும்",
    "Georgian": "ინდექსი არის დაბალანსებული ხე ამიტომ ძებნა სწრაფია მაგრამ ჩაწერა მას ანახლებს",
    "Japanese": "インデックスは平衡木なので検索は速いですが、書き込みのたびに更新が必要です。",
}


def differs(question: str, answer: str) -> bool:
    return is_other_language(Item(item_id="a#1", question=question, answer=answer))


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("question", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_an_answer_in_another_script_is_found(question: str, answer: str) -> None:
    assert differs(question, answer)
    assert differs(question, f"{answer} B-tree InnoDB")
    assert differs(answer, question)
    assert not differs(answer, answer)


def test_two_further_scripts_are_two_languages() -> None:
    assert differs(ANSWERS["Cyrillic"], ANSWERS["Arabic"])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (ENGLISH, "It keeps keys in a balanced tree, so reads take log n; writes update it."),
        (ENGLISH, "With α and β as costs, Δt is about 3 μs; λ grows, Ω(n) stays, and so on."),
        (ENGLISH, "My colleague Иван Петров wrote the index and I measured how fast reads became."),
        (ENGLISH, "نعم"),
        (CHINESE, "用 B+ 树，读取是 O(log n)；写入时 InnoDB 还要更新 secondary index。"),
        (CHINESE, "我在做日本项目时用过の这种写法，索引让读取变快，写入变慢。"),
    ],
)  # fmt: skip
def test_terms_symbols_and_names_are_no_other_language(question: str, answer: str) -> None:
    assert not differs(question, answer)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_long_answer_is_looked_at_quickly(answer: str) -> None:
    long = f"{answer} " * 1_000
    started = time.perf_counter()
    assert differs(ENGLISH, long)
    assert time.perf_counter() - started < 2
