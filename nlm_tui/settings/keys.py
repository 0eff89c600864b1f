"""The settings by name: what each may be, and what it is where nobody says."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar, get_args

from nlm_tui.settings.keybindings import KeyBinding

EmbedderChoice = Literal["auto", "ollama", "bundled", "off"]
EMBEDDERS: Final[tuple[EmbedderChoice, ...]] = get_args(EmbedderChoice)
ExtractorChoice = Literal["rules", "ollama"]
EXTRACTORS: Final[tuple[ExtractorChoice, ...]] = get_args(ExtractorChoice)
MOST_CHUNKS: Final = 1_000_000

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
TRUE_OR_FALSE: Final = "true or false"
_TRUE: Final = ("true", "yes", "on", "1")
_FALSE: Final = ("false", "no", "off", "0")
_THEME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}")


class SettingsError(Exception):
    """Settings are not as they must be; each of `problems` says where it stands, what is wrong and what it may be.

    `own_keys` are what may be wrong besides: only the screen knows that.
    """

    def __init__(self, *problems: str, own_keys: Sequence[KeyBinding] = ()) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
        self.own_keys = tuple(own_keys)


@dataclass(frozen=True, slots=True)
class Key(Generic[T_co]):
    """One setting: a key of the settings file, and a variable of the environment that wins over it.

    `check` returns the value of what the file holds, `from_text` makes of a variable's text what the file would hold;
    both raise `ValueError`. `allowed` says in words what `check` takes.
    """

    name: str
    default: T_co
    check: Callable[[object], T_co]
    allowed: str
    description: str
    from_text: Callable[[str], object] = str
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return f"NLM_{self.name.upper()}"


def _one_of(choices: tuple[T, ...]) -> Callable[[object], T]:
    def check(value: object) -> T:
        for choice in choices:
            if value == choice:
                return choice
        raise ValueError

    return check


_embedder: Final[Callable[[object], EmbedderChoice]] = _one_of(EMBEDDERS)
_extractor: Final[Callable[[object], ExtractorChoice]] = _one_of(EXTRACTORS)


def _model(value: object) -> str:
    if isinstance(value, str) and _MODEL.fullmatch(value):
        return value
    raise ValueError


def _weight(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise ValueError


def _chunks(value: object) -> int | None:
    if value == "all":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_CHUNKS:
        return value
    raise ValueError


def truth(value: object) -> bool:
    """Return a value that is true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError


def _theme(value: object) -> str:
    if isinstance(value, str) and _THEME.fullmatch(value):
        return value
    raise ValueError


def _truth_of_text(text: str) -> bool:
    if text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    raise ValueError


def _whole_or_word(text: str) -> int | str:
    return text if text.isalpha() else int(text)


EMBEDDER: Final[Key[EmbedderChoice]] = Key(
    "embedder",
    default="auto",
    check=_embedder,
    allowed='"auto", "ollama", "bundled" or "off"',
    description="what turns text into vectors; auto: Ollama where it runs and has the model, else the bundled model",
    choices=EMBEDDERS,
)
OLLAMA_MODEL: Final[Key[str]] = Key(
    "ollama_model",
    default="nomic-embed-text",
    check=_model,
    allowed='the name of a model as `ollama list` prints it, such as "nomic-embed-text"',
    description="the embedding model to use in Ollama",
)
SEMANTIC_WEIGHT: Final[Key[float | None]] = Key(
    "semantic_weight",
    default=None,
    check=_weight,
    allowed="a number from 0 to 1",
    description="how much meaning counts beside words in hybrid recall; without it, what measured best",
    from_text=float,
)
CHUNKS: Final[Key[int | None]] = Key(
    "chunks",
    default=16,
    check=_chunks,
    allowed='a whole number from 1 to 1,000,000, or "all"',
    description="passages of a session that are turned into vectors",
    from_text=_whole_or_word,
    choices=("all",),
)
EXTRACTOR: Final[Key[ExtractorChoice]] = Key(
    "extractor",
    default="rules",
    check=_extractor,
    allowed='"rules" or "ollama"',
    description="what finds decisions, open questions and the rest; ollama: rules, and then a model in Ollama",
    choices=EXTRACTORS,
)
EXTRACTOR_MODEL: Final[Key[str]] = Key(
    "extractor_model",
    default="qwen3:4b-instruct",
    check=_model,
    allowed='the name of a model as `ollama list` prints it, such as "qwen3:4b-instruct"',
    description="the instruct model that is asked what a session comes to",
)
THEME: Final[Key[str | None]] = Key(
    "theme",
    default=None,
    check=_theme,
    allowed='the name of a theme, such as "nord"',
    description="how the screen looks until another theme is chosen in it",
)
HISTORY: Final[Key[bool]] = Key(
    "history",
    default=True,
    check=truth,
    allowed=TRUE_OR_FALSE,
    description="whether the queries that were used are kept",
    from_text=_truth_of_text,
)
REDUCED_MOTION: Final[Key[bool | None]] = Key(
    "reduced_motion",
    default=None,
    check=truth,
    allowed=TRUE_OR_FALSE,
    description="whether nothing blinks or glides; without it, so over SSH",
    from_text=_truth_of_text,
)
MOUSE: Final[Key[bool]] = Key(
    "mouse",
    default=True,
    check=truth,
    allowed=TRUE_OR_FALSE,
    description="whether the screen takes the mouse, or leaves it to the terminal",
    from_text=_truth_of_text,
)

KEYS: Final[tuple[Key[object], ...]] = (
    EMBEDDER,
    OLLAMA_MODEL,
    SEMANTIC_WEIGHT,
    CHUNKS,
    EXTRACTOR,
    EXTRACTOR_MODEL,
    THEME,
    HISTORY,
    REDUCED_MOTION,
    MOUSE,
)
"""All settings, in the order in which they are listed."""
