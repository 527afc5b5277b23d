"""How fast a run on this machine was, by the counters of its own server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def speed_line(manifest: Mapping[str, Any]) -> str:
    """Answers a minute, tokens an answer and what came from the prompt cache; "" without calls.

    Start and all sessions of the run are in it; answers that the reply cache gave are not.
    """
    called = manifest.get("called") or {}
    answers, seconds = called.get("items", 0), manifest.get("wall_seconds", 0)
    if not str(manifest.get("endpoint", "")).startswith("embedded") or not answers or not seconds:
        return ""
    read, written, cached = (called[f"{name}_tokens"] for name in ("input", "output", "cached"))
    share = f"{cached / read:.0%} of these from the prompt cache" if read else "none counted"
    return (
        f"Speed: {60 * answers / seconds:.1f} answers a minute, start included; per answer "
        f"{read / answers:,.0f} tokens read ({share}) and {written / answers:,.0f} written."
    )
