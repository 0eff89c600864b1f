"""The tokens that services give out, as far as their form tells them from all other text."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

_WORD = "[A-Za-z0-9_-]"
_HEX = "[0-9a-f]"
_ALNUM = "[A-Za-z0-9]"

# What stays visible of a token, and what follows it. Both are regular expressions.
_KINDS: Final[tuple[tuple[str, str], ...]] = (
    ("gh[opusr]_", f"{_ALNUM}{{20,}}"),  # GitHub
    ("github_pat_", "[A-Za-z0-9_]{22,}"),
    ("gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|sat|soat)-", rf"{_WORD}{{20,}}(?:\.{_WORD}+){{0,4}}"),  # GitLab
    ("sk-(?:proj|svcacct|admin|None)-", f"{_WORD}{{20,}}"),  # OpenAI
    ("sk-ant-(?:[a-z]{2,8}[0-9]{2}-)?", f"{_WORD}{{20,}}"),  # Anthropic
    ("sk-or-v[0-9]-", f"{_HEX}{{32,}}"),  # OpenRouter
    ("sk-lf-", f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"),  # Langfuse
    ("sk-", f"{_ALNUM}{{20,}}"),  # OpenAI, DeepSeek and others
    ("sk_", f"{_HEX}{{40,}}"),  # ElevenLabs
    ("[sr]k_(?:live|test)_", f"{_ALNUM}{{16,}}"),  # Stripe
    ("whsec_", f"{_ALNUM}{{20,}}[A-Za-z0-9+/=]*+"),
    ("A[KS]IA", "[A-Z2-7]{16}"),  # Amazon
    ("A(?:BIA|CCA)", "[A-Z2-7]{16}"),
    ("ABSK", f"{_ALNUM}{{20,}}[A-Za-z0-9+/=]{{60,}}"),
    ("AIza", f"{_WORD}{{35,}}"),  # Google
    ("GOCSPX-", f"{_WORD}{{20,}}"),
    ("xox[abeoprs]-", f"{_WORD}{{15,}}"),  # Slack
    ("xapp-", f"{_WORD}{{20,}}"),
    ("npm_", f"{_ALNUM}{{30,}}"),
    ("pypi-", f"AgE{_WORD}{{40,}}"),
    ("hf_", f"{_ALNUM}{{30,}}"),  # Hugging Face
    ("api_org_", f"{_ALNUM}{{30,}}"),
    ("SK", f"{_HEX}{{32}}"),  # Twilio
    ("key-", f"{_HEX}{{32}}"),  # Mailgun
    ("do[opr]_v1_", f"{_HEX}{{64}}"),  # DigitalOcean
    ("shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}"),  # Shopify
    ("sq0(?:atp|csp)-", f"{_WORD}{{22,}}"),  # Square
    ("EAA", f"{_ALNUM}{{80,}}"),  # Facebook
    ("gsk_", f"{_ALNUM}{{40,}}"),  # Groq
    ("xai-", f"{_ALNUM}{{40,}}"),
    ("pplx-", f"{_ALNUM}{{40,}}"),  # Perplexity
    ("r8_", f"{_ALNUM}{{37}}"),  # Replicate
    ("nvapi-", f"{_WORD}{{40,}}"),  # Nvidia
    ("tvly-", f"{_WORD}{{20,}}"),  # Tavily
    ("pcsk_", "[A-Za-z0-9_]{40,}"),  # Pinecone
    ("lsv2_(?:pt|sk)_", "[0-9a-f_]{32,}"),  # LangSmith
    ("dapi", f"{_HEX}{{32}}(?:-[0-9])?"),  # Databricks
    ("lin_api_", f"{_ALNUM}{{40}}"),  # Linear
    ("ntn_", f"{_ALNUM}{{40,}}"),  # Notion
    ("secret_", f"{_ALNUM}{{43}}"),
    ("sntry[su]_", f"{_ALNUM}{{20,}}[A-Za-z0-9+/=_-]*+"),  # Sentry
    ("dckr_(?:pat|oat)_", f"{_WORD}{{20,}}"),  # Docker
    ("rubygems_", f"{_HEX}{{48}}"),
    ("cio", f"{_ALNUM}{{32}}"),  # crates.io
    ("PMAK-", f"{_HEX}{{24}}-{_HEX}{{34}}"),  # Postman
    ("NRAK-", "[A-Z0-9]{27}"),  # New Relic
    ("glsa_", f"{_ALNUM}{{32}}_[0-9a-fA-F]{{8}}"),  # Grafana
    ("glc_", f"{_ALNUM}{{32,}}[A-Za-z0-9+/=]*+"),
    ("pscale_(?:tkn|pw|oauth)_", f"{_WORD}{{30,}}"),  # PlanetScale
    ("sbp_", f"{_HEX}{{40}}"),  # Supabase
    ("sb_secret_", f"{_WORD}{{20,}}"),
    ("f(?:m2|o1)_", f"{_WORD}{{20,}}[A-Za-z0-9+/=_,-]*+"),  # Fly
    ("HRKU-", f"{_WORD}{{36,}}"),  # Heroku
    ("AT(?:ATT|CTT)3x", f"{_WORD}{{50,}}=?[0-9A-F]*+"),  # Atlassian
    ("figd_", f"{_WORD}{{36,}}"),  # Figma
    ("tskey-(?:api|auth|client|scim|webhook)-", f"{_WORD}{{20,}}"),  # Tailscale
    ("AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    ("bkua_", f"{_HEX}{{40}}"),  # Buildkite
    ("CFPAT-", f"{_WORD}{{40,}}"),  # Contentful
    ("pul-", f"{_HEX}{{40}}"),  # Pulumi
    ("nfp_", f"{_ALNUM}{{36,}}"),  # Netlify
    ("re_", f"{_ALNUM}{{8}}_{_ALNUM}{{20,}}"),  # Resend
    ("ops_eyJ", f"{_WORD}{{100,}}"),  # 1Password
    ("eyJ", rf"{_WORD}{{14,}}\.{_WORD}{{8,}}(?:\.{_WORD}*+){{1,4}}"),  # JSON web tokens
    # Private keys without their first line: OpenSSH, RSA, PKCS #8, elliptic curves.
    ("b3BlbnNzaC1rZXktdjEA", "[A-Za-z0-9+/=]{4,}"),
    ("MII", "[A-Za-z0-9+/]{3}(?:IBAAKC|IBADANBgkq)[A-Za-z0-9+/=]{8,}"),
    ("MHcCAQEEI", "[A-Za-z0-9+/=]{12,}"),
    ("MC4CAQAwBQYDK2VwBCIEI", "[A-Za-z0-9+/=]{12,}"),
)

# Tokens whose visible part ends in a sign that no word holds: a piece of that part, all of it, and what follows.
_AFTER_SIGNS: Final[tuple[tuple[str, str, str], ...]] = (
    ("SG.", r"SG\.", rf"{_WORD}{{20,}}\.{_WORD}{{20,}}"),  # SendGrid
    ("ya29.", r"ya29\.", rf"{_WORD}{{20,}}(?:\.{_WORD}+){{0,4}}"),  # Google
    ("1//", r"1//", f"0{_WORD}{{38,}}"),
    ("hv", r"hv[brs]\.", f"{_WORD}{{20,}}"),  # Vault
    ("dp.", r"dp\.(?:audit|ct|pt|sa|scim|st\.[a-z0-9_-]{2,35})\.", f"{_ALNUM}{{40,}}"),  # Doppler
    ("dt0", r"dt0[a-z][0-9]{2}\.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),  # Dynatrace
    ("xoxe.", r"xoxe\.", f"xox[bp]-{_WORD}{{20,}}"),  # Slack
    (":", r"(?:bot)?[0-9]{8,10}:", f"A{_WORD}{{33,34}}"),  # Telegram
    ("pat", rf"pat{_ALNUM}{{14}}\.", f"{_HEX}{{64}}"),  # Airtable
    (".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.", f"{_WORD}{{60,}}"),  # Terraform
    (
        "hooks.slack.com/",
        r"hooks\.slack\.com/services/T[A-Z0-9]{4,14}/B[A-Z0-9]{4,14}/",
        f"{_ALNUM}{{20,}}",
    ),
    ("/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]{15,20}/", f"{_WORD}{{60,}}"),
    (
        "/webhookb2/",
        r"webhook\.office\.com/webhookb2/",
        rf"{_HEX}{{8}}-[0-9a-f-]{{27}}@[0-9a-f-]{{36}}/IncomingWebhook/{_WORD}+/{_WORD}+",
    ),
)

_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"  # a sign, or an escape of one

_BARE: Final = (
    re.compile(rf"(){_HEX}{{32}}-us[0-9]{{1,2}}(?!{_WORD})"),  # Mailchimp
    re.compile(rf"([MNO]){_WORD}{{22,27}}\.{_WORD}{{6}}\.{_WORD}{{27,38}}(?!{_WORD})"),  # Discord
)

SIGNS: Final = ".:/"
"""What may end the visible part of a token that stands before its first word."""

BEFORE_SIGNS: Final = 96
"""Characters that such a visible part takes at most."""


def _by_beginning() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns by the two characters that their tokens begin with."""
    found: defaultdict[str, list[re.Pattern[str]]] = defaultdict(list)
    for visible, body in _KINDS:
        pattern = re.compile(rf"({visible}){body}(?!{_ALNUM})")
        for beginning in _beginnings(visible):
            found[beginning].append(pattern)
    return {beginning: tuple(patterns) for beginning, patterns in found.items()}


