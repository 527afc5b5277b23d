"""The records that flow through the pipeline: frozen, and closed to unknown fields.

Words are those of the design: interview, item, messages, reply, verdict, grade, outcome.
Scores are Decimal from the verdict on; a missing score is None and never 0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict

Language = Literal["zh", "en"]
Status = Literal[
    "scored",
    "blank",
    "copied",
    "missing",
    "refused",
    "content_filtered",
    "truncated_reply",
    "prompt_truncated",
    "unparseable",
    "endpoint_error",
    "not_run",
]
ScoreMode = Literal["verdict", "expected", "median", "gate"]
QuoteMatch = Literal["none", "exact", "approximate", "not_found"]
Abstention = Literal["wide", "type", "outside"]
"""Why points should not be gone by: too wide an interval; a type of question not understood; a
state unlike those of the answers that errors were measured on."""

STATUSES: tuple[str, ...] = get_args(Status)
COUNTED: frozenset[str] = frozenset({"scored", "blank", "copied"})
"""The statuses that carry a score."""
FAILED: frozenset[str] = frozenset(STATUSES) - COUNTED - {"missing", "not_run"}
"""The statuses of items that were sent and got no grade; they can be tried again."""


def _whole_characters(text: str) -> str:
    """Lone surrogates cannot be sent, hashed or stored; they become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


Text = Annotated[str, AfterValidator(_whole_characters)]
"""A str that can always be encoded."""


class Record(BaseModel):
    """Base of all records."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Turn(Record):
    """One turn of a dialogue, or one part of an item that has follow-ups."""

    kind: Literal["question", "follow_up", "answer", "filler"]
    """What the turn is; filler is a greeting, praise or a sound of assent."""
    text: str
    """What was said."""
    speaker: str | None = None
    """The speaker as printed."""
    line: int | None = None
    """1-based line of the turn in the source."""


class Item(Record):
    """One question-answer pair of an interview."""

    item_id: Text
    """`<interview id>#<1-based position>`."""
    number: int | Text | None = None
    """The number as printed in the source; None where none is printed."""
    question: Text
    """The question, without its label."""
    objective: Text | None = None
    """What the question is meant to find out (考察目标); None where absent."""
    answer: Text | None
    """The answer: "" is present but empty, None is absent or marked unavailable."""
    line: int | None = None
    """1-based line (or row) of the question in the source."""
    page: int | None = None
    """1-based page of the question in a paged source."""
    flags: tuple[Text, ...] = ()
    """What the reader noticed about this item, by flag name."""
    missing_reason: Text | None = None
    """Why `answer` is None: unavailable, not_asked, absent, described."""
    turns: tuple[Turn, ...] = ()
    """The single turns, where the item was put together from several."""
    comment: Text | None = None
    """A remark of the source on this item; never part of a prompt."""
    source_scores: dict[str, str] = {}
    """Scores printed in the source, by label or column; never part of a prompt."""


class Interview(Record):
    """One transcript. Only its items ever reach a grading prompt."""

    id: Text
    """File stem or column value, unique within a run."""
    source: Text
    """The path, or the path and place, it was read from."""
    language: Language = "zh"
    """Main language of the questions; it picks the prompt's language."""
    candidate: Text | None = None
    """Name of the candidate, if the source gives one."""
    role: Text | None = None
    """岗位, the position applied for."""
    years_experience: int | float | Text | None = None
    """从业年限: a number of years, or the text as printed where it is no plain number."""
    profile: Text | None = None
    """简介, the candidate's short profile."""
    intro: Text | None = None
    """Free text before the first label."""
    items: tuple[Item, ...]
    """The question-answer pairs in the order of the source."""
    comment: Text | None = None
    """点评, the closing comment of the source."""
    warnings: tuple[Text, ...] = ()
    """What the reader doubts, in plain words."""


class Criterion(Record):
    """One criterion of a rubric."""

    key: str
    """Column name in tables and key in replies."""
    names: dict[str, str]
    """Heading by language."""
    asks: dict[str, str] = {}
    """What the criterion looks at, one line by language."""
    anchors: dict[str, dict[int, str]]
    """Behavioural anchor by language and whole point of the scale."""


class Cap(Record):
    """A rule that bounds the overall when one criterion is low."""

    criterion: str
    """Key of the criterion."""
    at_most: Decimal
    """The cap applies when the criterion's score, rounded half up, is at most this."""
    overall: Decimal
    """The overall is then at most this."""


class Band(Record):
    """A range of the overall with a word for it."""

    at_least: Decimal
    """Lowest overall of the band."""
    names: dict[str, str]
    """The word by language."""


class Cut(Record):
    """A recommendation and the candidate overall from which it holds."""

    at_least: Decimal
    """Lowest candidate overall, rounded to one decimal."""
    recommendation: str
    """STRONG_YES, YES, MIXED, NO or STRONG_NO."""


