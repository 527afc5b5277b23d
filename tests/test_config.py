"""Which endpoint arguments and environment choose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.config import open_endpoint, prompt_set_folder
from pipeline.endpoint.remote import host_of
from pipeline.errors import ConfigError

URL = "http://127.0.0.1:1234/v1"


@pytest.mark.parametrize(
    ("arguments", "environ", "host", "model"),
    [
        ({"base_url": URL, "model": "m"}, {}, "127.0.0.1:1234", "m"),
        ({}, {"OPENAI_BASE_URL": URL, "GRADER_MODEL": "m"}, "127.0.0.1:1234", "m"),
        ({}, {"OPENAI_API_KEY": "k", "GRADER_MODEL": "m"}, "api.openai.com", "m"),
        ({"model": "a"}, {"OPENAI_BASE_URL": URL, "GRADER_MODEL": "b"}, "127.0.0.1:1234", "a"),
        (
            {"base_url": "https://b.example/v1"},
            {"OPENAI_BASE_URL": URL, "GRADER_MODEL": "m"},
            "b.example",
            "m",
        ),
    ],
)
def test_arguments_win_over_the_environment(
    arguments: dict[str, str], environ: dict[str, str], host: str, model: str
) -> None:
    endpoint = open_endpoint(**arguments, environ=environ)
    assert (endpoint.info.kind, endpoint.info.host, endpoint.info.model) == ("url", host, model)
    assert endpoint.info.score_mode == "verdict"


@pytest.mark.parametrize(
    ("environ", "text"),
    [
        ({"OPENAI_API_KEY": "k"}, "no model"),
        ({"OPENAI_BASE_URL": URL}, "no model"),
        ({"GRADER_MODEL": "m"}, "neither key nor base URL"),
        ({"OPENAI_BASE_URL": "localhost:1", "GRADER_MODEL": "m"}, "http"),
        ({"OPENAI_BASE_URL": "http://:1/v1", "GRADER_MODEL": "m"}, "http"),
        ({"OPENAI_BASE_URL": "http://h:port/v1", "GRADER_MODEL": "m"}, "http"),
    ],
)
def test_half_a_setting_is_refused(environ: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        open_endpoint(environ=environ)


@pytest.mark.parametrize("key", ["sk-a\nb", "钥匙", "sk-\x00", "“sk-a”"])
def test_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigError, match="copy it again") as caught:
        open_endpoint(environ={"OPENAI_API_KEY": key, "GRADER_MODEL": "m"})
    assert key not in str(caught.value)


def test_blank_variables_count_as_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ConfigError, match="grader model pull"):
        open_endpoint(environ={"OPENAI_API_KEY": " ", "OPENAI_BASE_URL": "", "GRADER_MODEL": ""})


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"base_url": "https://user:secret@h/v1"}, "OPENAI_API_KEY"),
        ({"base_url": "https://h/v1#secret"}, "#"),
        ({"base_url": "https://h/v1", "model": "m\udcff"}, "model's name"),
        ({"base_url": "https://h/v1", "timeout": float("inf")}, "--timeout"),
        ({"base_url": "https://h/v1", "timeout": float("nan")}, "--timeout"),
    ],
)
def test_what_cannot_be_called_is_refused_with_a_remedy(given: dict[str, Any], word: str) -> None:
    with pytest.raises(ConfigError, match=word) as caught:
        open_endpoint(**{"model": "m", **given}, environ={})
    assert "secret" not in str(caught.value)


def test_host_shows_neither_user_nor_path() -> None:
    assert host_of("https://user:password@h.example:8443/key-123/v1") == "h.example:8443"


def test_endpoint_behind_another_path_is_another_endpoint() -> None:
    def identity(base_url: str) -> str:
        return open_endpoint(base_url=base_url, model="m", environ={}).info.identity

    assert identity("http://h.example/v1") == identity("http://h.example/v1/") == "url h.example"
    routed = identity("http://h.example/team/key-123/v1")
    assert routed not in (identity("http://h.example/v1"), identity("http://h.example"))
    assert "key-123" not in routed
    assert identity("http://h.example/v1?deployment=a") != identity("http://h.example/v1")


def test_key_is_in_no_parameter_and_no_description() -> None:
    endpoint = open_endpoint(api_key="secret-key", base_url=URL, model="m", environ={})
    assert "secret-key" not in str(endpoint.parameters()) + str(endpoint.info)


def test_prompt_set_comes_with_the_program() -> None:
    assert (prompt_set_folder() / "rubric.yaml").is_file()
    with pytest.raises(ConfigError, match="'nonsense'"):
        prompt_set_folder("nonsense")