def _beginnings(visible: str) -> list[str]:
    first = [visible[0]] if visible[0] != "[" else list(visible[1 : visible.index("]")])
    rest = visible[1:] if visible[0] != "[" else visible[visible.index("]") + 1 :]
    if rest.startswith("(?:"):
        second = sorted({option[0] for option in rest[3 : rest.index(")")].split("|")})
    else:
        second = list(rest[1 : rest.index("]")]) if rest[0] == "[" else [rest[0]]
    return [one + two for one in first for two in second]


BY_BEGINNING: Final = _by_beginning()
"""By its first two characters, the patterns of a token; their first group is what stays visible."""

AFTER_SIGNS: Final = tuple(
    (piece, re.compile(rf"{_EDGE}{visible}\Z"), re.compile(rf"(){body}(?!{_ALNUM})"))
    for piece, visible, body in _AFTER_SIGNS
)
"""A piece of what stands before a token, all of it, up to its beginning, and the token's pattern."""


def token_at(text: str, start: int) -> tuple[int, int] | None:
    """Return the span to hide of the token whose first long word begins at `start`; None where there is none."""
    for pattern in BY_BEGINNING.get(text[start : start + 2], ()):
        if found := pattern.match(text, start):
            return found.end(1), found.end()
    if start and text[start - 1] in SIGNS:
        before = text[max(start - BEFORE_SIGNS, 0) : start]
        for piece, visible, pattern in AFTER_SIGNS:
            if piece in before and visible.search(before) and (found := pattern.match(text, start)):
                return found.span()
    for pattern in _BARE:
        if found := pattern.match(text, start):
            return found.end(1), found.end()
    return None
