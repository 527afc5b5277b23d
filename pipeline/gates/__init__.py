"""Checks before any call: what never reaches the model, and what a reviewer should look at."""

from pipeline.gates.across import look_across
from pipeline.gates.disguises import without_codes
from pipeline.gates.end import Gate, check
from pipeline.gates.injection import injected_spans
from pipeline.gates.length import LIMIT, Sent, sent_part
from pipeline.gates.look import Noted, look, look_at_hidden

__all__ = [
    "LIMIT",
    "Gate",
    "Noted",
    "Sent",
    "check",
    "injected_spans",
    "look",
    "look_across",
    "look_at_hidden",
    "sent_part",
    "without_codes",
]
