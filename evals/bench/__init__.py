"""How much the grader costs on top of the fastest way through its client: `grader bench`."""

from __future__ import annotations
