"""Files as Claude Code writes them, invented."""

from contextlib import suppress

from transcript_fixtures import jsonl

from nlm_tui.ingest.ports import Transcript, TranscriptError
from nlm_tui.runtimes import ClaudeCodeReader


def time(minute):
    return f"2026-03-02T{9 + minute // 60:02}:{minute % 60:02}:00.000Z"


def prompt(number, minute, text=None, **more):
    message = {"role": "user", "content": text or f"prompt {number}"}
    return {"type": "user", "uuid": f"u{number}", "timestamp": time(minute), "message": message, **more}


def answer(number, minute, text=None, **more):
    content = [{"type": "text", "text": text or f"answer {number}"}]
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": f"m{number}", "role": "assistant", "content": content, "usage": usage}
    return {"type": "assistant", "uuid": f"u{number}", "timestamp": time(minute), "message": message, **more}


def talk(*numbers, at=0):
    """Return prompts and answers, a minute apart; even numbers are prompts."""
    return [
        (answer if number % 2 else prompt)(number, at + position, sessionId="s")
        for position, number in enumerate(numbers)
    ]


def copied(records, source, prefix=""):
    """Return records as a fork has them, with ids of its own where there is a prefix."""
    return [
        {**record, "uuid": prefix + record["uuid"], "forkedFrom": {"sessionId": source, "messageUuid": record["uuid"]}}
        for record in records
    ]


class Home:
    """A configuration folder of Claude Code."""

    def __init__(self, root):
        self.root = root

    def write(self, path, *records):
        file = self.root / "projects" / f"{path}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(jsonl(records))
        return file

    def read(self, reader=None):
        """Return the transcripts by session id."""
        reader = reader or ClaudeCodeReader([self.root])
        read: list[Transcript] = []
        for source in reader.discover():
            with suppress(TranscriptError):  # a copy
                read += filter(None, [reader.read(source)])
        transcripts = {transcript.session_id: transcript for transcript in read}
        assert len(transcripts) == len(read)
        return transcripts


def own(transcript):
    """Return what no other file said before."""
    return [
        message.text
        for message in transcript.messages
        if message.role in {"user", "assistant"} and not message.inherited
    ]
