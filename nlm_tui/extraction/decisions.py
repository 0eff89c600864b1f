"""Decisions: what the user chose, accepted or ordered, with what was given up and why where it was said."""

import re
from collections.abc import Iterator, Sequence

from nlm_tui.core import Message
from nlm_tui.extraction.confirming import confirmations, confirmed
from nlm_tui.extraction.exchanges import Answer, Exchange, answers
from nlm_tui.extraction.found import Found
from nlm_tui.extraction.offers import Offer, Option, referred
from nlm_tui.extraction.prose import cut
from nlm_tui.extraction.replies import (
    ACCEPTS,
    APPROVES,
    CONTRASTS,
    DESCRIBES,
    HEDGES,
    ORDERS,
    REASONS,
    REFUSES,
    ROUTINE,
    STATUS,
    STRONG,
    TURNS,
    WANTS,
    Sentence,
    asks,
    puts_off,
)
from nlm_tui.extraction.words import content

LEAST_CONFIDENCE = 0.65  # below it more are wrong than one would trust
_LONGEST = 300
_FRAGMENT = 9  # words of a sentence without a verb
_HEAD, _GIVEN_UP, _REASON, _CONTEXT = 150, 80, 110, 130
_SAME, _REPLACED = 0.5, 0.3
_MARKED = 0.95
_LEADING = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|ok|okay|sure|right|so|then|well|hm+|nah|and|but|please|pls|perfect|great|good|fine"
    r"|all right|alright|ah|oh|actually|hang on|also|oh and|now|thanks|thank you|hmm wait|right so|yeah no"
    r"|no(?=[,.!:…]|\W+(?:no|not|i|we|it|don't|do|the)\b))\b[\s,.:;!…-]+)+",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|sure|ok|okay|do|it|that|this|one|please|go|ahead|for|with|the|first|second"
    r"|third|last|latter|former|of|these|option|number|variant|again|both|and|all|take|let's|i'd|say|like"
    r"|sounds|good|great|perfect|convincing|fine"
    r"|agreed|exactly|then|works|me|makes|sense|[a-e]|\d)\b\W*)+",
    re.IGNORECASE,
)


def find_decisions(messages: Sequence[Message], talk: Sequence[Exchange], marked: Sequence[Found]) -> list[Found]:
    """Return the decisions of a conversation that last, in order.

    It is given as messages and as exchanges; `marked` are those that are said to be decisions.
    """
    found = [*map(_answered, answers(messages))] if talk else []
    for exchange in talk:
        found += _decided(exchange)
    sure = [one for one in found if one.confidence >= LEAST_CONFIDENCE]
    kept = lasting(sorted((*marked, *sure), key=lambda one: one.message))
    lines = confirmations(messages) if found else []
    return [one if one in marked else confirmed(one, lines) for one in kept]


def lasting(found: Sequence[Found]) -> list[Found]:
    """Return those that nothing later takes back or repeats; of two that say the same, the surer one."""
    kept: list[Found] = []
    for one in found:
        repeated = [before for before in kept if _replaces(one, before)]
        kept = [before for before in kept if before not in repeated]
        kept.append(one if one.turns else max([one, *repeated], key=lambda each: each.confidence))
    return kept


def _replaces(one: Found, before: Found) -> bool:
    """Return whether one takes back, or repeats, what came before it; two that are marked as such both stand."""
    if one.turns:
        return one.likeness(before) >= _REPLACED
    return min(one.confidence, before.confidence) < _MARKED and one.likeness(before) >= _SAME


def _answered(answer: Answer) -> Found:
    chosen = [option for option in answer.options if option.title in answer.chosen]
    others = [option.title for option in answer.options if option not in chosen]
    head = "; ".join(map(str, chosen)) or answer.chosen
    text = _composed(f"{answer.question.rstrip('?:')}: {head}", others, "")
    return Found(text, answer.message, answer.chosen, 0.9)


def _decided(exchange: Exchange) -> Iterator[Found]:
    """Yield what one prompt decides."""
    said = _settled(exchange.said)
    chosen = False
    taken = -1  # the last sentence that belongs to what was yielded
    for place, (sentence, leads) in enumerate(said):
        if place <= taken or asks(sentence):
            continue
        reasons = _reasons(exchange, said, place)
        found = None
        if not chosen and place < 4:
            found = _choice(exchange, sentence, reasons) or (
                _accepted(exchange, sentence, reasons) if not place else None
            )
            chosen = found is not None
        if found is None:
            answering = leads or (taken < 0 and place < 3)
            confidence = _confidence(exchange, sentence, answering=answering)
            if confidence >= LEAST_CONFIDENCE:
                found = _stated(exchange, sentence, _around(said, place, taken, reasons), confidence)
        if found is not None and (STRONG.search(sentence) or not puts_off(sentence)):
            taken = place + len(reasons)
            yield found


