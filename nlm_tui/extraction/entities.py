"""The named things a session is about: its project, and technologies that everybody knows by name."""

import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from nlm_tui.core import one_line

MAX_ENTITIES = 8
_MAX_NAME = 60
_ENOUGH = 2  # one mention in passing does not make a topic
_FAR_ENOUGH = 400_000  # characters in which words of two meanings are looked at

# Each name as it is shown, then other spellings. Case does not count; a dot parts words: "Node.js" is "node js".
_PLAIN = """
Clojure=clojurescript, COBOL, C++=cpp, C#=csharp, Elixir, Erlang, F#=fsharp, Fortran, Haskell, JavaScript, Kotlin,
Lua=luajit, MATLAB, Objective-C=objc, OCaml, Perl, PHP, PowerShell=pwsh, Prolog, Python=python3, Scala, Solidity,
TypeScript, VHDL, Verilog=systemverilog, WebAssembly=wasm, Zig, ASP.NET=asp net, .NET=dotnet,

Postgres=postgresql=psql, MySQL, MariaDB, SQLite=sqlite3, FTS5, DuckDB, MongoDB=mongo, Redis, Valkey, Memcached,
Cassandra, ScyllaDB, CockroachDB, ClickHouse, Elasticsearch=elastic search, OpenSearch, Meilisearch, Typesense, Solr,
Lucene, Tantivy, Neo4j, InfluxDB, TimescaleDB, QuestDB, etcd, RocksDB, LevelDB, LMDB, Supabase, Firebase, Firestore,
PlanetScale, Turso=libsql, DynamoDB, BigQuery, Redshift, Databricks, SQL Server=mssql, CouchDB, SurrealDB, pgvector,
sqlite-vec, Qdrant, Weaviate, Pinecone, Milvus, FAISS, ChromaDB, LanceDB, PgBouncer, Parquet,
Protobuf=protobufs=protocol buffers, Avro,

Kafka, RabbitMQ, NATS=jetstream, ZeroMQ=zmq, ActiveMQ, MQTT, AMQP, SQS, SNS, Pub/Sub=pubsub, Celery, Sidekiq, BullMQ,
Airflow, Dagster, Prefect, dbt, Flink, Hadoop,

Django, FastAPI, Starlette, Pydantic, SQLAlchemy, Alembic, Uvicorn, Gunicorn, asyncio, httpx, aiohttp, pytest, mypy,
Pyright, Ruff, Jupyter, NumPy, pandas, Polars, SciPy, scikit-learn=sklearn, Matplotlib, PyTorch, TensorFlow, Keras,
JAX, ONNX, CUDA, OpenCV, LangChain, LangGraph, LlamaIndex, Hugging Face=huggingface, Ollama, vLLM, llama.cpp=llama
cpp, OpenAI, Anthropic, MCP, Node.js=nodejs=node js, Deno, Next.js=nextjs=next js, Nuxt=nuxtjs, Vue=vuejs,
Svelte=sveltekit, Angular=angularjs, React Native, SolidJS=solid js, Preact, jQuery, Redux, Zustand, MobX, RxJS, htmx,
Tailwind=tailwindcss, Three.js=threejs=three js, WebGL, WebGPU, Vite, Vitest, webpack, esbuild, Turborepo, Babel,
ESLint, Jest, Playwright, Cypress, Puppeteer, Selenium, Storybook, Prisma, TypeORM, Drizzle, Zod, tRPC, NestJS,
Fastify, Hono, Expo, pnpm, Laravel, Symfony, WordPress, Drupal, Spring Boot, Quarkus, Ktor, Gradle, Maven, JUnit,
Tokio, Axum, Actix, Serde, Tauri, Bevy, Flutter, SwiftUI, UIKit, Xcode, Jetpack Compose, Unreal Engine, Godot,
Qt=pyqt=pyside, GTK, FFmpeg, Ruby on Rails=rubyonrails, ActiveRecord, RSpec, Blazor, Entity Framework, MAUI,

Docker=dockerfile, Docker Compose=docker-compose, Podman, Kubernetes=k8s=kubectl, Istio, Linkerd, Traefik, nginx,
HAProxy, Terraform, OpenTofu, Pulumi, Ansible, Vagrant, NixOS=nixpkgs, Homebrew, systemd, Argo CD=argocd, Jenkins,
CircleCI, GitHub Actions=github-actions, GitLab, GitHub, Bitbucket, Buildkite, Dependabot, Bazel, CMake, Prometheus,
Grafana, Loki, Jaeger, OpenTelemetry=otel, Datadog, Splunk, Sentry, PagerDuty, Logstash, Kibana, Fluentd, AWS, AWS
Lambda, EC2, S3, ECS, EKS, RDS, CloudFront, CloudFormation, CloudWatch, Azure, GCP=google cloud, GKE, Cloud Run,
Cloudflare, Vercel, Netlify, Heroku, Fly.io=fly io, DigitalOcean, Hetzner, MinIO, Tailscale, WireGuard, Linux, Ubuntu,
Debian, Alpine, macOS, Raspberry Pi, Arduino, ESP32, Twilio, SendGrid, PayPal, Shopify, Salesforce, HubSpot, Jira,
Figma, Auth0, Okta, Keycloak, Algolia, Telegram, Home Assistant,

gRPC, GraphQL, OpenAPI, WebSocket=websockets, WebRTC, QUIC, OAuth=oauth2, OIDC=openid, SAML, LDAP, JWT=jwts, mTLS,
TLS, SSH, SMTP, IMAP, DNS, BGP, CORS, CSRF, CRDT=crdts, Wayland, Vulkan, tmux, Neovim=nvim, Emacs, VS Code=vscode,
LSP, tree-sitter, LLVM
"""

