"""Synthetic history, the same on every machine: transcripts of Claude Code, and sessions for a store."""

import argparse
import json
import os
import random
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate, islice, pairwise, product
from pathlib import Path

from nlm_tui.core import Message, Session, join_messages
from nlm_tui.storage import SqliteSessionStore

NEWEST = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)

_COMMON = (
    "the to a of and in is for it that on with be this not as if we are an at from by or when but so then should can "
    "was after before there which have has will now only also one no all you into does its same still file test call"
)
_TOPICS = {
    "billing": "invoice retry ledger refund charge coupon tax webhook idempotency dunning currency receipt",
    "search": "index tokenizer ranking stemmer recall shard query vector snippet facet synonym analyzer",
    "auth": "token session cookie login oauth scope password refresh claim tenant role passkey",
    "queue": "worker consumer partition offset broker backoff lag dispatch scheduler priority redelivery batch",
    "cache": "redis eviction ttl invalidation warmup hitrate memo stampede lru prefetch staleness key",
    "database": "migration transaction deadlock replica vacuum schema cursor pool isolation constraint backfill lock",
    "deploy": "rollout canary helm cluster pod ingress rollback probe manifest secret node autoscaler",
    "frontend": "viewport tooltip sidebar palette theme hydration render focus dialog layout animation bundle",
    "mobile": "offline push permission keychain gesture emulator crash deeplink sync badge store release",
    "network": "timeout proxy socket latency handshake certificate keepalive dns packet gateway throttle tls",
    "parser": "lexer grammar syntax visitor literal operator precedence recovery fixture ast macro escape",
    "firmware": "watchdog interrupt bootloader flash sensor register modbus baud checksum sleep timer voltage",
    "metrics": "dashboard alert histogram tracer span exporter label sampling runbook incident quantile logger",
    "storage": "bucket object snapshot compaction manifest archive quota parquet chunk retention restore mirror",
    "tooling": "linter formatter lockfile plugin resolver hook workspace cli registry monorepo compiler cachekey",
    "pipeline": "airflow extract watermark dedupe lineage schedule catalog stream sink replay window join",
}
_SYLLABLES = "ba ko mi ter lu ven dra qui sol nex po ram tes vi zor cal fe gan hul jin"
_VOCABULARY = 50_000
_TOPIC_SHARE = 0.25  # of the words of a text
_RUNTIMES = ("claude-code", "codex", "claude-code", "gemini-cli")
_BODY_WORDS = 1_120  # about 7.5 KB
_BATCH = 500
_TOOLS = {
    "Bash": ("command", "rg -n {}"),
    "Read": ("file_path", "/home/dev/code/{}"),
    "Grep": ("pattern", "{}"),
}


@cache
def vocabulary() -> tuple[str, ...]:
    """Return all words but those of the topics, the most frequent first; short ones come before long ones."""
    words = _COMMON.split()
    for length in (2, 3, 4):
        made = ["".join(syllables) for syllables in product(_SYLLABLES.split(), repeat=length)]
        random.Random(length).shuffle(made)
        words += made
    return tuple(words[:_VOCABULARY])


@cache
def topic_words(topic: str) -> tuple[str, ...]:
    """Return the words of a topic, and identifiers and paths made of them."""
    words = _TOPICS[topic].split()
    pairs = list(pairwise(words))
    made = (*(f"{a}_{b}" for a, b in pairs), *(a + b.title() for a, b in pairs), *(f"src/{a}/{b}.py" for a, b in pairs))
    return (*words * 4, *made)


def word_bands() -> dict[str, tuple[str, ...]]:
    """Return words to search for, by how many sessions hold them: nearly all, a few in a hundred, one in a thousand."""
    words = vocabulary()
    developer = sorted({word for line in _TOPICS.values() for word in line.split()})
    return {"common": words[:20], "mid": words[2_000:5_000], "rare": words[40_000:], "developer": tuple(developer)}


