"""Records of Codex rollouts, and how to read some."""

from transcript_fixtures import jsonl

from nlm_tui.ingest.ports import Source
from nlm_tui.runtimes import CodexReader


def event(kind, /, **values):
    return {"type": "event_msg", "payload": {"type": kind, **values}}


def response(payload):
    return {"type": "response_item", "payload": payload}


def header(thread, /, **values):
    return {"type": "session_meta", "payload": {"id": thread, **values}}


def prompt_response(text):
    return response({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})


def answer_response(text):
    return response({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})


def prompt_event(text):
    return event("user_message", message=text)


def answer_event(text):
    return event("agent_message", message=text)


def item(kind, part, text):
    return event("item_completed", item={"type": kind, "content": [{"type": part, "text": text}]})


def prompt_item(text):
    return item("UserMessage", "text", text)


def answer_item(text):
    return item("AgentMessage", "Text", text)


def at(second, record):
    return {"timestamp": f"2026-09-01T08:00:{second:06.3f}Z", **record}


def read(root, *records, name="rollout.jsonl"):
    path = root / name
    path.write_bytes(jsonl(records))
    transcript = CodexReader([root]).read(Source(path, 0, 0))
    assert transcript is not None
    return transcript
