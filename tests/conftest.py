"""What holds for every test: no key, no address, no network but loopback, no user's folders."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from pipeline.config import ENVIRONMENT
from pipeline.prompt import PromptSet, load_prompts

# How long a case takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parent.parent
SECRET = bytes(range(32))
LOOPBACK = ("127.", "localhost", "::1")


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anywhere else fails at once, by name."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"a test called {address[0]!r}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def prompts() -> PromptSet:
    """The default prompt set."""
    return load_prompts(ROOT / "prompts" / "interview")


@pytest.fixture
def secret() -> bytes:
    """A fixed secret, so that prompts are the same in every run of the tests."""
    return SECRET


@pytest.fixture
def five() -> Path:
    """The five given interviews, which are not part of this repository."""
    folder = ROOT.parent / "shared" / "interviews"
    if not folder.is_dir():
        pytest.skip("the five given interviews are not beside this checkout")
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Callable[[str, str], Path]]:
    """Write a text file below the test's own folder."""

    def writer(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return writer
