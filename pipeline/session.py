"""One session of a run: the plan's items through gate, cache and endpoint, each kept at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from pipeline.cache import ReplyCache, key_of, through_cache
from pipeline.collecting import seldom_collecting
from pipeline.endpoint.base import Endpoint
from pipeline.endpoint.slots import Concurrency, Slots
from pipeline.errors import StopRun
from pipeline.flags import in_order
from pipeline.gates import Noted, look_across
from pipeline.grading import Recipe, gated_outcome, grade_item, messages_for
from pipeline.journal import Journal
from pipeline.plan import LanguageChoice, Plan, Task, language_of
from pipeline.prices import Budget, total_of
from pipeline.prompt import opaque_id
from pipeline.records import Complete, Messages, Outcome, Reply
from pipeline.redact import Redaction
from pipeline.redact_items import Shown, behind, keep_maps, show_all
from pipeline.regrade import needs_second_look, with_second_look, without_passages
from pipeline.samples import HOPELESS, combined
from pipeline.workers import Progress, work


@dataclass(frozen=True)
class Session:
    """What a session grades with."""

    recipe: Recipe
    endpoint: Endpoint
    language: LanguageChoice = "auto"
    concurrency: Concurrency | None = None
    cache: ReplyCache | None = None
    budget: Budget = field(default_factory=Budget)
    on_progress: Callable[[Progress], None] = lambda progress: None
    redaction: Redaction | None = None
    second_looks: bool = True
    """Whether what may steer the grader is graded once more without that."""

    async def run(self, plan: Plan, journal: Journal) -> None:
        """Attempt every item of the plan; each outcome is journalled before its worker goes on.

        Raises StopRun when nothing more can or may be called.
        """
        across: dict[str, Noted] = {}
        shown: dict[str, Shown] = {}
        progress = Progress(len(plan.gated) + len(plan.to_call), calls=len(plan.to_call))

        def keep(task: Task, outcome: Outcome) -> None:
            outcome = with_noted(outcome, across.pop(outcome.item_id, None))
            shown.pop(outcome.item_id, None)
            journal.append(outcome, task[1])
            progress.add(outcome, spent_usd=self.budget.paid)
            self.on_progress(progress)
            if progress.done < progress.total:
                self._check_budget()

        def begun(group: Sequence[Task]) -> None:
            shown.update(show_all(group, self.redaction))
            try:
                keep_maps(journal.folder, group, shown)
            except OSError as error:
                what = f"{journal.folder}: cannot be written ({error.strerror})."
                raise StopRun(f"{what} All before it is kept.") from None

        for interview, item in _with_neighbours(plan.gated, across):
            if outcome := gated_outcome(item, interview.id, self.recipe):
                keep((interview, item), outcome)
        if plan.to_call:
            slots = Slots(self.concurrency or self.endpoint.info.concurrency)
            async with self.endpoint.session(plan.context_tokens, slots) as complete:
                grade_one = behind(shown, partial(self.grade, partial(self._paid_for, complete)))
                with seldom_collecting():
                    tasks = _with_neighbours(plan.to_call, across, begun)
                    await work(tasks, grade_one, keep, slots)

    async def grade(self, complete: Complete, task: Task) -> Outcome:
        """Grade one item, in as many samples as the recipe says."""
        wanted = self.recipe.samples
        outcomes: list[Outcome] = []
        while len(outcomes) < wanted and not (outcomes and outcomes[-1].status in HOPELESS):
            outcomes.append(await self._sample(complete, task, len(outcomes)))
        costs = [self.budget.cost(one.usage, number) for number, one in enumerate(outcomes)]
        outcome = outcomes[0]
        if wanted > 1 and outcome.attempts:
            outcome = combined(outcomes, wanted, task[1], self.recipe)
        if self.second_looks and needs_second_look(outcome):
            rest = (task[0], without_passages(task[1]))
            again = await self._without_words()._sample(complete, rest, 0)
            outcome = with_second_look(outcome, again)
            costs.append(self.budget.cost(again.usage))
        cost = total_of(costs)
        return outcome.model_copy(update={"cost_usd": cost}) if cost is not None else outcome

    def _without_words(self) -> Session:
        """This session for points alone: where a scorer gives them, words are the slow part."""
        if self.recipe.prompts.scorer is None:
            return self
        return replace(self, recipe=replace(self.recipe, explain=False))

    def _check_budget(self) -> None:
        if bound := self.budget.exceeded():
            raise StopRun(f"Stopped: {bound}. All results so far are kept.")

    async def _paid_for(self, complete: Complete, messages: Messages) -> Reply:
        """One call, counted at once: what it cost is spent, whatever becomes of its item.

        Raises StopRun instead of the call where the budget is spent, also amid an item.
        """
        self._check_budget()
        reply = await complete(messages)
        self.budget.add(reply.usage, messages.sample)
        return reply

    async def _sample(self, complete: Complete, task: Task, number: int) -> Outcome:
        """One sample, from the cache where it holds the replies."""
        interview, item = task
        language = language_of(interview, self.language)
        graded_by = partial(grade_item, item, interview.id, language, self.recipe)
        if number:
            complete = partial(_complete_sample, complete, number)
        if self.cache is None:
            return await graded_by(complete)
        info = self.endpoint.info
        key = key_of(
            info.identity if info.kind == "url" else info.kind,
            info.read_by,
            {**self.endpoint.parameters(), "expected": self.recipe.expected},
            messages_for(item, language, self.recipe),
            number,
        )
        owner = opaque_id(interview.id, self.recipe.secret)
        return await through_cache(self.cache, key, owner, complete, graded_by)


async def _complete_sample(complete: Complete, number: int, messages: Messages) -> Reply:
    return await complete(messages.model_copy(update={"sample": number}))


def _with_neighbours(
    tasks: Iterable[Task],
    across: dict[str, Noted],
    begun: Callable[[Sequence[Task]], None] = lambda group: None,
) -> Iterator[Task]:
    """The tasks; of each interview that begins, `across` gets what its items show together."""
    for _, several in groupby(tasks, key=lambda task: task[0].id):
        group = list(several)
        found = look_across(group[0][0].items)
        across |= {item.item_id: found[item.item_id] for _, item in group if item.item_id in found}
        begun(group)
        yield from group


def with_noted(outcome: Outcome, noted: Noted | None) -> Outcome:
    """The outcome with what its neighbours show."""
    if noted is None:
        return outcome
    reason = "; ".join(filter(None, (outcome.reason, *noted.notes)))
    flags = in_order({*outcome.flags, *noted.flags})
    return outcome.model_copy(update={"reason": reason, "flags": flags})
