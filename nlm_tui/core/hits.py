"""Sessions as hits: where the words of the query stand in them, and the passage that matches best."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from textwrap import shorten

from nlm_tui.core.chunking import HEAD, field_text
from nlm_tui.core.matching import Matcher, fold, matcher, query_matcher
from nlm_tui.core.model import Session
from nlm_tui.core.parts import plain_spelling
from nlm_tui.core.ports import Place
from nlm_tui.core.query import RecallQuery
from nlm_tui.core.result import RecallHit, Scores, Term
from nlm_tui.core.safe import display_safe, one_line
from nlm_tui.core.secrets import mask
from nlm_tui.core.spelling import distance
from nlm_tui.core.tokens import keyword_match_fields, token_set, unfinished_token

_EXACT = 0.5  # what a word as it was typed counts beside the same word in any form
_FEW_WORDS = 0.3  # of the query: a passage with so few does not say why a session is near in meaning
_LONGEST = 240  # characters of a passage that is near in meaning


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a query, to be found again in its hits: as the store looked for them or, unknown, as tokens.

    `telling` leaves out those that nearly every session holds, unless there are no others.
    """

    tokens: frozenset[str]
    unfinished: str
    matcher: Matcher
    telling: Matcher
    typed: frozenset[str]
    exactly: bool

    @classmethod
    def of(
        cls, query: RecallQuery, text: str = "", terms: tuple[Term, ...] = (), common: tuple[str, ...] = ()
    ) -> "Words":
        """Return the words of `query`, whose text with phrases is `text`, and which was looked for as `terms`."""
        unfinished = unfinished_token(query.query) if query.typing else ""
        words = matcher(terms) if terms else query_matcher(text, typing=query.typing)
        telling = matcher(tuple(term for term in terms if term.typed not in common)) if common else words
        typed = frozenset(fold(term.typed) for term in terms)
        return cls(token_set(text), unfinished, words, telling or words, typed, exactly=not terms)

    def share(self, different: int, passage: str) -> float:
        """Return which share of the words a passage holds that holds so many; another form of a word counts less."""
        surfaces = {fold(passage[start:end]) for start, end in self.telling.spans(passage)}
        exact = len(self.typed.intersection(surfaces))
        wanted = max(len(self.telling.wanted), 1)
        return min((different + _EXACT * exact) / ((1 + _EXACT) * wanted), 1.0)

    def fields(self, session: Session) -> tuple[str, ...]:
        """Return which of label, decisions, open, summary and note, in this order, hold any of the words."""
        if self.exactly:
            return keyword_match_fields(session, self.tokens, self.unfinished)
        fields = (
            ("label", (session.label,)),
            ("decisions", session.decisions),
            ("open", session.open),
            ("summary", (session.summary,)),
            ("note", (session.note,)),
        )
        return tuple(name for name, texts in fields if any(map(self.matcher.occurs, texts)))


@dataclass(frozen=True, slots=True)
class Passage:
    """The passage of a session that matches best: where it stands, its text, and which share of the words it holds."""

    field: str | None
    text: str
    share: float


def best_passage(session: Session, words: Words) -> Passage:
    """Return the passage with the most different words of the query; decisions first among equals, else the summary."""
    texts = (
        *(("decisions", text) for text in session.decisions),
        *(("open", text) for text in session.open),
        ("note", session.note),
        ("summary", session.summary),
        ("conversation", session.body),
    )
    names = (
        ("topics", "  ".join(session.entities)),
        ("project", session.project or ""),
        ("branch", session.branch or ""),
    )
    best = _best_of(texts, words.telling) or _best_of(names, words.telling)
    if best is None and words.telling is not words.matcher:
        return best_passage(session, replace(words, telling=words.matcher))
    label = words.telling.best_passage(session.label)
    share = max(words.share(found[0], found[-1]) for found in (best, label, (0, "")) if found)
    return Passage(best[1], best[2], share) if best else Passage(None, session.summary, share)


