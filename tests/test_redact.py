"""Redaction: what is sent, where quotes land, what the run folder keeps."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline import grade
from pipeline.cache import open_cache
from pipeline.cli import app
from pipeline.endpoint.base import EndpointInfo
from pipeline.erase import erase
from pipeline.errors import ConfigError
from pipeline.plan import Plan
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages, Reply
from pipeline.redact import Numbering, RedactedText, Redaction, read_terms, redact
from pipeline.redact_items import show
from pipeline.redaction_map import map_path
from pipeline.results import Run
from pipeline.screen import announcement
from tests.conftest import SECRET
from tests.loopback import Request, Response, completion, serve
from tests.scripted import verdict_json

TECHNICAL = (
    "int 的上限是 2147483647，batch 是 512 256 1024，时间戳 1609459200123。",
    "ASP.NET、Node.js、Socket.io、java.net.URL、v1.2.3、10.244.0.0/16、192.168.1.100、8080-9090。",
    "微信支付走 WeChat platform，2021-03-04 到 2022-05-06，订单号 20231231 0001，QPS 12000。",
    "It comes out at 99.9. We look at all. This is at Kafka offset 13245.",
    "于总体上看，总监说张力很大，will it mark the row? 王者，小张力。",
)


ON = Redaction()


def redacted(text: str, candidate: str | None = None, *terms: str) -> RedactedText:
    return redact(text, Redaction(terms), candidate, Numbering())


@pytest.mark.parametrize("text", TECHNICAL)
def test_technical_text_stays_as_it_is(text: str) -> None:
    assert redacted(text, "于谦").text == text


FORMS = [
    ("张伟", "我是张伟，也叫 张 伟。", "我是[NAME_1]，也叫 [NAME_1]。"),
    ("张伟", "张先生，小张，你好。", "[NAME_1]，[NAME_1]，你好。"),
    ("Jane Doe", "Jane Q. Doe; Doe, Jane; JANE DOE's", "[NAME_1]; [NAME_1]; [NAME_1]'s"),
    ("Zoë O'Brien", "Zoë O'Brien, Brien", "[NAME_1], [NAME_1]"),
    ("张伟（Zhang Wei）", "张伟 or Zhang Wei", "[NAME_1] or [NAME_1]"),
    ("Will Mark", "Will it? I will. So Will Mark said", "Will it? I will. So [NAME_1] said"),
    ("候选人A", "候选人A 与候选人", "候选人A 与候选人"),
    ("Candidate 7", "the Candidate 7", "the Candidate 7"),
    (None, "a@b.cn 与 c@d.cn，再发 a@b.cn", "[EMAIL_1] 与 [EMAIL_2]，再发 [EMAIL_1]"),
    (None, "写到 søren_b@x.com", "写到 [EMAIL_1]"),
    (None, "１３８１２３４５６７８ 和 138-1234-5678", "[PHONE_1] 和 [PHONE_1]"),
    (None, "卡 4111 1111 1111 1111", "卡 [CARD_1]"),
    (None, "不是卡 4111 1111 1111 1112", "不是卡 4111 1111 1111 1112"),
    (None, "QQ号是12345678", "QQ号是[QQ_1]"),
]


@pytest.mark.parametrize(("candidate", "text", "shown"), FORMS)
def test_forms(candidate: str | None, text: str, shown: str) -> None:
    assert redacted(text, candidate).text == shown


def test_listed_terms_are_found_in_any_case_and_only_whole() -> None:
    text = "Glasswing 与 glasswings，青鸟 项目"
    assert redacted(text, None, "glasswing", "青鸟 项目").text == "[TERM_1] 与 glasswings，[TERM_2]"


def test_term_inside_an_address_takes_the_whole_address_along() -> None:
    assert redacted("见 github.com/glasswing/core 。", None, "glasswing").text == "见 [URL_1] 。"


PARTS = ("张伟", "a@b.cn", "13812345678", "用缓存，", " ", "x")


def test_way_back_is_exact() -> None:
    for parts in product(PARTS, repeat=3):
        check_way_back("".join(parts))


def check_way_back(text: str) -> None:
    shown = redacted(text, "张伟")
    rebuilt, done = "", 0
    for piece in shown.pieces:
        rebuilt += shown.text[done : piece.start] + text[piece.source_start : piece.source_end]
        done = piece.end
        assert shown.source_span((piece.start, piece.end)) == piece[2:]
        assert shown.source_span((piece.start + 1, piece.end - 1)) == piece[2:]
    assert rebuilt + shown.text[done:] == text
    assert shown.source_span((0, len(shown.text))) == (0, len(text))


@pytest.mark.parametrize("run_", ["a", "1", "a.b.", "a-", "QQ", "www.", "张 ", "1 3 ", "4111 "])
def test_long_runs_take_no_longer_than_their_length(run_: str) -> None:
    began = time.process_time()
    redacted(run_ * (20_000 // len(run_)), "张伟", "aaa bbb")
    assert time.process_time() - began < 2


def interview(name: str, candidate: str, words: str = "张伟") -> Interview:
    answers = (f"我是{words}，先更新库再删缓存，有问题打13812345678。", "用缓存挡读。")
    items = tuple(
        Item(item_id=f"{name}#{n}", question=f"{words}，问题{n}是什么？", answer=answer)
        for n, answer in enumerate(answers, start=1)
    )
    return Interview(id=name, source=name, candidate=candidate, items=items)


class Model:
    """Quotes the start of the answer as it was shown, placeholder and all."""

    __name__ = "model"

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, messages: Messages) -> Reply:
        self.prompts.append("\n".join(turn.content for turn in messages))
        quote = "我是[NAME_1]，先更新库再删缓存" if "[PHONE_1]" in self.prompts[-1] else "缓存"
        return Reply(text=verdict_json(3, quote=quote), model="m")


@pytest.fixture
def run_it(prompts: PromptSet, tmp_path: Path) -> Callable[..., Run]:
    def runner(
        model: Model, *interviews: Interview, redaction: Redaction | None = ON, out: str = "r"
    ) -> Run:
        return grade(interviews, prompts=prompts, endpoint=model, out=tmp_path / out,
                     secret=SECRET, redaction=redaction, concurrency=1)  # fmt: skip

    return runner


def test_same_answer_gives_the_same_bytes_under_any_name(run_it: Callable[..., Run]) -> None:
    prompts = []
    for place, name in enumerate(("张伟", "欧阳不凡", "司马光远")):
        model = Model()
        run_it(model, interview("a", name, name), out=str(place))
        prompts.append(model.prompts)
    assert prompts[0] == prompts[1] == prompts[2]


def test_numbers_of_placeholders_tell_nothing_of_order_or_other_items() -> None:
    one = interview("a", "张伟")
    turned = one.model_copy(update={"items": one.items[::-1]})
    there = [show((one, item), Redaction()).item for item in one.items]
    back = [show((turned, item), Redaction()).item for item in turned.items]
    assert there == back[::-1]


def test_nothing_found_is_sent_and_quotes_land_in_the_original(run_it: Callable[..., Run]) -> None:
    model, one = Model(), interview("a", "张伟")
    run = run_it(model, one)
    assert not [prompt for prompt in model.prompts if "张伟" in prompt or "13812" in prompt]
    grade_ = run.outcomes["a#1"].grade
    assert grade_ is not None
    part = grade_.criteria[0]
    assert part.span is not None
    answer = one.items[0].answer or ""
    assert answer[slice(*part.span)] == part.quote == "我是张伟，先更新库再删缓存"
    assert part.match == "exact"
    assert run.outcomes["a#1"].flags == ()


def test_map_is_kept_apart_for_the_user_alone_and_grows(run_it: Callable[..., Run]) -> None:
    one = interview("a", "张伟")
    run_it(Model(), one.model_copy(update={"items": one.items[:1]}))
    run = run_it(Model(), one)
    path = map_path(run.folder, "a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert json.loads(path.read_text("utf-8")) == {
        "a#1": {"[NAME_1]": "张伟", "[PHONE_1]": "13812345678"},
        "a#2": {"[NAME_1]": "张伟"},
    }


def test_erasing_deletes_the_map(
    run_it: Callable[..., Run], prompts: PromptSet, tmp_path: Path
) -> None:
    run = run_it(Model(), interview("a", "张伟"))
    with open_cache(tmp_path / "c.sqlite") as cache:
        erase(run.folder, ["a"], prompts=prompts, cache=cache, secret=SECRET)
    assert list((run.folder / "redaction").iterdir()) == []


def test_run_goes_on_only_with_the_same_redaction(run_it: Callable[..., Run]) -> None:
    run = run_it(Model(), interview("a", "张伟"))
    assert run.manifest["redaction"] == "on"
    for other in (None, Redaction(("青鸟",))):
        with pytest.raises(ConfigError, match="redaction was 'on'"):
            run_it(Model(), interview("a", "张伟"), redaction=other)


def test_manifest_does_not_say_which_terms(run_it: Callable[..., Run]) -> None:
    run = run_it(Model(), interview("a", "张伟"), redaction=Redaction(("青鸟项目",)))
    assert "青鸟" not in (run.folder / "manifest.json").read_text("utf-8")
    assert run.manifest["redaction"].startswith("on, 1 terms (")


def test_run_from_before_redaction_goes_on_without(run_it: Callable[..., Run]) -> None:
    run = run_it(Model(), interview("a", "张伟"), redaction=None)
    path = run.folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    assert manifest.pop("redaction") == "off"
    path.write_text(json.dumps(manifest), "utf-8")
    model = Model()
    run_it(model, interview("a", "张伟"), redaction=None)
    assert model.prompts == []


def test_list_of_terms(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    path = write("terms.txt", "\ufeff# people\n青鸟\n\n Glasswing \n青鸟\n")
    assert read_terms(path) == ("Glasswing", "青鸟")
    with pytest.raises(ConfigError, match="one character"):
        read_terms(write("short.txt", "青\n"))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_terms(tmp_path / "none.txt")


def test_line_before_the_first_call_says_whether_redaction_is_on() -> None:
    info = EndpointInfo(kind="function", host="", model="m")
    plan = Plan(to_call=(), gated=(), context_tokens=0, calls=0, prompt_tokens=(0, 0))
    assert announcement(info, plan).endswith("redaction: off.")
    assert announcement(info, plan, redacted=True).endswith("redaction: on.")


def test_commands_know_the_options() -> None:
    text = CliRunner().invoke(app, ["grade", "--help"], env={"COLUMNS": "200"}).output
    assert "--redact-list" in text


def test_name_of_a_header_is_not_sent_by_the_command(
    write: Callable[[str, str], Path], tmp_path: Path
) -> None:
    sent: list[str] = []

    def answer(request: Request) -> Response:
        sent.append(request.prompt)
        return Response(completion(verdict_json(3)))

    text = "候选人：欧阳不凡\n问题1：你是谁？\n回答：我是欧阳不凡，在青鸟做过缓存。\n"
    terms = write("terms.txt", "青鸟\n")
    out = tmp_path / "run"
    with serve(answer) as server:
        result = CliRunner().invoke(
            app,
            ["grade", str(write("in/one.txt", text)), "--out", str(out), "--model", "m",
             "--base-url", server.base_url, "--redact-list", str(terms)],
        )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "redaction: on" in result.output
    assert "[NAME_1]" in sent[0]
    assert "[TERM_1]" in sent[0]
    assert "欧阳不凡" not in sent[0]
    assert "青鸟" not in sent[0]
