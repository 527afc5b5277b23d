"""Whether the model that answered is the one that was asked for: gateways may send another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_DATED = re.compile(r"[-@:](\d{4}[\d-]*|latest)")
"""What a name may have besides: the date of a version."""


def other_models(manifest: Mapping[str, Any]) -> list[str]:
    """The models that answered in a run and were not asked for, by name; [] where all were."""
    if not str(manifest.get("endpoint", "")).startswith("url "):
        return []
    asked = [_bare(name) for name in str(manifest.get("model", "")).split(",")]
    answered = {name for names in manifest.get("models_answered", ()) for name in names.split("|")}
    return sorted(name for name in answered if not any(_same(_bare(name), one) for one in asked))


def answered_note(manifest: Mapping[str, Any]) -> str:
    """The same in words; "" where there is nothing to say."""
    others = other_models(manifest)
    if not others:
        return ""
    return (
        f"Another model answered than was asked for: {', '.join(others)}, not "
        f"{manifest.get('model')}. The scores are that model's; see what the address serves."
    )


def _bare(name: str) -> str:
    """A model's own name: without its publisher, and without the address of a judge."""
    return re.sub(r"@[^@/]*:\d+.*$", "", name.strip()).rsplit("/", 1)[-1].casefold()


def _same(answered: str, asked: str) -> bool:
    rest = answered.removeprefix(asked)
    return answered == asked or (rest != answered and _DATED.fullmatch(rest) is not None)