def _best_of(fields: Iterable[tuple[str, str]], words: Matcher) -> tuple[int, str, str] | None:
    """Return how many words the best passage of any field holds, its field and its text; the first of equal ones."""
    best: tuple[int, str, str] | None = None
    for field, text in fields:
        found = words.best_passage(text)
        if found is not None and (best is None or found[0] > best[0]):
            best = (found[0], field, found[1])
            if found[0] == len(words.wanted):
                break  # no other can hold more, and the conversation is long
    return best


def make_hit(session: Session, scores: Scores, words: Words, passage: Passage, near: Place | None = None) -> RecallHit:
    """Return `session` as a hit; all text in it is safe to show. `near` is where it is closest in meaning.

    That is the passage to show where few words of the query stand in any.
    """
    matched_in = words.fields(session)
    nearest = field_text(session, near.field)[near.start : near.end] if near is not None else ""
    if near is not None and nearest and (passage.field is None or passage.share < _FEW_WORDS):
        passage = _near_passage(session, near.field, nearest, passage.share)
    return RecallHit(
        id=session.id,
        runtime=one_line(session.runtime),
        started_at=session.started_at,
        label=one_line(session.label),
        summary=display_safe(session.summary),
        entities=tuple(map(one_line, session.entities)),
        decisions=tuple(map(one_line, session.decisions)),
        open=tuple(map(one_line, session.open)),
        status=session.status,
        match_score=scores.match,
        matched_in=matched_in if scores.semantic is None else (*matched_in, "semantic"),
        keyword_score=scores.keyword,
        semantic_score=scores.semantic,
        ended_at=session.ended_at,
        duration_min=session.duration_min,
        project=one_line(session.project) if session.project else None,
        branch=one_line(session.branch) if session.branch else None,
        model=one_line(session.model) if session.model else None,
        parent_id=session.parent_id,
        source_gone=session.source_gone,
        snippet=one_line(passage.text),
        snippet_field=passage.field,
        approximate=scores.approximate,
        passage=passage.share,
        near=display_safe(nearest),
        pinned=session.pinned,
        hidden=session.hidden,
        subagents=session.subagents,
        note=display_safe(session.note),
    )


def _near_passage(session: Session, field: str, nearest: str, share: float) -> Passage:
    """Return what is near in meaning as the passage to show; of what names a session, its summary."""
    field, text = ("summary", session.summary or nearest) if field == HEAD else (field, nearest)
    return Passage(field, shorten(one_line(text), _LONGEST, placeholder="\N{HORIZONTAL ELLIPSIS}"), share)


def masked(hits: tuple[RecallHit, ...]) -> tuple[RecallHit, ...]:
    """Return `hits` with the secrets in their texts masked."""
    everything = "\n".join(text for hit in hits for text in _texts(hit))
    if mask(everything) is everything:  # nearly always, and one look at all is much cheaper than one at each
        return hits
    return tuple(map(_masked, hits))


def _texts(hit: RecallHit) -> tuple[str, ...]:
    named = (hit.project or "", hit.branch or "", hit.model or "", hit.note)
    return (hit.label, hit.summary, hit.snippet, hit.near, *named, *hit.entities, *hit.decisions, *hit.open)


def _masked(hit: RecallHit) -> RecallHit:
    return replace(
        hit,
        label=mask(hit.label),
        summary=mask(hit.summary),
        snippet=mask(hit.snippet),
        near=mask(hit.near),
        note=mask(hit.note),
        project=hit.project and mask(hit.project),
        branch=hit.branch and mask(hit.branch),
        model=hit.model and mask(hit.model),
        entities=tuple(map(mask, hit.entities)),
        decisions=tuple(map(mask, hit.decisions)),
        open=tuple(map(mask, hit.open)),
    )


def as_written(term: Term, hits: Iterable[RecallHit]) -> Term:
    """Return an approximate term with the word of its stem in the hits that is nearest to what was typed."""
    words = matcher((term,))
    texts = (text for hit in hits for text in (hit.label, hit.snippet, *hit.decisions, *hit.open))
    found = Counter(text[start:end].lower() for text in texts for start, end in words.spans(text))
    if not found:
        return term
    typed = plain_spelling(term.typed)
    return replace(term, text=min(found, key=lambda word: (distance(plain_spelling(word), typed), -found[word], word)))
