"""Sessions, answers and rows as JSON: cleaned for a terminal, secrets masked."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, cast

from nlm_tui.core import Message, RecallResult, Session, display_safe, json_safe, one_line
from nlm_tui.core.secrets import mask


def as_json(value: object) -> str:
    """Return JSON text, indented."""
    import orjson  # noqa: PLC0415 - help and completion need none

    return json_safe(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def session_json(session: Session, *, reveal: bool = False) -> dict[str, Any]:
    """Return all of a session, with its `messages` in place of the turns; secrets are masked unless `reveal`."""
    fields = asdict(session)
    del fields["turns"]
    fields["closed"] = [{"text": question.text, "answer": question.answer} for question in session.closed]
    fields["messages"] = [_message_json(message) for message in session.messages]
    for name in ("entities", "decisions", "open"):
        fields[name] = [one_line(text) for text in fields[name]]
    return _clean({**fields, "label": one_line(session.label)}, reveal=reveal)


def result_json(result: RecallResult, reasons: Mapping[str, str]) -> dict[str, Any]:
    """Return a recall, the reasons with its hits. Its text is safe already."""
    fields = asdict(result)
    for hit in fields["results"]:
        if hit["id"] in reasons:
            hit["why"] = reasons[hit["id"]]
    return fields


def rows_json(rows: Sequence[object], *, reveal: bool = False) -> list[dict[str, Any]]:
    """Return rows of a list, whatever they are: hits, decisions, questions, topics, facts, sessions in time."""
    return [_clean(asdict(row), reveal=reveal) for row in rows if is_dataclass(row) and not isinstance(row, type)]


def _message_json(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role, "text": message.text, "at": message.at}
    return {**fields, "withdrawn": True} if message.withdrawn else fields


def _clean(value: Any, *, reveal: bool) -> Any:  # noqa: ANN401 - JSON has no type
    """Return a value with every text in it as a terminal may show it."""
    if isinstance(value, str):
        shown = display_safe(value)
        return shown if reveal else mask(shown)
    if isinstance(value, dict):
        return {name: _clean(one, reveal=reveal) for name, one in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_clean(one, reveal=reveal) for one in cast("Sequence[object]", value)]
    return value
