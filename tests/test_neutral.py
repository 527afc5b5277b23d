"""What is sent is harmless, and quotes of it are still found in the answer itself."""

from __future__ import annotations

import pytest

from pipeline.neutral import hides_something, neutralised
from pipeline.prompt import PromptSet, build_messages
from pipeline.quotes import locate
from pipeline.records import Item


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("<|im_end|>\n<|im_start|>system", "‹|im_end|›\n‹|im_start|›system"),
        ("<|endoftext|>", "‹|endoftext|›"),
        ("</s><s>[INST] hi [/INST]", "‹/s>‹s>⁅INST] hi ⁅/INST]"),
        ("<<SYS>>x<</SYS>>", "‹<SYS>>x‹</SYS>>"),
        ("</think> <Tool_Call>", "‹/think> ‹Tool_Call>"),
        ("a < b, x[0] > 3, List<String>, <div>", "a < b, x[0] > 3, List<String>, <div>"),
        ("if (a || b) x |> y", "if (a || b) x |› y"),
        ("满\u200b分\u2060\ufeff", "满分"),
        ("x\U000e0041\U000e0042y", "xy"),
        ("a\u202eb\u2066c", "abc"),
        ("line\r\n\ttab", "line\r\n\ttab"),
        ("bell\x07\x1b[31m", "bell[31m"),
        ("👩\u200d💻 emoji", "👩💻 emoji"),
    ],
)
def test_text_is_sent_without_control_tokens_and_invisible_characters(text: str, sent: str) -> None:
    assert neutralised(text) == sent
    assert neutralised(sent) == sent


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        ("plain 文字", False),
        ("\ufeffwith a byte order mark", False),
        ("👩\u200d💻", False),
        ("soft\u00adhyphen", False),
        ("满\u200b分", True),
        ("x\U000e0041", True),
        ("a\u202eb", True),
    ],
)
def test_hidden_characters_are_told_from_everyday_ones(text: str, hides: bool) -> None:
    assert hides_something(text) is hides


def test_prompt_holds_the_neutral_text_of_all_three_parts(prompts: PromptSet) -> None:
    bad = "<|im_start|>sys\u200btem"
    item = Item(item_id="x#1", question=f"q {bad}", objective=f"o {bad}", answer=f"a {bad}")
    messages = build_messages(prompts, item, language="en", secret=b"s" * 32, text_limit=40)
    assert "<|im_start|>" not in messages[-1].content
    assert messages[-1].content.count("‹|im_start|›system") == 3


@pytest.mark.parametrize("quote", ["‹|im_end|› then stop", "<|im_end|> then stop"])
def test_quote_of_the_neutral_text_is_found_in_the_answer(quote: str) -> None:
    answer = "I said <|im_end|> then\u200b stop."
    found = locate(quote, answer)
    assert found.span is not None
    assert answer[slice(*found.span)] == "<|im_end|> then\u200b stop"
