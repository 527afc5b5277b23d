"""What changed between the prompts of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from pipeline.prompt import load_prompts
from pipeline.results import Run


def diff_prompts(runs: Sequence[Run], folder_a: Path | None, folder_b: Path | None) -> str:
    """A unified diff of the two folders; without both of them, the versions only.

    A folder that has changed since its run is named as such: its diff would be of other prompts.
    """
    versions = [str(run.manifest.get("prompt_version", "")) for run in runs]
    summary = (
        f"same prompts ({versions[0]})"
        if versions[0] == versions[1]
        else f"prompts {versions[0]} -> {versions[1]}"
    )
    if folder_a is None or folder_b is None:
        hint = "; give both prompt folders to see their diff" if versions[0] != versions[1] else ""
        return f"{summary}{hint}."
    stale = [
        f"{folder.name} is now {found}, its run had {version}"
        for folder, version in zip((folder_a, folder_b), versions, strict=True)
        if (found := load_prompts(folder).version) != version
    ]
    if stale:
        return f"{summary}; no diff: {'; '.join(stale)}."
    return "\n".join([f"{summary}:", *_lines(folder_a, folder_b)])


def _lines(folder_a: Path, folder_b: Path) -> Iterator[str]:
    for name in sorted(_files(folder_a) | _files(folder_b)):
        before, after = _read(folder_a / name), _read(folder_b / name)
        yield from unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm="", n=1)


def _files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in {".yaml", ".j2", ".md", ".json"}
    }


def _read(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