# Names that are words as well: as written, inside a sentence and not as part of a title. Other spellings are plain.
_AMBIGUOUS = """
Go=golang, Rust=rustc, Swift, Ruby, Julia, Dart, Elm, Crystal, Groovy, React=reactjs=react js,
Express=expressjs=express js, Flask, Rails, Phoenix, Spark=pyspark, Helm, Vault, Consul, Nomad, Puppet, Chef, Poetry,
Textual, Tornado, Envoy, Caddy, Flux, Stripe, Slack, Discord, Notion, Remix, Astro, Ember, Bootstrap, Electron, Unity,
Neon, Snowflake, Superset, Railway, Pulsar, Temporal, Kong, Bun, Capacitor, Mocha, Cargo, Prettier, Hibernate, Nix
"""


def _entries(table: str) -> Iterator[list[str]]:
    return ([" ".join(part.split()) for part in entry.split("=")] for entry in table.split(",") if entry.strip())


_NAMES = {spelling.lower().encode(): entry[0] for entry in _entries(_PLAIN) for spelling in entry} | {
    spelling.encode(): name for name, *others in _entries(_AMBIGUOUS) for spelling in others
}
_EXACT = {entry[0].lower().encode(): entry[0] for entry in _entries(_AMBIGUOUS)}
_RUNS = tuple((spelling, frozenset(spelling.split()), name) for spelling, name in _NAMES.items() if b" " in spelling)
VOCABULARY = frozenset(word for spelling in (*_NAMES, *_EXACT) for word in spelling.split())

# Letters, digits and what joins them to one name, identifier or path; everything else parts words.
_JOINERS = b"+#-_/@"
_LOWERED = bytes(
    code if (character := bytes([code])).isalnum() or character in _JOINERS else 0x20 for code in range(256)
).lower()


def lowered_words(text: str) -> bytes:
    """Return the ASCII words of `text` in lower case, blanks around each; identifiers and paths stay in one piece."""
    return b" %b " % text.encode("utf-8", "replace").translate(_LOWERED)


