"""Which files of Claude Code are of one session, and which begin with the history of another."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nlm_tui.core import one_line, storable
from nlm_tui.ingest.changes import distinct
from nlm_tui.ingest.ports import Source
from nlm_tui.runtimes.claude.heads import Heads, Trail


@dataclass(frozen=True, slots=True)
class Place:
    """A file with its name but for the ending, and the project folder it is in or below.

    `session` is the one it is a subagent of, where its path says so.
    """

    source: Source
    folder: Path
    stem: str
    session: str = ""

    @property
    def is_agent(self) -> bool:
        """Whether it is of a subagent."""
        return self.stem.startswith("agent-")

    @property
    def key(self) -> tuple[str, str]:
        """What the files of one session have in common; a subagent's beside its session has nothing."""
        return (self.session, self.stem) if self.session or not self.is_agent else (str(self.folder), self.stem)


@dataclass(frozen=True, slots=True)
class Relation:
    """What other files make of one.

    `twin` goes behind the id of the session, or of the one that it is a subagent of, where another has the same. A
    `copy_of` another file of its session has nothing that this lacks. `shared` are the ids of records that another
    file had first, and `forked_from` is the session of that. A file that is not `settled` may be related otherwise
    once it grows.
    """

    twin: str = ""
    copy_of: Path | None = None
    shared: Collection[str] = ()
    forked_from: str = ""
    settled: bool = True


