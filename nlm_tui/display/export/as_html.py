"""Pages as HTML: one file that needs no other, runs nothing, and reads well by day and by night."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from itertools import groupby, zip_longest

from nlm_tui.display.export.pages import Entry, Page, Said, Section
from nlm_tui.display.markdown import Fence, closes, fence

_STYLE = """
:root {
  color-scheme: light dark; --ink: #1f2328; --soft: #57606a; --paper: #ffffff; --shade: #f0f2f4; --line: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0d1117; --shade: #1a2029; --line: #79b8ff; }
}
body { margin: 2rem auto; max-width: 52rem; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { line-height: 1.25; } h2 { margin-top: 2rem; } h3 { margin: 1.5rem 0 .25rem; color: var(--soft); font-size: 1rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
.text { white-space: pre-wrap; } .user { border-left: .2rem solid var(--line); padding-left: .8rem; }
.soft { color: var(--soft); }
pre { margin: .5rem 0; padding: .6rem .8rem; background: var(--shade); white-space: pre-wrap;
  font: .875rem/1.45 ui-monospace, monospace; }
"""
_POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


def session_html(page: Page) -> Iterator[str]:
    """Yield a session, piece by piece."""
    yield from _head(page.title)
    yield f"<h1>{escape(page.title)}</h1>\n<dl>"
    yield from (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in page.facts)
    yield "</dl>"
    for section in page.sections:
        yield f"<h2>{escape(section.heading)}</h2>"
        yield from _section(section)
    if page.conversation:
        yield "<h2>Conversation</h2>"
        for said in page.conversation:
            yield from _said(said)
    yield from _foot()


def list_html(title: str, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a list, piece by piece."""
    yield from _head(title)
    yield f"<h1>{escape(title)}</h1>\n<ul>"
    for entry in entries:
        name = f"<s>{escape(entry.title)}</s>" if entry.struck else f"<strong>{escape(entry.title)}</strong>"
        facts = f'<br><span class="soft">{escape(", ".join(entry.facts))}</span>' if entry.facts else ""
        yield f"<li>{name}{facts}"
        if entry.lines:
            yield "".join(("<ul>", *(f"<li>{escape(line)}</li>" for line in entry.lines), "</ul>"))
        yield "</li>"
    yield "</ul>"
    yield from _foot()


def _head(title: str) -> Iterator[str]:
    policy = _POLICY.format(b64encode(sha256(_STYLE.encode()).digest()).decode())
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=False)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"


def _foot() -> Iterator[str]:
    yield "</body>\n</html>"


def _section(section: Section) -> Iterator[str]:
    if section.is_text:
        yield from _prose(section.lines)
    elif section.heading == "Topics":
        yield f"<p>{escape(', '.join(section.lines))}</p>"
    else:
        tag = "s" if section.struck else "span"
        items = (
            f"<li><{tag}>{escape(line)}</{tag}>{escape(source)}</li>"
            for line, source in zip_longest(section.lines, section.sources, fillvalue="")
        )
        yield "".join(("<ul>", *items, "</ul>"))


def _said(said: Said) -> Iterator[str]:
    if said.role == "tool":
        yield f'<pre class="soft">{escape(said.text)}</pre>'
        return
    role = {"user": "user", "command": "user", "note": "soft"}.get(said.role, "agent")
    yield f'<div class="{role}">'
    if said.speaker:
        yield f"<h3>{escape(said.speaker)}</h3>"
    yield from _prose(said.text.split("\n"))
    yield "</div>"


def _prose(lines: Sequence[str]) -> Iterator[str]:
    """Yield text as it stands, blocks of code set apart."""
    for is_code, group in groupby(_told_apart(lines), key=lambda told: told[1]):
        text = escape("\n".join(line for line, _ in group).strip("\n"))
        if text:
            yield f"<pre><code>{text}</code></pre>" if is_code else f'<div class="text">{text}</div>'


def _told_apart(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it is code; fences are left out."""
    opened: Fence | None = None
    for line in lines:
        if opened is not None and closes(line, opened):
            opened = None
            yield "", False  # two blocks in a row stay two
        elif opened is None and (found := fence(line)) is not None:
            opened = found
            yield "", False
        else:
            yield line, opened is not None
