"""While a run grades, garbage is looked for seldom; afterwards as before."""

from __future__ import annotations

import gc

import pytest

from pipeline.collecting import THRESHOLDS, seldom_collecting


def test_thresholds_come_back_whatever_happens() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()

    def graded() -> None:
        with seldom_collecting():
            assert gc.get_threshold() >= THRESHOLDS
            assert gc.get_freeze_count() > frozen
            raise KeyError

    with pytest.raises(KeyError):
        graded()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == frozen


def test_who_collects_still_less_is_left_alone() -> None:
    before = gc.get_threshold()
    gc.set_threshold(1_000_000, 50, 1_000)
    try:
        with seldom_collecting():
            assert gc.get_threshold() == (1_000_000, 50, 1_000)
    finally:
        gc.set_threshold(*before)


def test_what_somebody_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        with seldom_collecting():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
