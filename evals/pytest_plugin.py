"""Agreement inside a team's own test suite: the fixture `grader_agreement`.

def test_grader(grader_agreement):
    result = grader_agreement("runs/x", "labels/labels.csv")
    assert result.value("qwk", criterion="correctness") > 0.7
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evals.measure import Agreement


@pytest.fixture(scope="session")
def grader_agreement() -> Callable[..., Agreement]:
    """Measure a run as `evals.agreement` does, and fail the test unless the verdict is PASS.

    Takes the arguments of `evals.agreement`. `expect` names the verdicts that let the test go on:
    `expect=("PASS", "INCONCLUSIVE")` while there are few labels, all three to assert on one's own.
    """
    # pytest loads plugins at every start; pandas is only worth its time where this is used.
    from evals.measure import agreement
    from evals.printing import verdict_lines

    def measured(*args: Any, expect: tuple[str, ...] = ("PASS",), **options: Any) -> Agreement:
        result = agreement(*args, **options)
        if result.verdict not in expect:
            pytest.fail("\n".join(verdict_lines(result)), pytrace=False)
        return result

    return measured