def find_entities(
    project: str | None, prose: str, words: bytes, known: AbstractSet[bytes], headline: str
) -> tuple[str, ...]:
    """Return the project's name, then the technologies that `prose` keeps naming or `headline` names once.

    `words` are those of `prose`, `known` those among them that `VOCABULARY` holds.
    """
    named = lowered_words(headline)
    heads = _technologies(headline, named, VOCABULARY.intersection(named.split()))
    counts = _technologies(prose, words, VOCABULARY.intersection(known))
    topics = {name: counts[name] for name in counts.keys() | heads.keys() if heads[name] or counts[name] >= _ENOUGH}
    home = project_name(project)
    ranked = sorted(topics, key=lambda name: (-topics[name], name))
    if home is not None:
        ranked = [home, *(name for name in ranked if name.casefold() != home.casefold())]
    return tuple(ranked[:MAX_ENTITIES])


def _technologies(text: str, words: bytes, known: AbstractSet[bytes]) -> Counter[str]:
    counts: Counter[str] = Counter()
    if not known:
        return counts
    singles = Counter({word: words.count(b" %b " % word) for word in known if word in _NAMES or word in _EXACT})
    for run, parts, name in _RUNS:
        if known >= parts:
            times = words.count(b" %b " % run)
            counts[name] += times
            singles.subtract(dict.fromkeys(parts, times))
    for word, times in singles.items():
        if times > 0 and (name := _NAMES.get(word)):
            counts[name] += times
        if times > 0 and (name := _EXACT.get(word)):
            counts[name] += _count_exact(text, name)
    return counts


def _count_exact(text: str, name: str) -> int:
    """Count `name` as written after a lower-case word or a comma, and before no further capital."""
    times = 0
    sought = f" {name}"
    position = text.find(sought, 1, _FAR_ENOUGH)
    while position > 0:
        before, after = text[position - 1], text[position + len(sought) : position + len(sought) + 2]
        inside = before.islower() or before in ",;("
        ends = not after[:1].isalnum() and after[:1] not in {"_", "-", "/"}
        title = after[:1] == " " and after[1:].isupper()
        times += inside and ends and not title
        position = text.find(sought, position + 1, _FAR_ENOUGH)
    return times


_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")
_HOME = re.compile(
    r"(?:(?:/var)?/home|/Users|/export/home|[A-Za-z]:/Users|[A-Za-z]:/Documents and Settings)(?:/[^/]+)?|/root|~"
)
_NO_PROJECT = frozenset(
    {
        "tmp",
        "temp",
        "var",
        "private",
        "app",
        "src",
        "source",
        "work",
        "workspace",
        "workspaces",
        "code",
        "dev",
        "git",
        "home",
    }
    | {"mnt", "opt", "srv", "usr", "data", "projects", "repos", "repositories", "desktop", "documents", "downloads"}
)
_SCRATCH = re.compile(r"tmp[._-]?\w{6,}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}", re.IGNORECASE)


def project_name(folder: str | None) -> str | None:
    """Return the name of the repository that a working directory belongs to; None for a home or a scratch folder."""
    if not folder:
        return None
    path = folder.replace("\\", "/") if _WINDOWS.match(folder) else folder
    parts = _without_worktree([part for part in path.split("/") if part])
    start = "/" if path.startswith("/") else ""
    if not parts or _HOME.fullmatch(start + "/".join(parts)):
        return None
    name = one_line(parts[-1][: 4 * _MAX_NAME])[:_MAX_NAME].strip()
    if name.casefold() in _NO_PROJECT or _SCRATCH.fullmatch(name) or not any(map(str.isalpha, name)) or name[-1] == ":":
        return None
    return name


def _without_worktree(parts: list[str]) -> list[str]:
    """Cut the path of a worktree back to its repository: `repo/.claude/worktrees/x`, `repo/.worktrees/x`.

    Agents that keep worktrees in their own folder name the repository below it: `~/.codex/worktrees/1a2b/repo`,
    `~/.cursor/worktrees/repo/1a2b`.
    """
    for index, part in enumerate(parts):
        if part == ".worktrees":
            return parts[:index]
        if part == "worktrees" and index and parts[index - 1].startswith("."):
            if parts[index - 1] == ".codex":
                return parts[: index + 3]
            return parts[: index + 2] if parts[index - 1] == ".cursor" else parts[: index - 1]
    return parts
