"""What the program needs to know about this machine and user, from the environment and one file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nlm_tui.settings.keybindings import KeyBinding
from nlm_tui.settings.keys import (
    CHUNKS,
    EMBEDDER,
    EXTRACTOR,
    EXTRACTOR_MODEL,
    HISTORY,
    KEYS,
    MOUSE,
    OLLAMA_MODEL,
    REDUCED_MOTION,
    SEMANTIC_WEIGHT,
    THEME,
    EmbedderChoice,
    ExtractorChoice,
    Key,
    SettingsError,
)
from nlm_tui.settings.places import (
    APP,
    CONFIG_VARIABLE,
    STORE_VARIABLE,
    config_path,
    default_log_path,
    default_store_path,
    is_store_named,
    state_path,
    store_path,
)
from nlm_tui.settings.sources import (
    RUNTIMES,
    GenericSettings,
    JsonlFields,
    MarkdownTurns,
    RuntimeSettings,
    SourceSettings,
)
from nlm_tui.settings.state import LastScreen, SavedQuery, State
from nlm_tui.settings.tables import Values
from nlm_tui.settings.values import read_settings

__all__ = [
    "APP",
    "CONFIG_VARIABLE",
    "KEYS",
    "RUNTIMES",
    "STORE_VARIABLE",
    "EmbedderChoice",
    "ExtractionSettings",
    "ExtractorChoice",
    "GenericSettings",
    "JsonlFields",
    "Key",
    "KeyBinding",
    "LastScreen",
    "MarkdownTurns",
    "RecallSettings",
    "RuntimeSettings",
    "SavedQuery",
    "ScreenSettings",
    "Settings",
    "SettingsError",
    "SourceSettings",
    "State",
    "config_path",
    "default_log_path",
    "default_store_path",
    "state_path",
]


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How text becomes vectors and how they count.

    `semantic_weight` None stands for what measured best, `chunks` None for all passages of a session.
    """

    embedder: EmbedderChoice = EMBEDDER.default
    ollama_model: str = OLLAMA_MODEL.default
    semantic_weight: float | None = SEMANTIC_WEIGHT.default
    chunks: int | None = CHUNKS.default

    @classmethod
    def of(cls, values: Values) -> "RecallSettings":
        """Return the settings among `values`."""
        return cls(values[EMBEDDER], values[OLLAMA_MODEL], values[SEMANTIC_WEIGHT], values[CHUNKS])


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """What finds what a session comes to: rules alone, or `extractor_model` after them."""

    extractor: ExtractorChoice = EXTRACTOR.default
    extractor_model: str = EXTRACTOR_MODEL.default

    @classmethod
    def of(cls, values: Values) -> "ExtractionSettings":
        """Return the settings among `values`."""
        return cls(values[EXTRACTOR], values[EXTRACTOR_MODEL])

    @property
    def asks_model(self) -> bool:
        """Whether a language model is asked."""
        return self.extractor != "rules"


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    """How the screen looks and listens; `keys` are the user's own.

    Nothing blinks or glides with `reduced_motion`. None stands for: over SSH, where each blink is sent, or where
    Textual is told to animate nothing.
    """

    theme: str | None = THEME.default
    history: bool = HISTORY.default
    reduced_motion: bool | None = REDUCED_MOTION.default
    mouse: bool = MOUSE.default
    keys: tuple[KeyBinding, ...] = ()

    @classmethod
    def of(cls, values: Values, keys: tuple[KeyBinding, ...]) -> "ScreenSettings":
        """Return the settings among `values`."""
        return cls(values[THEME], values[HISTORY], values[REDUCED_MOTION], values[MOUSE], keys)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the program needs to know about this machine and user.

    `source_problems` say what is wrong in what is said of sources, where nothing is to be read from them.
    """

    store_path: Path
    log_path: Path
    home: Path
    environ: Mapping[str, str]
    config_path: Path
    recall: RecallSettings = field(default_factory=RecallSettings)
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    screen: ScreenSettings = field(default_factory=ScreenSettings)
    sources: SourceSettings = field(default_factory=SourceSettings)
    source_problems: tuple[str, ...] = ()
    is_store_named: bool = False

    @property
    def state_path(self) -> Path:
        """Where the screen keeps what it remembers."""
        return state_path(self.environ)

    @property
    def reduces_motion(self) -> bool:
        """Whether nothing may blink or glide."""
        if self.screen.reduced_motion is not None:
            return self.screen.reduced_motion
        told = self.environ.get("TEXTUAL_ANIMATIONS", "").lower() == "none"
        return told or bool(self.environ.get("SSH_CONNECTION") or self.environ.get("SSH_TTY"))

    @classmethod
    def resolve(cls, environ: Mapping[str, str], store: Path | None = None, *, reads: bool = True) -> "Settings":
        """Return the settings; the store is `store`, else NLM_DB_PATH, else in the platform's data folder.

        Raises:
            SettingsError: the settings file, or a variable that stands for a key of it, is not as it must be; for who
                `reads` no sources, what is said of them need not be.
        """
        config = config_path(environ)
        given = read_settings(config, environ, reads=reads)
        return cls(
            store_path=store_path(environ, store),
            log_path=default_log_path(),
            home=Path.home(),
            environ=environ,
            config_path=config,
            recall=RecallSettings.of(given.values),
            extraction=ExtractionSettings.of(given.values),
            screen=ScreenSettings.of(given.values, given.key_bindings),
            sources=given.sources,
            source_problems=given.source_problems,
            is_store_named=is_store_named(environ, store),
        )