class Writer:
    """Writes text about a topic: words by Zipf's law, and words of the topic among them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def topic(self) -> str:
        """Return a topic."""
        return self.random.choice(list(_TOPICS))

    def words(self, topic: str, count: int) -> str:
        """Return `count` words."""
        pool, weights = _weighted(topic)
        return " ".join(self.random.choices(pool, cum_weights=weights, k=count))

    def sentence(self, topic: str, shortest: int = 6, longest: int = 30) -> str:
        """Return a sentence of that many words."""
        text = self.words(topic, self.random.randint(shortest, longest))
        return text[0].upper() + text[1:] + self.random.choice("...?")

    def identifier(self) -> str:
        """Return a random UUID."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))


@cache
def _weighted(topic: str) -> tuple[list[str], list[float]]:
    """Return all words that a text about `topic` may hold, and their cumulative weights."""
    general, own = vocabulary(), topic_words(topic)
    cumulative = list(accumulate(1.0 / (rank + 2.7) for rank in range(len(general))))
    share = cumulative[-1] * _TOPIC_SHARE / (1.0 - _TOPIC_SHARE) / len(own)
    return [*general, *own], cumulative + [cumulative[-1] + share * place for place in range(1, len(own) + 1)]


def sessions(count: int, seed: int = 7) -> Iterator[Session]:
    """Yield `count` sessions, newest first; fewer of them are the first ones of more."""
    writer = Writer(seed)
    for number in range(count):
        yield _session(writer, number)


def fill_store(path: Path, count: int) -> None:
    """Write `count` sessions to the store at `path`, and say on stderr how far it is."""
    made = sessions(count)
    with SqliteSessionStore.open(path) as store:
        for done in range(0, count, _BATCH):
            with store.batch():
                for session in islice(made, _BATCH):
                    store.insert_sessions(session)
            print(f"\rsessions written: {min(done + _BATCH, count):,} of {count:,}", end="", file=sys.stderr)
    print(file=sys.stderr)


def _session(writer: Writer, number: int) -> Session:
    rng, topic = writer.random, writer.topic()
    started = NEWEST - timedelta(minutes=5 * number + 60)
    minutes = rng.randint(4, 90)
    messages: list[Message] = []
    left = _BODY_WORDS
    while left > 0:
        length = min(left, rng.randint(20, 160))
        role = "assistant" if len(messages) % 2 else "user"
        messages.append(Message(role, writer.words(topic, length), _iso(started)))
        left -= length
    body, turns = join_messages(tuple(messages))
    runtime = _RUNTIMES[number % len(_RUNTIMES)]
    return Session(
        id=f"{runtime}_{writer.identifier()}",
        runtime=runtime,
        started_at=_iso(started),
        ended_at=_iso(started + timedelta(minutes=minutes)),
        duration_min=minutes,
        label=writer.words(topic, 7).capitalize(),
        summary=writer.sentence(topic, 25, 45),
        body=body,
        turns=turns,
        project=f"/home/dev/code/{topic}",
        branch="main",
        entities=(topic, *dict.fromkeys(rng.choices(_TOPICS[topic].split(), k=3))),
        decisions=tuple(writer.sentence(topic, 8, 16) for _ in range(max(rng.randint(-2, 3), 0))),
        open=tuple(writer.sentence(topic, 8, 16) for _ in range(max(rng.randint(-3, 2), 0))),
    )


def write_transcripts(home: Path, count: int, shortest: int = 10, longest: int = 200, seed: int = 7) -> None:
    """Write `count` session files of Claude Code below `home`, each of `shortest` to `longest` records."""
    writer = Writer(seed)
    for _ in range(count):
        topic = writer.topic()
        started = NEWEST - timedelta(minutes=writer.random.randint(300, 365 * 1440))
        transcript = _Transcript(writer, topic, started)
        transcript.write(writer.random.randint(shortest, longest))
        transcript.save(home)


