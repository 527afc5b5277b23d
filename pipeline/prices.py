"""Prices of tokens from a file that the user edits; without a price there is no cost, not zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from platformdirs import user_config_path
from pydantic import ValidationError

from pipeline.errors import ConfigError
from pipeline.records import Record, Usage
from pipeline.rubric import line_of, plain, read_yaml

MILLION = Decimal(1_000_000)
FORM = "MODEL: {input: 2.5, cached_input: 1.25, output: 10}   # US dollars for a million tokens"


class Price(Record):
    """US dollars for a million tokens of one model."""

    input: Decimal
    """Prompt tokens."""
    output: Decimal
    """Reply tokens."""
    cached_input: Decimal | None = None
    """Prompt tokens from the endpoint's cache; None: as other prompt tokens."""

    def cost(self, usage: Usage) -> Decimal | None:
        """What these tokens cost; None where the endpoint did not count them."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        cheap = self.input if self.cached_input is None else self.cached_input
        total = (usage.input_tokens - cached) * self.input + cached * cheap
        return (total + usage.output_tokens * self.output) / MILLION


def default_path() -> Path:
    """Where the user's price file lies, if there is one."""
    return user_config_path("interview-grader", appauthor=False) / "prices.yaml"


def load_price(model: str, path: Path) -> Price | None:
    """The price of a model, or None where the file or the model in it is missing.

    Raises ConfigError with file and line for a file that is not in the form of a price list.
    """
    if not path.exists():
        return None
    tree = read_yaml(path)
    try:
        entry = plain(tree)[model]
    except (KeyError, TypeError):
        return None
    try:
        return Price.model_validate(entry)
    except ValidationError as error:
        fault = error.errors()[0]
        line = line_of(tree, (model, *fault["loc"]))
        raise ConfigError(f"{path}, line {line}: {fault['msg']}. A line reads {FORM}") from None


def total_of(costs: Sequence[Decimal | None]) -> Decimal | None:
    """The sum; None where one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


@dataclass
class Budget:
    """What a session may spend and has spent. Answers from the cache cost nothing."""

    price: Price | None = None
    judges: Sequence[Price | None] = ()
    """Of a panel, the price of each judge in its order; then `price` does not count."""
    usd: Decimal | None = None
    """Most US dollars; needs a price."""
    tokens: int | None = None
    """Most tokens, prompt and reply together."""
    spent_usd: Decimal = Decimal(0)
    spent_tokens: int = 0
    uncounted: bool = False
    """Whether the endpoint left out the tokens of a reply: then nobody knows what was spent."""

    def __post_init__(self) -> None:
        if self.usd is not None and not self.priced:
            raise ConfigError(
                "a budget in dollars needs the price of the model, and of a panel that of every "
                f"judge: add a line to the price file ({default_path()}): {FORM}"
            )

    @property
    def priced(self) -> bool:
        """Whether all prices are known."""
        return None not in (self.judges or (self.price,))

    def cost(self, usage: Usage, sample: int = 0) -> Decimal | None:
        """What these tokens of a sample cost by its price; None where either is not known."""
        price = self.judges[sample] if self.judges else self.price
        return price.cost(usage) if price else None

    def add(self, usage: Usage, sample: int = 0) -> None:
        """Count one reply of the endpoint, whatever becomes of it."""
        self.uncounted |= usage.input_tokens is None or usage.output_tokens is None
        self.spent_tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.spent_usd += self.cost(usage, sample) or Decimal(0)

    @property
    def paid(self) -> Decimal | None:
        """US dollars paid in this session; None where a price or a count is not known."""
        return self.spent_usd if self.priced and not self.uncounted else None

    def exceeded(self) -> str:
        """Which bound has been reached, in words, or ""."""
        if self.uncounted and not (self.usd is None and self.tokens is None):
            return "the endpoint does not count its tokens, so that no budget can be kept to"
        if self.usd is not None and self.spent_usd >= self.usd:
            return f"the budget of {self.usd} USD is spent ({self.spent_usd:.4f} USD)"
        if self.tokens is not None and self.spent_tokens >= self.tokens:
            return f"the budget of {self.tokens:,} tokens is spent ({self.spent_tokens:,})"
        return ""