def _around(said: Sequence[Sentence], place: int, taken: int, reasons: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return what is said before a sentence that follows from it or says too little alone, and its reasons."""
    sentence, leads = said[place]
    before = said[place - 1].text if place and not leads and place - 1 > taken else ""
    if before and (asks(before) or not (_FOLLOWS.match(sentence) or len(content(sentence)) < 3)):
        before = ""
    return before, reasons


_FOLLOWS = re.compile(r"\W*(?:so|then|therefore|hence|that's why)\b", re.IGNORECASE)


def _reasons(exchange: Exchange, said: Sequence[Sentence], place: int) -> list[str]:
    """Return what is said behind a sentence in the same line and decides nothing itself."""
    reasons: list[str] = []
    for sentence, leads in said[place + 1 : place + 3]:
        if leads or asks(sentence) or puts_off(sentence) or ROUTINE.match(sentence) or STATUS.match(sentence):
            break
        if not _DENIES.match(sentence) and _confidence(exchange, sentence, answering=False) >= LEAST_CONFIDENCE:
            break
        reasons.append(sentence)
    return reasons


_DENIES = re.compile(r"\W*(?:and |but )?(?:no|not|never|nobody)\b", re.IGNORECASE)


def _settled(said: Sequence[Sentence]) -> Sequence[Sentence]:
    """Return what is said after the last change of mind inside one line of a prompt."""
    start = 0
    for place, (sentence, leads) in enumerate(said):
        if not leads and place > 1 and _REVISES.match(sentence):
            start = place
    return said[start:]


_REVISES = re.compile(
    r"\W*(?:although|yeah no|no[,.]|nah\b|hmm? wait|wait\b|actually|on (?:the other hand|second thoughts?)"
    r"|scratch that|never ?mind|hang on|no wait|come to think)",
    re.IGNORECASE,
)


def _choice(exchange: Exchange, sentence: str, reasons: Sequence[str]) -> Found | None:
    options = exchange.offer.options
    if (
        not options
        or (REFUSES.match(sentence) and not re.match(r"\W*no[,.]", sentence, re.IGNORECASE))
        or HEDGES.search(sentence)
    ):
        return None
    if _JUDGES.match(sentence):
        return None
    chosen = referred(sentence, options)
    if not chosen and not _NEGATES.search(sentence):
        chosen = _meant(sentence, options)
    if not chosen:
        return None
    head = "; ".join(cut(str(option), _HEAD) for option in chosen)
    others = [option.title for option in options if option not in chosen]
    own = [_own(one) for one in (sentence, *reasons)]
    text = _composed(head, others, ". ".join(filter(None, own)))
    return Found(text, exchange.message, sentence, 0.85, turns=bool(TURNS.search(sentence)))


# What begins with an option and goes on with a verb says how it is, not that it is chosen.
_JUDGES = re.compile(
    r"\W*(?:(?:option|variant|proposal|number) )?(?:[a-e]|[1-9])\s+(?:doesn't|does|is|isn't|was|can't|can|would|won't"
    r"|will"
    r"|has|needs?|means|looks|sounds|seems|breaks|costs)\b",
    re.IGNORECASE,
)
_NAMES_OPTION = re.compile(
    r"\b(?:option|proposal|variant|your (?:first|second|third|last"
    r"|other) \w+)\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(r"\b(?:no|not|never|don't|doesn't|without|nobody|hell|isn't|won't)\b", re.IGNORECASE)


def _meant(sentence: str, options: Sequence[Option]) -> list[Option]:
    """Return the one option whose own words a sentence uses."""
    words = content(sentence)
    bags = [content(str(option)) for option in options]
    own = [words & (bag - frozenset[str]().union(*(other for other in bags if other is not bag))) for bag in bags]
    named = [place for place, shared in enumerate(own) if shared]
    if len(named) != 1:
        return []
    shared, option = own[named[0]], options[named[0]]
    return [option] if (len(shared) > 1 or len(words) < 3) and shared & content(option.title) else []


def _accepted(exchange: Exchange, sentence: str, reasons: Sequence[str]) -> Found | None:
    """Return the proposal that a user accepts."""
    offer = exchange.offer
    if not ACCEPTS.match(sentence) or not (offer.asks or offer.proposals):
        return None
    proposal = str(offer.favourite) if offer.favourite else _proposal(offer)
    if not proposal:
        return None
    others = [option.title for option in offer.others([offer.favourite])] if offer.favourite else []
    own = [_own(one) for one in (sentence, *reasons)]
    text = _composed(cut(proposal, _HEAD + 60), others, ". ".join(filter(None, own)))
    named = 0.15 * bool(content(sentence) & content(proposal))
    return Found(text, exchange.message, sentence, 0.75 if offer.favourite else 0.55 + named)


def _proposal(offer: Offer) -> str:
    telling = [one for one in offer.proposals if len(content(one)) > 2 and not _CONDITION.search(one)]
    return telling[-1] if telling else ""


_CONDITION = re.compile(r"\b(?:if|unless|in case|provided)\b", re.IGNORECASE)


def _own(sentence: str) -> str:
    """Return what a sentence adds to a choice; nothing where it only chooses."""
    return "" if _BARE.fullmatch(sentence) else _LEADING.sub("", sentence).strip(" .")


def _confidence(exchange: Exchange, sentence: str, *, answering: bool) -> float:
    """Return how sure it is that a sentence decides something."""
    if exchange.first:
        return 0.0
    own = _LEADING.sub("", sentence) or sentence
    wants, strong, orders = bool(WANTS.search(own)), bool(STRONG.search(own)), ORDERS.match(own) is not None
    short = len(own.split()) <= _FRAGMENT and not _FINITE.search(own)
    approves = APPROVES.search(own) is not None
    if not (wants or orders or strong or short or approves) or (STATUS.match(own) and not (wants or strong)):
        return 0.0
    if ROUTINE.match(own) and not (wants and strong):
        return 0.0
    value = 0.2 * wants + 0.2 * orders + 0.15 * strong + 0.1 * bool(CONTRASTS.search(own))
    value += 0.05 * bool(REASONS.search(sentence)) + 0.1 * bool(REFUSES.match(sentence))
    value -= 0.35 * bool(HEDGES.search(own)) + 0.25 * bool(DESCRIBES.search(own) and not (orders or strong))
    words = content(own)
    answering = answering and exchange.offer.asks
    near = len(words & exchange.offer.words)
    fragment, approves = answering and near > 0 and short, answering and near > 0 and approves
    if not words or (value <= 0 and not (fragment or approves)) or (len(words) < 2 and not (near or orders)):
        return 0.0
    value += 0.3 if answering else 0.1
    value += 0.25 * fragment + 0.2 * approves + 0.1 * (near >= 0.3 * len(words))
    return round(value, 2)


_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|can|will|would|it's|that's|i'm|we're|don't|isn't|looks|works"
    r"|says|seems|i|we)\b",
    re.IGNORECASE,
)


def _stated(exchange: Exchange, sentence: str, around: tuple[str, Sequence[str]], confidence: float) -> Found:
    before, reasons = around
    own = _LEADING.sub("", sentence).strip() or sentence
    parts = [before, own, *reasons]
    text = cut(". ".join(_LEADING.sub("", part).strip(" .") for part in parts if part), _HEAD + 90)
    context = _context(exchange, " ".join(parts))
    if context and len(text) + 30 < _LONGEST:
        text = f"{text} ({cut(context, min(_CONTEXT, _LONGEST - len(text) - 3))})"
    about = content(" ".join((own, *reasons)))
    return Found(_capital(text), exchange.message, sentence, confidence, about, turns=bool(TURNS.search(sentence)))


def _context(exchange: Exchange, own: str) -> str:
    """Return what a sentence answers or what was made of it: what helps to understand it alone."""
    words = content(own)
    statements = exchange.offer.statements
    candidates = [*exchange.offer.questions[-2:], *exchange.followed_by[:2], *statements[-10:]]
    best = max(candidates, key=lambda one: (len(content(one) & words), -len(one)), default="")
    if content(best) & words:
        return best.rstrip(" .")
    if not exchange.offer.questions or own.casefold() not in exchange.said[0].text.casefold():
        return ""
    question = exchange.offer.questions[-1]
    place = statements.index(question) if question in statements else 0
    return f"{statements[place - 1]} {question}" if place else question


def _composed(head: str, given_up: Sequence[str], reason: str) -> str:
    text = cut(head.rstrip(" ."), _HEAD + 60)
    if given_up:
        text += f" (not {cut(' / '.join(one.rstrip(' .') for one in given_up), _GIVEN_UP)})"
    if reason:
        text += f": {cut(reason, max(20, min(_REASON, _LONGEST - len(text) - 2)))}"
    return _capital(cut(text, _LONGEST))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].islower() and text.split(" ", 1)[0].isalpha() else text