class _Transcript:
    """A session as Claude Code keeps it: records that point at the one before."""

    def __init__(self, writer: Writer, topic: str, started: datetime) -> None:
        self._writer = writer
        self._topic = topic
        self._at = started
        self._id = writer.identifier()
        self._cwd = f"/home/dev/code/{topic}-app"
        self._parent: str | None = None
        self._records: list[dict[str, object]] = []

    def write(self, records: int) -> None:
        """Write a conversation of at least that many records: prompts, answers, tool calls and their results."""
        while len(self._records) < records:
            self._add("user", self._writer.sentence(self._topic, 5, 40))
            for _ in range(self._writer.random.choice((0, 0, 1, 2, 3))):
                self._use_tool()
            self._add("assistant", [{"type": "text", "text": self._answer()}])
        if self._writer.random.random() < 0.5:
            title = self._writer.words(self._topic, 6).capitalize()
            self._records.append({"type": "ai-title", "sessionId": self._id, "aiTitle": title})

    def save(self, home: Path) -> None:
        """Write the file where Claude Code would, as old as its last record."""
        path = home / ".claude" / "projects" / self._cwd.replace("/", "-") / f"{self._id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in self._records)
        path.write_text("".join(lines), encoding="utf-8")
        os.utime(path, (self._at.timestamp(), self._at.timestamp()))

    def _answer(self) -> str:
        writer, topic = self._writer, self._topic
        parts = [" ".join(writer.sentence(topic) for _ in range(writer.random.randint(1, 4)))]
        chance = writer.random.random()
        if chance < 0.04:
            parts.append(f"Decision: {writer.sentence(topic, 8, 16)}")
        elif chance < 0.06:
            parts.append(f"Open: {writer.sentence(topic, 8, 16)}")
        elif chance < 0.35:
            name = writer.random.choice(topic_words(topic)[-20:])
            parts.append(f"```python\n{writer.words(topic, 12)}\nreturn {name!r}\n```")
        return "\n\n".join(parts)

    def _use_tool(self) -> None:
        writer, topic = self._writer, self._topic
        call = f"toolu_{writer.identifier()[:13]}"
        name = writer.random.choice(list(_TOOLS))
        argument, value = _TOOLS[name]
        wanted = writer.random.choice(topic_words(topic))
        use = {"type": "tool_use", "id": call, "name": name, "input": {argument: value.format(wanted)}}
        output = "\n".join(writer.sentence(topic, 5, 14) for _ in range(writer.random.randint(2, 20)))
        result = {"type": "tool_result", "tool_use_id": call, "content": output}
        self._add("assistant", [{"type": "text", "text": writer.sentence(topic, 5, 20)}, use])
        self._add("user", [result], toolUseResult={"stdout": output, "stderr": "", "interrupted": False})

    def _add(self, role: str, content: object, **extra: object) -> None:
        self._at += timedelta(seconds=self._writer.random.randint(3, 240))
        own = self._writer.identifier()
        message: dict[str, object] = {"role": role, "content": content}
        if role == "assistant":
            usage = {"input_tokens": 900, "output_tokens": 90}
            message |= {"id": f"msg_{own[:13]}", "type": "message", "model": "claude-sonnet-4-5", "usage": usage}
        record = {"parentUuid": self._parent, "isSidechain": False, "userType": "external", "cwd": self._cwd}
        record |= {"sessionId": self._id, "version": "2.0.50", "gitBranch": "main", "type": role, "message": message}
        self._records.append(record | {"uuid": own, "timestamp": _iso(self._at), **extra})
        self._parent = own


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main() -> None:
    """Write transcripts."""
    parser = argparse.ArgumentParser(description="Write a synthetic history of Claude Code, the same on every machine.")
    parser.add_argument("home", type=Path, help="the folder to write it to, as if it were a home folder")
    parser.add_argument("sessions", type=int, nargs="?", default=2000)
    parser.add_argument("shortest", type=int, nargs="?", default=10, help="records of the shortest session")
    parser.add_argument("longest", type=int, nargs="?", default=200, help="records of the longest session")
    options = parser.parse_args()
    write_transcripts(options.home, options.sessions, options.shortest, options.longest)


if __name__ == "__main__":
    main()
