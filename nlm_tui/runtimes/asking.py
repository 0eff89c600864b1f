"""Tool calls that show the user something, a plan, tasks or questions, and the answers to these."""

import re
from collections.abc import Iterator

from nlm_tui.core import one_line
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text

SHOWN_LIMIT = 16_000
"""Characters that what is shown, or an answer, may have."""

_MOST_ENTRIES = 100
_TASKS = ("todos", "plan", "tasks", "items", "todo_list", "todoList")
_TASK_TEXTS = ("content", "step", "description", "title", "text", "task")
_DONE = frozenset({"completed", "complete", "done", "finished", "cancelled", "canceled"})
_ANSWER = re.compile(
    r"\s*(?:(?:the )?user (?:has )?(?:answered|approved|rejected|declined|chose|selected|provided|said|responded)\b"
    r"|your questions have been answered|the user doesn't want to (?:proceed|take this action)"
    r"|\[?request interrupted by user for tool use)",
    re.IGNORECASE,
)


def is_users_answer(result: str) -> bool:
    """Return whether what a tool put out is what the user answered, to a plan, a question or the call itself."""
    return _ANSWER.match(result) is not None


def shown_to_user(arguments: object) -> str:
    """Return the plan, the tasks or the questions of a call as Markdown; nothing for any other call."""
    named = as_dict(arguments)
    if plan := as_text(named.get("plan")):
        return plan[:SHOWN_LIMIT]
    if questions := _questions(named):
        return questions[:SHOWN_LIMIT]
    lists = ("\n".join(_tasks(named.get(key))) for key in _TASKS)
    return next(filter(None, lists), "")[:SHOWN_LIMIT]


def _questions(named: Record) -> str:
    asked = [as_dict(question) for question in as_list(named.get("questions"))[:_MOST_ENTRIES]]
    if not asked and as_text(named.get("question")):
        asked = [named]
    return "\n\n".join("\n".join(_question(one)) for one in asked if as_text(one.get("question")))


def _question(asked: Record) -> Iterator[str]:
    yield one_line(as_text(asked.get("question")))
    for option in as_list(asked.get("options"))[:_MOST_ENTRIES]:
        label = as_text(option) or as_text(as_dict(option).get("label"))
        description = as_text(as_dict(option).get("description"))
        yield one_line(f"- {label}: {description}" if description else f"- {label}")


def _tasks(value: object) -> Iterator[str]:
    for entry in as_list(value)[:_MOST_ENTRIES]:
        task = as_dict(entry)
        status = as_text(task.get("status")).casefold() if task else ""
        text = next((text for key in _TASK_TEXTS if (text := as_text(task.get(key)))), "")
        if text and (status or isinstance(task.get("done"), bool)):
            yield one_line(f"- [{'x' if status in _DONE or task.get('done') is True else ' '}] {text}")
