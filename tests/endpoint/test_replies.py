"""Bodies of a 200 as servers send them: what is made of each, or by which rule it is judged."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.endpoint.faults import POLICY, BrokenReply, rule_for
from pipeline.endpoint.replies import read_reply

CASES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "bodies.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_body_gives_a_reply_or_a_fault(case: dict[str, Any]) -> None:
    text = case.get("raw", json.dumps(case.get("body")))
    if "rule" in case:
        with pytest.raises(BrokenReply) as caught:
            read_reply(text)
        assert rule_for(caught.value).name == case["rule"]
        return
    reply = read_reply(text)
    for name in ("text", "finish_reason", "refusal", "model"):
        assert getattr(reply, name) == case.get(
            name, "" if name == "text" else getattr(reply, name)
        )
    assert reply.refusal == case.get("refusal")


def test_log_probabilities_count_only_beside_their_own_content() -> None:
    entry = {"token": "x", "logprob": -0.1}
    message = {"content": "", "reasoning_content": '{"a": 1}'}
    body = {"choices": [{"message": message, "logprobs": {"content": [entry]}}]}
    assert read_reply(json.dumps(body)).tokens == ()


def test_names_in_a_reply_can_be_written_and_shown() -> None:
    odd = "m\ud83d\x1b[31m"
    token = {"token": "\ud83d", "logprob": -0.1, "top_logprobs": [{"token": odd, "logprob": -1}]}
    message = {"content": "x", "refusal": odd}
    choice = {"message": message, "finish_reason": odd, "logprobs": {"content": [token]}}
    reply = read_reply(json.dumps({"choices": [choice], "model": odd, "system_fingerprint": odd}))
    assert reply.model == reply.fingerprint == "m\ufffd\ufffd[31m"
    assert reply.model_dump_json().encode("utf-8")
    assert (reply.tokens[0].text, reply.tokens[0].size) == ("\ufffd", 3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "choices message content error tool_calls function arguments usage model code "
                "logprobs token refusal finish_reason prompt_tokens prompt_tokens_details".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(body=JSON, choice=JSON, message=JSON)
def test_no_body_is_an_internal_error(body: Any, choice: Any, message: Any) -> None:
    whole = {"choices": [choice], **(body if isinstance(body, dict) else {})}
    if isinstance(choice, dict):
        whole = {"choices": [{**choice, "message": message}], "usage": body}
    for text in (json.dumps(body), json.dumps(whole)):
        with suppress(BrokenReply):
            read_reply(text)


@given(inside=JSON)
def test_every_error_inside_a_200_has_a_rule(inside: Any) -> None:
    assert rule_for(BrokenReply("x", inside)) in POLICY
