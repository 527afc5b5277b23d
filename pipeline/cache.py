"""Replies that were paid for, kept for the user: the same call is not paid twice.

One entry holds all replies of an item that ended with a grade, under the hash of everything that
shaped them: endpoint, model, parameters, messages, schema, sample number. Refusals and failures
are never kept. Answering from the cache replays the replies through the same code.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from pipeline.errors import ConfigError, EndpointError
from pipeline.records import Complete, Messages, Outcome, Reply

TABLE = (
    "create table if not exists replies (key text primary key, owner text not null, "
    "replies blob not null) without rowid",
    "create index if not exists owners on replies (owner)",
    "create table if not exists shared (owner text, key text, primary key (owner, key)) "
    "without rowid",
    "pragma journal_mode = wal",
    "pragma synchronous = normal",
    "pragma secure_delete = on",
)
BUSY = 30.0
"""Seconds to wait for another process that writes."""


class ReplyCache:
    """An open cache. Damage or a full disk costs speed, never a run: it then acts as empty."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> list[Reply] | None:
        """The replies of an earlier item with this key."""
        try:
            found = self._connection.execute(
                "select replies from replies where key = ?", (key,)
            ).fetchone()
            if found is None:
                return None
            return [Reply.model_validate(entry) for entry in json.loads(zlib.decompress(found[0]))]
        except (sqlite3.Error, zlib.error, ValueError):
            return None

    def put(self, key: str, owner: str, replies: list[Reply]) -> None:
        """Keep the replies; `owner` is the opaque id of the interview, for erasure."""
        content = json.dumps([reply.model_dump(mode="json") for reply in replies])
        try:
            with self._connection:
                self._connection.execute(
                    "insert or ignore into shared select owner, key from replies "
                    "where key = ? and owner <> ?",
                    (key, owner),
                )
                self._connection.execute(
                    "insert or replace into replies values (?, ?, ?)",
                    (key, owner, zlib.compress(content.encode(), 1)),
                )
        except sqlite3.Error:
            return

    def share(self, key: str, owner: str) -> None:
        """Note that an entry answered for another interview too: it is about both by now."""
        try:
            with self._connection:
                self._connection.execute(
                    "insert or ignore into shared select ?, key from replies "
                    "where key = ? and owner <> ?",
                    (owner, key, owner),
                )
        except sqlite3.Error:
            return

    def erase(self, owner: str) -> int:
        """Delete all replies about one interview; how many entries there were.

        Raises ConfigError where another process keeps the old pages alive.
        """
        try:
            with self._connection:
                deleted = self._connection.execute(
                    "delete from replies where owner = ?1 "
                    "or key in (select key from shared where owner = ?1)",
                    (owner,),
                )
                self._connection.execute("delete from shared where owner = ?", (owner,))
            busy, *_ = self._connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        except sqlite3.Error as error:
            raise ConfigError(f"the reply cache cannot be erased from ({error}).") from None
        if busy:
            raise ConfigError(
                "another process uses the reply cache, so that old pages are still in its log. "
                "Wait for it to end and give the same command again."
            )
        return deleted.rowcount


def default_path() -> Path:
    """Where the user's cache lies: among the data, since it holds what was paid for."""
    return user_data_path("interview-grader", appauthor=False) / "replies.sqlite"


@contextmanager
def open_cache(path: Path) -> Iterator[ReplyCache]:
    """Open or create a cache. Raises ConfigError where that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        # A notebook's run has a thread of its own; still only one uses the connection at a time.
        connection = sqlite3.connect(path, timeout=BUSY, check_same_thread=False)
        for statement in TABLE:
            connection.execute(statement)
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(
            f"{path}: the reply cache cannot be used ({error}). Delete it, or use --no-cache."
        ) from None
    with closing(connection):
        yield ReplyCache(connection)


def key_of(
    endpoint: str, model: str, parameters: dict[str, Any], messages: Messages, sample: int = 0
) -> str:
    """SHA-256 over everything that shapes a reply. The call's opaque name is no part of it."""
    content = messages.model_dump(mode="json", exclude={"call_id"})
    parts = [endpoint, model, parameters, content, sample]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


async def through_cache(
    cache: ReplyCache,
    key: str,
    owner: str,
    complete: Complete,
    grade: Callable[[Complete], Awaitable[Outcome]],
) -> Outcome:
    """Grade from the cache where it has the replies; else for real, and keep what was graded."""
    if kept := cache.get(key):
        outcome = await grade(_replay(kept))
        if outcome.status == "scored":
            cache.share(key, owner)
            return outcome.model_copy(update={"cached": True})
    heard: list[Reply] = []

    async def listening(messages: Messages) -> Reply:
        reply = await complete(messages)
        heard.append(reply)
        return reply

    outcome = await grade(listening)
    if outcome.status == "scored" and len(heard) == len(outcome.replies):
        cache.put(key, owner, heard)
    return outcome


def _replay(replies: list[Reply]) -> Complete:
    left = iter(replies)

    async def complete(messages: Messages) -> Reply:
        reply = next(left, None)
        if reply is None:
            raise EndpointError("the cached replies do not end with a grade")
        return reply

    return complete