class Relations:
    """The relations between files that were found together."""

    def __init__(self, places: Sequence[Place], heads: Heads) -> None:
        self._heads = heads
        self._found = places
        self._places: dict[Path, Place] = {}
        self._groups: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
        self._standing: dict[tuple[str, str], list[Place]] = {}
        self._agents: defaultdict[str, list[Place]] = defaultdict(list)
        self._folders: defaultdict[Path, list[Place]] = defaultdict(list)
        self._alike: dict[Path, dict[str, list[Place]]] = {}
        by_path = {place.source.path: place for place in places}
        firsts = {source.file: by_path[source.path] for source in distinct(place.source for place in places)}
        for place in places:
            first = firsts[place.source.file] if place.source.file else place
            self._places[place.source.path] = first
            if first is place:
                self._groups[place.key].append(place)
                (self._agents[place.stem] if place.is_agent else self._folders[place.folder]).append(place)

    def __contains__(self, path: Path) -> bool:
        """Whether the file was found."""
        return path in self._places

    def sources(self) -> Iterator[Source]:
        """Yield the files, but not what a session left where it was moved from.

        Those whose session has others carry what is known of these in their salt.
        """
        for place in self._found:
            keys = [key for key in (place.key, ("", place.session)) if len(self._groups.get(key, ())) > 1]
            if not keys:
                yield place.source
            elif self._begins(place) is not None or not self._spoken(place.key):
                yield replace(place.source, salt="".join(map(self._salt, keys)))

    def session_of(self, path: Path) -> str:
        """Return the session that a file's path makes it a subagent of, '' for none."""
        place = self._places.get(path)
        return place.session if place else ""

    def of(self, path: Path) -> Relation:
        """Return the relation of a file to the others."""
        place = self._places.get(path)
        if place is None:
            return Relation()
        begins = self._begins(place)
        twin = self._twin(place)
        if begins is None:
            return Relation(twin, settled=False)
        if place not in self._standing_of(place.key):
            return Relation(twin, copy_of=self._whole(place).source.path)
        alike = {place, *self._relatives(place, begins)}
        return self._shares(place, sorted(alike, key=self._rank), twin) if len(alike) > 1 else Relation(twin)

    def _shares(self, place: Place, ranked: list[Place], twin: str) -> Relation:
        trails = {other: self._trail(other) for other in ranked}
        own = trails.pop(place)
        last = _last(own)
        settled = not any(last in trail for trail in trails.values())
        earlier = ranked[: ranked.index(place)]
        shared = {other: {uuid for uuid, _ in own.items() & trails[other].items()} for other in earlier}
        common = frozenset[str]().union(*shared.values())
        if not common:
            return Relation(twin, settled=settled)
        nearest = max(reversed(earlier), key=lambda other: len(shared[other]))
        return Relation(twin, shared=common, forked_from=self._session_id(nearest), settled=settled)

    def _relatives(self, place: Place, begins: str) -> Iterator[Place]:
        """Yield files that begin with the same record, and the session that a subagent knows the conversation of."""
        if place.is_agent:
            for other in self._agents[place.stem]:
                if begins and self._begins(other) == begins and other in self._standing_of(other.key):
                    yield other
            parent = self._parent(place)
            is_named = "-" in place.stem.removeprefix("agent-")
            if parent and (is_named or (begins and self._begins(parent) == begins)):
                yield parent
        elif begins:
            for other in (*self._alike_in(place.folder).get(begins, ()), *self._groups[place.key]):
                if self._begins(other) == begins and other in self._standing_of(other.key):
                    yield other

    def _alike_in(self, folder: Path) -> dict[str, list[Place]]:
        if folder not in self._alike:
            alike: dict[str, list[Place]] = {}
            for place in self._folders[folder]:
                alike.setdefault(self._begins(place) or "", []).append(place)
            self._alike[folder] = alike
        return self._alike[folder]

    def _parent(self, place: Place) -> Place | None:
        """Return the session of a subagent: that of its folder, or what was moved elsewhere."""
        standing = self._standing_of(("", place.session)) if place.session else []
        here = (other for other in standing if other.folder == place.folder)
        return next(here, standing[0] if standing else None)

    def _standing_of(self, key: tuple[str, str]) -> list[Place]:
        """Return the conversations of one id, but those that are all in another; the first keeps the id."""
        if key not in self._standing:
            spoken = self._spoken(key)
            if len(spoken) > 1:
                families: defaultdict[str, list[Place]] = defaultdict(list)
                for place in sorted(spoken, key=self._age):
                    families[self._begins(place) or str(place.source.path)].append(place)
                spoken = [place for family in families.values() for place in self._complete(family)]
            self._standing[key] = spoken
        return self._standing[key]

    def _complete(self, family: list[Place]) -> Iterator[Place]:
        """Yield files that begin alike, but those that another one goes on from."""
        if len(family) == 1:
            yield from family
            return
        ranked = sorted(family, key=self._rank)
        trails = list(map(self._trail, ranked))
        lasts = list(map(_last, trails))
        for number, place in enumerate(ranked):
            holders = [other for other, trail in enumerate(trails) if lasts[number] in trail and other != number]
            if all(other > number and lasts[other] in trails[number] for other in holders):
                yield place

    def _whole(self, place: Place) -> Place:
        """Return the file that has all of one that does not stand by itself."""
        standing, last = self._standing_of(place.key), _last(self._trail(place))
        return next((other for other in standing if last in self._trail(other)), standing[0])

    def _twin(self, place: Place) -> str:
        if place.is_agent:
            parent = self._parent(place)
            return self._twin(parent) if parent else ""
        standing = self._standing_of(place.key)
        if place in standing[1:]:
            return "_" + hashlib.sha256(storable(place.folder.name).encode()).hexdigest()[:8]
        return ""

    def _session_id(self, place: Place) -> str:
        if place.is_agent and not place.session:
            return ""
        return session_id(place.stem, place.session, self._twin(place))

    def _spoken(self, key: tuple[str, str]) -> list[Place]:
        return [place for place in self._groups.get(key, ()) if self._begins(place) is not None]

    def _salt(self, key: tuple[str, str]) -> str:
        spoken = sorted((str(place.source.path), *self._age(place)[:1]) for place in self._spoken(key))
        return hashlib.sha256(storable(repr(spoken)).encode()).hexdigest()[:16] if len(spoken) > 1 else ""

    def _begins(self, place: Place) -> str | None:
        head = self._heads.head(place.source)
        return None if head is None else head.key

    def _age(self, place: Place) -> tuple[str, str, str]:
        head = self._heads.head(place.source)
        return (head.at if head else "", place.folder.name, str(place.source.path))

    def _trail(self, place: Place) -> Trail:
        return self._heads.trail(place.source.path)

    def _rank(self, place: Place) -> tuple[bool, bool, list[tuple[str, str]], str]:
        """Return what the one that had a record first comes first by: histories that go on behind it, in time."""
        head = self._heads.head(place.source)
        records = [(at, uuid) for uuid, at in self._trail(place).items()]
        return place.is_agent, bool(head and head.is_copy), records, str(place.source.path)


def session_id(stem: str, parent: str, twin: str) -> str:
    """Return the id of a session, or of a subagent of `parent`."""
    if parent:
        return f"cc_sub_{one_line(parent)}{twin}_{stem.removeprefix('agent-')}"
    return f"cc_{stem}{twin}"


def _last(trail: Trail) -> str:
    return next(reversed(trail), "")