class Rubric(Record):
    """Criteria, weights, caps, bands and cuts: all that turns a verdict into a grade."""

    name: str
    """Name of the rubric."""
    scale: tuple[int, int]
    """Lowest and highest whole point of a criterion."""
    criteria: tuple[Criterion, ...]
    """In the order in which they are asked and shown."""
    weights: dict[str, dict[str, Decimal]]
    """By profile (`default`, `equal`, a question type) and criterion key; each sums to 1."""
    not_asked: dict[str, tuple[str, ...]] = {}
    """By question type, the criteria that it does not ask for: no score, weight redistributed."""
    caps: tuple[Cap, ...] = ()
    """Applied in code after the LLM."""
    bands: tuple[Band, ...] = ()
    """Highest first."""
    cuts: tuple[Cut, ...] = ()
    """Highest first."""
    min_coverage: Decimal = Decimal("0.70")
    """Below this share of answered items there is NO_DECISION."""
    notes: dict[str, dict[str, str]] = {}
    """By question type and language, a sentence that is shown with such a question."""
    profile: Literal["type", "equal"] = "type"
    """Which weights make the overall: those of the question's type, or `equal`."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The criterion keys in order."""
        return tuple(criterion.key for criterion in self.criteria)

    def weights_for(self, kind: str) -> dict[str, Decimal]:
        """The weights for a type of question, by the profile in use, of what it asks for."""
        named = "equal" if self.profile == "equal" else kind
        weights = self.weights.get(named, self.weights["default"])
        left_out = self.not_asked.get(kind, ())
        return {key: weight for key, weight in weights.items() if key not in left_out}


class Message(Record):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    content: str
    """What is said."""


FRAME_TOKENS, ANSWER_TOKENS = 384, 640
"""What a reading has at most: one batch of the server. Of longer texts the ends are read."""


class Reading(Record):
    """A text that a model only reads: what it made of the answer is the reply."""

    before: str
    """All that stands before the answer."""
    answer: str
    """The answer, last: no state of it knows what would follow."""


class Messages(Record):
    """All that one call needs: the turns, and the form the reply must have. Iterates over turns."""

    turns: tuple[Message, ...]
    """The chat, most stable part first, so that a shared prefix can be cached."""
    reading: Reading | None = None
    """Read besides: the reply then has a `state`. Without turns nothing is written."""
    reply_schema: dict[str, Any] | None = None
    """JSON schema of the reply; None asks for free text."""
    max_tokens: int = 1024
    """Upper bound of the reply's length in tokens."""
    call_id: str = ""
    """Opaque digest that names the call in logs and to the endpoint."""
    sample: int = 0
    """Which sample of the same call this is; each has a seed of its own."""

    def __iter__(self) -> Iterator[Message]:  # type: ignore[override]
        return iter(self.turns)

    def __len__(self) -> int:
        return len(self.turns)

    def __getitem__(self, index: int) -> Message:
        return self.turns[index]


class Usage(Record):
    """Tokens of one or several calls; None where the endpoint did not say."""

    input_tokens: int | None = None
    """Tokens of the prompt."""
    output_tokens: int | None = None
    """Tokens of the reply."""
    cached_tokens: int | None = None
    """Prompt tokens that the server took from its own prefix cache."""

    def __add__(self, other: Usage) -> Usage:
        """Tokens of both; what neither says stays None."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
        )


def _sum(left: int | None, right: int | None) -> int | None:
    return left if right is None else (left or 0) + right


class Token(Record):
    """One token of a reply with its alternatives."""

    text: str
    """The token as text; bytes that are no whole character are replaced."""
    size: int
    """Its length in bytes of UTF-8."""
    logprob: float
    """Natural logarithm of its probability."""
    top: tuple[tuple[str, float], ...] = ()
    """The likeliest tokens at this place with their log-probabilities."""


class Reply(Record):
    """What an endpoint sent back."""

    text: Text
    """The content, untouched."""
    finish_reason: str | None = "stop"
    """Why the model stopped: stop, length, content_filter, ..."""
    refusal: str | None = None
    """The refusal field, where the endpoint has one."""
    model: str | None = None
    """The model that the endpoint says has answered."""
    fingerprint: str | None = None
    """The endpoint's system fingerprint."""
    usage: Usage = Usage()
    """Tokens used by this call."""
    tokens: tuple[Token, ...] = ()
    """The reply's tokens with log-probabilities, where they were asked for."""
    state: tuple[float, ...] = ()
    """Mean over the answer's tokens of the model's last hidden states, where a reading was sent."""
    unread: int = 0
    """Tokens of the answer that a reading left out: of a long one the ends are read."""
    unread_frame: int = 0
    """Those of what stands before it, question, aim and key points, likewise."""
    seconds: float = 0.0
    """Time from request to reply, retries included."""
    attempts: int = 1
    """HTTP requests made for this reply."""


