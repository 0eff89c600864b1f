"""Which theme the screen has, and its colours made readable."""

from collections.abc import Iterable, Mapping
from typing import Final

from textual.color import Color
from textual.theme import Theme

TEXT: Final = 4.5
MUTED: Final = 3.0
"""The least contrast of text and of what matters less, as WCAG counts it."""

_GROUNDS: Final = ("background", "surface", "panel")
_TEXTS: Final = (
    "foreground",
    "text-primary",
    "text-secondary",
    "text-accent",
    "text-warning",
    "text-error",
    "text-success",
    "footer-key-foreground",
)
_CURSORS: Final = ("primary-muted", "error-muted")  # rows and chips on which the colour of text follows by itself
_STEPS: Final = 20
_ENOUGH: Final = TEXT + 0.5  # greys in place of colours take some of it
_BLACK, _WHITE = Color(0, 0, 0), Color(255, 255, 255)
_ANSI: Final = {
    # Blue is hardly readable on black, nor is cyan on white; what is selected is reversed, as the terminal does it.
    True: {"text-primary": "ansi_cyan", "text-secondary": "ansi_bright_cyan", "text-accent": "ansi_green"},
    False: {"text-primary": "ansi_blue", "text-secondary": "ansi_magenta", "text-accent": "ansi_magenta"},
}
_ROWS: Final = {"row-foreground": "auto 100%", "row-text-style": "none", "marked-text-style": "bold"}
_REVERSED: Final = {
    "row-foreground": "ansi_default",
    "row-text-style": "reverse",
    "marked-text-style": "bold reverse",
    "primary-muted": "ansi_default",
    "error-muted": "ansi_default",
    "text-muted": "ansi_default",
    "text-disabled": "ansi_default",
}


def contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG counts it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def with_contrast(variables: Mapping[str, str], theme: Theme) -> dict[str, str]:
    """Return the colours of a theme, those that are too faint a little darker or lighter.

    `row-foreground` and the two styles are for text of what is selected, or stands out by what is behind it.
    """
    if theme.ansi:
        # Textual's own lists know no reverse.
        front, behind = ("ansi_black", "ansi_white") if theme.dark else ("ansi_white", "ansi_black")
        cursor = {f"block-cursor{blurred}-foreground": front for blurred in ("", "-blurred")}
        cursor |= {f"block-cursor{blurred}-background": behind for blurred in ("", "-blurred")}
        return {**variables, **_ANSI[theme.dark], **_REVERSED, **cursor}
    changed = {**variables, **_ROWS}
    behind = [Color.parse(variables[name]) for name in _GROUNDS]
    for name in _TEXTS:
        changed[name] = readable(Color.parse(variables[name]), behind).hex
    for name in _CURSORS:
        changed[name] = _behind(None, Color.parse(variables[name]), behind[0]).hex
    cursor = Color.parse(variables["block-cursor-background"])
    changed["block-cursor-foreground"] = readable(_on(cursor, variables["block-cursor-foreground"]), [cursor]).hex
    # A list that is moved in from the box beside it has no focus, and yet its cursor is the one that counts.
    text = Color.parse(changed["foreground"])
    changed["block-cursor-blurred-background"] = _behind(text, Color.parse(changed["primary-muted"]), behind[1]).hex
    changed["block-cursor-blurred-foreground"] = changed["foreground"]
    changed["text-disabled"] = variables["text-muted"]  # proposals and what cannot be chosen are to be read, too
    return changed


def readable(colour: Color, behind: Iterable[Color]) -> Color:
    """Return `colour`, blended with black or white as far as it needs to be read on all of these."""
    grounds = list(behind)
    towards = max((_BLACK, _WHITE), key=lambda end: min(contrast(end, ground) for ground in grounds))
    for step in range(_STEPS + 1):
        blended = colour.blend(towards, step / _STEPS, alpha=1.0)
        if all(contrast(blended, ground) >= _ENOUGH for ground in grounds):
            return blended
    return towards


def _on(ground: Color, text: str) -> Color:
    """Return the colour of text on `ground`; `auto` is the one that stands out there."""
    if text.startswith("auto"):
        return ground.get_contrast_text(1.0)
    return ground + Color.parse(text)


def _behind(text: Color | None, ground: Color, background: Color) -> Color:
    """Return `ground`, blended with the background as far as `text` needs; None is text whose colour follows."""
    for step in range(_STEPS + 1):
        blended = ground.blend(background, step / _STEPS, alpha=1.0)
        if contrast(text or blended.get_contrast_text(1.0), blended) >= _ENOUGH:
            return blended
    return background


def chosen_theme(
    environ: Mapping[str, str], kept: str, configured: str | None, known: Iterable[str]
) -> tuple[str, str]:
    """Return the theme to begin with, '' for the default one, and what to say of one that there is not.

    TEXTUAL_THEME comes first, then what was chosen last, then what the settings say.
    """
    names = sorted(known)
    problem = ""
    for source, name in (
        ("TEXTUAL_THEME", environ.get("TEXTUAL_THEME", "")),
        ("the theme chosen last", kept),
        ("the settings' theme", configured or ""),
    ):
        for one in filter(None, (part.strip() for part in name.split(","))):
            if one in names:
                return one, problem
        if name:
            problem = problem or f'{source}, "{name}", is none; there are {", ".join(names)}'
    return "", problem


def ansi_variant(name: str, known: Mapping[str, Theme]) -> str:
    """Return the theme of the terminal's own 16 colours that is as dark as the theme `name`.

    Where there are no more colours, those of another theme fall together.
    """
    return "ansi-dark" if known[name].dark else "ansi-light"
