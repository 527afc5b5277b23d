"""What a run would take, worked out without a call: items, calls, tokens, cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from pipeline.endpoint.base import EndpointInfo
from pipeline.gates import check
from pipeline.grading import Recipe, messages_for
from pipeline.notes import dump_notes
from pipeline.plan import LanguageChoice, Plan, Task, Tasks, language_of
from pipeline.prices import Budget, Price, total_of
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Record, Usage
from pipeline.regrade import without_passages
from pipeline.tokens import expected_prompt_tokens, expected_tokens
from pipeline.verdict import dump_verdict

SAMPLE = 5_000
"""Prompts that are made for an estimate; of a larger run only so many."""
KNOWN = 0.1
"""Doubt about the embedded model's own tokenizer: prompts were within 3.1%."""
REPLY = (0.5, 2.0)
"""Shortest and longest usual reply, as shares of the prompt set's graded examples."""
NO_EXAMPLE = 250
"""Tokens of a reply where a prompt set has no graded example."""


class DryRun(Record):
    """What a run would take. Ranges are from low to high; replies asked for again come on top."""

    items: int
    """Items that would be attempted."""
    calls: int
    """Calls at least, one for each sample and each second look."""
    second_looks: int
    """Answers that are graded once more without a passage that may steer the grader."""
    without_call: int
    """Items that end at a gate."""
    prompt_tokens: tuple[int, int]
    """Of all prompts together: by the embedded model's tokenizer, or by most others in use."""
    prompt_tokens_expected: int
    """The same in one figure, by a tokenizer like the embedded model's."""
    reply_tokens: tuple[int, int]
    """Of all replies together; a model that thinks first needs more."""
    cost_usd: tuple[float, float] | None
    """US dollars; None where no price is known."""


def dry_run(
    plan: Plan, recipe: Recipe, info: EndpointInfo, language: LanguageChoice, budget: Budget
) -> DryRun:
    """Estimate what the plan would take, at the prices of the budget."""
    first, again, second_looks = _expected(plan.to_call, language, recipe)
    expected = recipe.samples * first + again
    calls = plan.calls + second_looks
    more = expected / (recipe.samples * first) if first else 1.0
    near = (round(expected * (1 - KNOWN)), round(expected * (1 + KNOWN)))
    low, high = (round(more * tokens) for tokens in plan.prompt_tokens)
    prompts = near if info.kind == "embedded" else (low, high)
    reply = usual_reply(recipe.prompts) if recipe.sends else 0
    replies = calls if recipe.prompts.scorer is None else plan.calls
    least, most = (round(replies * min(share * reply, recipe.max_tokens)) for share in REPLY)
    shares = _shares(budget, expected, again, calls, second_looks)
    return DryRun(
        items=len(plan.to_call) + len(plan.gated),
        calls=calls,
        second_looks=second_looks,
        without_call=len(plan.gated),
        prompt_tokens=prompts,
        prompt_tokens_expected=expected,
        reply_tokens=(least, most),
        cost_usd=(_cost(shares, prompts[0], least), _cost(shares, prompts[1], most))
        if budget.priced
        else None,
    )


def _expected(
    tasks: Tasks | tuple[Task, ...], language: LanguageChoice, recipe: Recipe
) -> tuple[int, int, int]:
    """Tokens of one call for each item, tokens of the second looks, and how many these are."""
    scored = recipe.prompts.scorer is not None
    looking = replace(recipe, explain=False) if scored else recipe

    def size(interview: Interview, item: Item, recipe: Recipe = recipe) -> int:
        return expected_prompt_tokens(messages_for(item, language_of(interview, language), recipe))

    step = -(-len(tasks) // SAMPLE) or 1
    looked_at = first = again = second_looks = 0
    for interview, item in islice(tasks, None, None, step):
        looked_at, first = looked_at + 1, first + size(interview, item)
        rest = without_passages(item)
        if rest.answer != item.answer and check(rest) is None:
            second_looks, again = second_looks + 1, again + size(interview, rest, looking)
    scale = len(tasks) / looked_at if looked_at else 0
    return round(first * scale), round(again * scale), round(second_looks * scale)


def usual_reply(prompts: PromptSet) -> float:
    """Tokens of a verdict or of notes of usual length: the mean over the graded examples."""
    dump = dump_notes if prompts.scorer else dump_verdict
    sizes = [
        expected_tokens(dump(example.verdict))
        for examples in prompts.examples.values()
        for example in examples
    ]
    return sum(sizes) / len(sizes) if sizes else NO_EXAMPLE


def _shares(
    budget: Budget, expected: int, again: int, calls: int, second_looks: int
) -> list[tuple[Price | None, float, float]]:
    """By price, its share of the prompts and of the replies; the first judge looks again."""
    if not budget.judges or not expected:
        return [(budget.price, 1.0, 1.0)]
    judges = len(budget.judges)
    each, replies = (expected - again) / judges / expected, (calls - second_looks) / judges / calls
    rest = [(price, each, replies) for price in budget.judges[1:]]
    return [(budget.judges[0], each + again / expected, replies + second_looks / calls), *rest]


def _cost(shares: list[tuple[Price | None, float, float]], prompt: int, reply: int) -> float:
    costs = [
        price.cost(Usage(input_tokens=round(a * prompt), output_tokens=round(b * reply)))
        for price, a, b in shares
        if price
    ]
    return float(total_of(costs) or 0)


def dry_run_text(said: DryRun, kind: str) -> str:
    """The estimate in words."""
    if kind == "embedded":
        prompts = f"about {said.prompt_tokens_expected:,}"
        cost = "nothing: the model runs on this machine"
    else:
        low, high = said.prompt_tokens
        prompts = f"about {said.prompt_tokens_expected:,}, by other tokenizers {low:,} to {high:,}"
        cost = "not known: the price file has no price for this model (of a panel: for each judge)"
    if said.cost_usd:
        cost = "{:.4f} to {:.4f} USD".format(*said.cost_usd)
    least, most = said.reply_tokens
    replies = f"{least:,} to {most:,}" if most else "none"
    looks = said.second_looks
    again = f" {looks} of the calls are second looks." if looks else ""
    on_top = " Replies that have to be asked for again come on top." if most else ""
    return (
        f"{said.items} items: {said.calls} calls, {said.without_call} need none.{again}\n"
        f"Prompt tokens: {prompts}. Reply tokens: {replies}.{on_top}\n"
        f"Cost: {cost}. No call was made."
    )