Complete = Callable[[Messages], Awaitable[Reply]]
"""One call: messages in, reply out. Raises CallError for this item, StopRun for the whole run."""


class CriterionVerdict(Record):
    """The LLM's opinion on one criterion, in generation order."""

    quote: Text
    """Verbatim from the answer, or empty."""
    problems: Text
    """What is wrong or missing."""
    rationale: Text
    """Why this score."""
    score: int
    """Whole points on the rubric's scale."""


class Verdict(Record):
    """The validated opinion of the LLM: one entry per criterion of the rubric, no overall."""

    criteria: dict[str, CriterionVerdict]
    """By criterion key, in the rubric's order."""


class CriterionGrade(Record):
    """One criterion of a grade."""

    key: str
    """Criterion key of the rubric."""
    score: Decimal | None = None
    """Points on the rubric's scale; None where the criterion is not asked for."""
    quote: str = ""
    """The quote as the LLM gave it."""
    match: QuoteMatch = "none"
    """Whether and how the quote was found in the answer."""
    span: tuple[int, int] | None = None
    """Start and end of the quote in the answer, in characters; None where not found."""
    problems: str = ""
    """What is wrong or missing, in the LLM's words."""
    rationale: str = ""
    """Why this score, in the LLM's words."""
    uncertainty: Decimal | None = None
    """Points up and down within which a label is likely to lie; None where it was not measured."""


class Grade(Record):
    """A verdict after the rules of the rubric."""

    criteria: tuple[CriterionGrade, ...]
    """In the rubric's order."""
    overall: Decimal
    """Capped weighted mean, rounded half up to one decimal."""
    overall_capped: Decimal
    """The same, unrounded: what candidate means are made of."""
    overall_uncapped: Decimal
    """The weighted mean before caps, unrounded."""
    score_mode: ScoreMode
    """How the scores came about."""
    explained: bool = True
    """Whether quotes and problems were asked for."""
    uncertainty: Decimal | None = None
    """Of the overall, as for a criterion."""
    abstention: Abstention | None = None
    """Why a scorer leaves the decision to a person; None where it does not."""


class Outcome(Record):
    """How an item ended."""

    item_id: str
    """The item."""
    interview_id: str
    """Its interview."""
    status: Status
    """One of the statuses; only scored, blank and copied carry a grade."""
    grade: Grade | None = None
    """The grade, where the status carries one."""
    reason: str = ""
    """Why there is no grade, or what a flag is about; in plain words without candidate text."""
    flags: tuple[str, ...] = ()
    """Names from the table of flags."""
    model: str | None = None
    """The model that answered."""
    prompt_version: str = ""
    """Version of the prompt set."""
    attempts: int = 0
    """HTTP requests made, all retries and re-asks counted."""
    spread: int | None = None
    """Largest difference between samples on one criterion; None with a single sample."""
    overall_without_injection: Decimal | None = None
    """The overall without the suspicious passages, where `injection` is flagged."""
    key_points: str = ""
    """File and entry of the key points that the prompt showed; "" where it showed none."""
    cached: bool = False
    """Whether the replies came from the reply cache."""
    usage: Usage = Usage()
    """Tokens over all calls for this item."""
    seconds: float = 0.0
    """Wall time spent on this item."""
    cost_usd: Decimal | None = None
    """What its tokens cost by the price file, paid now or earlier; None where no price is known."""
    replies: tuple[str, ...] = ()
    """The raw replies in order, kept for audit."""


class Candidate(Record):
    """One interview after grading."""

    interview_id: str
    """The interview."""
    role: str | None
    """岗位."""
    years_experience: int | float | str | None
    """从业年限."""
    asked: int
    """All items."""
    answered: int
    """Items that are neither blank, copied nor missing."""
    graded: int
    """Items that carry a score: scored, blank or copied."""
    coverage: Decimal | None
    """answered / asked, unrounded; None without items."""
    overall: Decimal | None
    """Mean of the unrounded capped overalls over graded items, half up to one decimal."""
    overall_answered_only: Decimal | None
    """The same over scored items alone."""
    recommendation: str
    """Advisory: STRONG_YES, YES, MIXED, NO, STRONG_NO or NO_DECISION."""
    reasons: tuple[str, ...]
    """Why, in plain words."""
    contradictions: tuple[str, ...] = ()
    """Where comment, introduction or other answers speak against what was found."""
    overall_by_type: Decimal | None = None
    """The overall with the weights of each question's type."""
    overall_by_equal: Decimal | None = None
    """The overall with equal weights; None where the rubric has none."""
    rank_by_type: int | None = None
    """Rank in the run by the weights of each question's type; equal overalls share one."""
    rank_by_equal: int | None = None
    """Rank in the run with equal weights."""
