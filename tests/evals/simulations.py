"""The simulations of docs/evals.md, to be run again; tests run small parts of them.

python -m tests.evals.simulations coverage --candidates 40 --studies 2000
python -m tests.evals.simulations detection --seeds 20
python -m tests.evals.simulations speed
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from evals.bootstrap import bootstrap
from evals.probes.variants import Probe, make_probes
from evals.sums import FORMULAS, cluster_sums
from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts
from tests.evals.planted import DEFECTS, make_corpus
from tests.evals.raters import simulate
from tests.evals.test_planted import detection
from tests.evals.test_probes import grade as judged_probes


def coverage(candidates: int, studies: int, *, draws: int, population: int) -> dict[str, float]:
    """Share of nominal 95% intervals that hold the truth, by metric.

    Each study has `candidates` of 6 answers in the world of `simulate`; the truth is measured on
    `population` candidates of the same world.
    """
    world = simulate(population, seed=99)
    sums, _ = cluster_sums([(world["grader"], world["a"])], world["candidate"], (0, 5))
    total = sums[0].sum(axis=0)
    hits = dict.fromkeys(FORMULAS, 0)
    for seed in range(studies):
        study = simulate(candidates, seed=seed)
        found = bootstrap(study["grader"], study["a"], study["candidate"], draws=draws, seed=seed)
        for name, formula in FORMULAS.items():
            low, high = found[name].low, found[name].high
            if low is not None and high is not None:
                hits[name] += low <= float(formula(total, (0, 5))) <= high
    return {name: hit / studies for name, hit in hits.items()}


def probes_found(probes: list[Probe], defect: str, seeds: Sequence[int]) -> Counter[str]:
    """How often each family does not pass: 160 answers of 40 interviews, one planted grader."""
    found: Counter[str] = Counter()
    for seed in seeds:
        judged = judged_probes(probes, defect, seed)
        found.update(judged.loc[judged["result"] != "pass", "family"])
    return found


def rows(name: str, counts: dict[str, Counter[str]], seeds: int) -> Iterator[str]:
    """One line per probe or rule that ever says no."""
    for what in sorted({key for counter in counts.values() for key in counter}):
        shares = " ".join(f"{counter[what] / seeds:10.0%}" for counter in counts.values())
        yield f"{name} {what:34}{shares}"


def seconds_of_draws() -> float:
    """CPU seconds of one bootstrap with all metrics: 2,000 draws on 5,000 answers."""
    world = simulate(500, 10)
    start = time.process_time()
    bootstrap(world["grader"], world["a"], world["candidate"], draws=2_000)
    return time.process_time() - start


def main() -> None:
    """Run one simulation and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("coverage", "detection", "speed"))
    parser.add_argument("--candidates", type=int, default=40)
    parser.add_argument("--studies", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=1_000)
    parser.add_argument("--population", type=int, default=60_000)
    parser.add_argument("--seeds", type=int, default=20)
    asked = parser.parse_args()
    if asked.what == "speed":
        print(f"2,000 draws of 500 candidates with 10 answers each: {seconds_of_draws():.2f} s")
        return
    if asked.what == "coverage":
        found = coverage(
            asked.candidates, asked.studies, draws=asked.draws, population=asked.population
        )
        print(f"{asked.candidates} candidates, {asked.studies} studies, {asked.draws} draws")
        print("\n".join(f"{name:10}{share:8.1%}" for name, share in found.items()))
        return
    prompts = load_prompts(prompt_set_folder())
    seeds = range(asked.seeds)
    print(" " * 40 + " ".join(f"{defect:>10}" for defect in DEFECTS))
    interviews, pairs, _ = make_corpus()
    probes = make_probes(interviews, pairs)
    probed = {defect: probes_found(probes, defect, seeds) for defect in DEFECTS}
    print("\n".join(rows("probe", probed, asked.seeds)))
    ruled = {defect: detection(defect, seeds, prompts) for defect in DEFECTS}
    print("\n".join(rows("rule ", ruled, asked.seeds)))


if __name__ == "__main__":
    main()
