"""Names that everybody knows: languages, libraries, tools, services, protocols, devices; each with its spellings."""

from collections.abc import Iterator

# Each name as it is shown, then other spellings. Case does not count; a dot parts words: "Node.js" is "node js".
_PLAIN = """
Clojure=clojurescript, COBOL, C++=cpp, C#=csharp, Elixir, Erlang, F#=fsharp, Fortran, Haskell, JavaScript, Kotlin,
LuaJIT, Luau, MATLAB, Objective-C=objc, OCaml, PHP, PowerShell=pwsh, Prolog, Python=python3, Solidity, TypeScript, VHDL,
Verilog, SystemVerilog, WebAssembly=wasm, ASP.NET=asp net, Haxe, ReScript, PureScript, CoffeeScript, Common
Lisp, Emacs Lisp=elisp, GDScript, GLSL, HLSL, WGSL, VBA, Delphi=free pascal, AssemblyScript, ActionScript, AppleScript,
AutoHotkey, Lean 4=lean4, Coq, Agda, Idris, TLA+, Visual Basic=vb net, PL/pgSQL=plpgsql, T-SQL, Starlark, Jsonnet,
Dhall, Nushell, zsh=oh my zsh, GNU Make, Postgres=postgresql=psql=pg_dump, PostGIS, MySQL, MariaDB, SQLite=sqlite3,
FTS5, DuckDB, MongoDB=mongo, Redis, Valkey, Memcached, ScyllaDB, CockroachDB=cockroach db, ClickHouse,
Elasticsearch=elastic search, OpenSearch, Meilisearch, Typesense, Solr, Lucene, Tantivy, Neo4j, InfluxDB, TimescaleDB,
QuestDB, VictoriaMetrics, etcd, RocksDB, LevelDB, LMDB, Supabase, PocketBase, Appwrite, Firebase, Firestore,
PlanetScale, Turso=libsql, DynamoDB, BigQuery, Redshift, Databricks, SQL Server=mssql, CouchDB, PouchDB, SurrealDB,
EdgeDB, FoundationDB, YugabyteDB=yugabyte, TiDB, Vitess, pgvector, pg_trgm, pg_cron, sqlite-vec, Qdrant, Weaviate,
Milvus, FAISS, ChromaDB, LanceDB, PgBouncer, Patroni, pgBackRest, CloudNativePG=cnpg, Litestream, LiteFS, Parquet,
Protobuf=protobufs=protocol buffers, FlatBuffers, MessagePack=msgpack, Cap'n Proto=capnproto, Avro, Delta Lake, Apache
Iceberg, Apache Arrow=pyarrow, IndexedDB, Dgraph, ArangoDB, JanusGraph, Hazelcast, Dragonfly DB=dragonflydb, Trino,
PrestoDB, DBeaver, pgAdmin, Liquibase, Flyway, dbmate, golang-migrate, sqlc, sqlx, GORM, Knex=knex js, Sequelize,
MikroORM, Kysely, Mongoose, Ecto, SeaORM, jOOQ, MyBatis, Dapper, SQLModel, Peewee, psycopg=psycopg2=psycopg3, asyncpg,
pgx, Algolia, Manticore Search, BM25, HNSW, Azure Cosmos DB=cosmosdb=cosmos db, Amazon Aurora=aurora postgres, Cloud
SQL, Cloud Spanner, Upstash, Kafka, Kafka Connect, Kafka Streams, Strimzi, Redpanda, Debezium, RabbitMQ, NATS=jetstream,
ZeroMQ=zmq, ActiveMQ, MQTT, Mosquitto, EMQX, AMQP, SQS, SNS, Pub/Sub=pubsub, EventBridge, Kinesis, Celery, Sidekiq,
Resque, Solid Queue=solid_queue, GoodJob=good_job, BullMQ, Hangfire, Oban, Dramatiq, Dagster, Luigi, dbt, Flink, Hadoop,
Apache Beam, Apache NiFi, PySpark, Dask, Fivetran, Airbyte, Metabase, Power BI=powerbi, Tableau, Looker, Redash, Great
Expectations, MLflow, Kubeflow, Weights & Biases=wandb, DVC, Optuna, Ray Tune, n8n, Zapier, Node-RED, Camunda, Django,
DRF=django rest framework=djangorestframework, FastAPI, Starlette, Litestar, Pydantic, SQLAlchemy, Alembic, Uvicorn,
Gunicorn, uWSGI, asyncio, httpx, aiohttp, pytest, mypy, Pyright, Ruff, Jupyter=jupyterlab=jupyter notebook, marimo,
papermill, NumPy, pandas, Polars, GeoPandas, xarray, Zarr, NetCDF, HDF5=h5py, SciPy, SymPy, NetworkX, Numba, Cython,
CuPy, scikit-learn=sklearn, scikit-image, statsmodels, PyMC, XGBoost, LightGBM, CatBoost, Matplotlib, seaborn, Plotly,
Altair, Streamlit, Gradio, PyTorch, PyTorch Lightning, torchvision, torchaudio, TensorFlow=tfjs, Keras, JAX, ONNX, ONNX
Runtime=onnxruntime, TensorRT, OpenVINO, CoreML=core ml, TFLite=tensorflow lite=litert, CUDA, cuDNN, ROCm, OpenCL,
OpenCV, OpenMP, MPI=openmpi, LangChain, LangGraph, LlamaIndex, DSPy, Hugging Face=huggingface,
sentence-transformers=sentence transformers, spaCy, NLTK, Gensim, fastText, word2vec, BERT, RoBERTa, XLM-R=xlm-roberta,
DistilBERT, DeBERTa, ModernBERT, MiniLM=all-minilm-l6-v2, LaBSE, BGE-M3,
multilingual-e5-large, multilingual-e5-base, jina-embeddings-v3, nomic-embed-text,
EmbeddingGemma, ColBERT, SPLADE, MTEB, LoRA adapters=qlora, DeepSpeed, FSDP, Ollama, vLLM, SGLang, llama.cpp=llama cpp,
GGUF, ggml, OpenAI, ChatGPT, GPT-4=gpt-4o, GPT-3.5, Anthropic, Claude Code=claude-code, MCP, Mistral AI, Mixtral, Qwen,
DeepSeek, Whisper.cpp=whisper cpp, faster-whisper, Stable Diffusion, ComfyUI, YOLO=yolov5=yolov8=yolo11, ResNet, U-Net,
Segment Anything, Detectron2, Ultralytics, EfficientNet, MobileNet, OpenRouter, LiteLLM, Label Studio, Roboflow, NVIDIA,
Jetson Nano=jetson, Apple Silicon, SLURM, Colab=google colab, Kaggle, SageMaker, Bedrock=amazon bedrock, Vertex AI,
Typer, RapidFuzz, BeautifulSoup=bs4=beautiful soup, Scrapy, lxml, NiceGUI, pytest-xdist, nox, pipenv, virtualenv,
Conda=miniconda=anaconda=conda-forge=bioconda, setuptools, PyInstaller, PyPI, Nuitka, PyO3, maturin, cffi, pybind11,
nanobind, Tkinter, wxPython, Kivy, Pygame, PyScript, Node.js=nodejs=node js, Deno, Next.js=nextjs=next js, Pinia, Vuex,
VueUse, Vuetify, PrimeVue, SvelteKit, Angular=angularjs, React Native, SolidJS=solid js, Preact,
Alpine.js=alpinejs=alpine js, Hotwire, jQuery, Backbone.js=backbone js, Redux=redux toolkit, Zustand, Jotai, MobX,
XState, RxJS, htmx, nuqs, TanStack Query=react query=react-query, TanStack Router, TanStack Table, React
Router=react-router, SWR, Apollo Client, urql, Axios, React Hook Form=react-hook-form, Formik, Valibot,
Tailwind=tailwindcss=tailwind css, Material UI=mui, Chakra UI, Radix=radix ui=radix-ui, shadcn/ui=shadcn=shadcn-ui,
Headless UI, Ant Design=antd, Mantine, styled-components, PostCSS, UnoCSS, vanilla-extract, StencilJS,
Three.js=threejs=three js, React Three Fiber, Babylon.js=babylonjs=babylon js, PixiJS=pixi js, Phaser, WebGL, WebGPU,
D3=d3 js, Chart.js=chartjs=chart js, ECharts, Recharts, visx, Vega-Lite=vegalite, Observable Plot, Vitest, webpack,
esbuild, SWC, Rollup=rolldown, Rspack, Turborepo, Turbopack, Lerna, Changesets, oxlint, ESLint, Stylelint, lint-staged,
dependency-cruiser, ts-node, tsup, ts-jest, jsdom, happy-dom, MSW=mock service worker, Testing Library=react testing
library, Playwright, Puppeteer, Selenium, WebdriverIO, TestCafe, Storybook, TypeORM, tRPC, NestJS, Fastify, Hono,
AdonisJS, Contentful, Directus, pnpm, npm, Corepack, Verdaccio, date-fns, Day.js=dayjs, Moment.js=momentjs=moment js,
Lodash, Ramda, ProseMirror, TipTap, Slate.js=slatejs, Quill.js=quilljs, CodeMirror, Yjs=y js, Yrs, Automerge, ShareDB,
Hocuspocus, Liveblocks, PartyKit, Replicache, ElectricSQL, PowerSync, Socket.IO=socketio=socket io, Eleventy=11ty,
Jekyll, Docusaurus, VitePress, MkDocs, Hexo, Workbox, i18next, react-i18next, FormatJS, Lingui, NextAuth=next-auth=auth
js, Lucia Auth, Passport.js=passportjs, Vercel AI SDK, Handlebars, Nunjucks, Jinja=jinja2, Mermaid=mermaid js,
Excalidraw, tldraw, React Flow, Laravel, Livewire, Symfony, PHPUnit, PHPStan, CodeIgniter, CakePHP, Yii, WordPress,
WooCommerce, Drupal, Joomla, Magento, TYPO3, Shopware, PrestaShop, RSpec, Minitest, RuboCop, ActiveRecord=active record,
ActionCable, ActiveStorage, Hanami, Capistrano, Spring Boot=spring-boot, Spring Security, Spring Framework, Spring
Batch, Quarkus, Micronaut, Vert.x=vertx, Dropwizard, Jakarta EE, Ktor, Gradle, JUnit=junit5, Mockito, MockK,
Testcontainers, WireMock, AssertJ, Awaitility, ArchUnit, Lombok, Thymeleaf, Vaadin, HikariCP=hikari, Logback, Log4j,
Keycloak, GraalVM, OpenJDK, Tomcat, Jetty, WildFly, Akka, ZIO, Cats Effect, sbt, Scalatra, Phoenix LiveView=liveview,
ExUnit, Nerves, Tokio, Axum, Actix=actix-web, Tauri, egui, Leptos, Dioxus, Rayon, rust-analyzer, wasm-bindgen,
wasm-pack, Wasmtime, Wasmer, PyOxidizer, UniFFI, cbindgen, ratatui, proptest, cargo-fuzz, LALRPOP, ANTLR=antlr4, Gin
Gonic=gin-gonic, GoReleaser, Bubble Tea=bubbletea, Delve, golangci-lint, WASI, NuGet, xUnit, NUnit, Blazor, Entity
Framework=ef core=efcore, SignalR, MassTransit, MediatR, Serilog, Avalonia, WinForms, WPF, WinUI, .NET MAUI=maui,
Xamarin, MonoGame, vcpkg, CMake, Meson, Bazel, Buck2, SCons, GoogleTest=gtest, Catch2, Clang=clang-tidy=clang-format,
GCC, LLVM, MSVC, Valgrind, AddressSanitizer, GDB, LLDB, AFL++, libFuzzer, Qt=pyqt=pyside=qml, GTK=gtk4, wxWidgets, Dear
ImGui=imgui, SDL=sdl2=sdl3, SFML, raylib, OpenGL, Vulkan, MoltenVK, DirectX, Direct3D, Flutter, Riverpod, SwiftUI,
UIKit, AppKit, Core Data=coredata, SwiftData, CloudKit, HealthKit, ARKit, RealityKit, MapKit, StoreKit, AVFoundation,
TestFlight, App Store Connect, Xcode, CocoaPods, Swift Package Manager=swiftpm, Fastlane, XCTest, Alamofire, Jetpack
Compose, Android Studio, WorkManager, Jetpack DataStore=proto datastore=preferences datastore, Dagger Hilt, Koin,
Retrofit, OkHttp, KSP, ProGuard, ExoPlayer=media3, Kotlin Multiplatform=kmp, Compose Multiplatform, NativeScript,
Cordova=phonegap, Android=android 14=android 15, iOS=ios 17=ios 18, iPadOS, watchOS, visionOS, tvOS, macOS, Google
Play=play store, F-Droid, OneSignal, Crashlytics, RevenueCat, Appium, VoiceOver, TalkBack, HarmonyOS, KDE Plasma, GNOME,
Wayland, X11, Hyprland, PipeWire, Flatpak, AppImage, Chromium, Firefox, Safari=ios safari, Google Chrome, Microsoft
Edge, WebKit, Electron=electronjs, Unreal Engine=unreal engine 5, Godot=godot 4, Bevy=bevy engine, GameMaker, RPG Maker,
Defold, LÖVE=love2d, Ren'Py=renpy, Box2D, PhysX, Jolt Physics, FMOD, Wwise, Blender, Aseprite, Steamworks, Steam Deck,
Nintendo Switch, PlayStation 5, Xbox, itch.io=itch io, Photon Fusion, Netcode for GameObjects, OpenXR, SteamVR, glTF,
MagicaVoxel, Spine 2D, LDtk, EnTT, Flecs, Houdini, ZBrush, Substance Painter, Docker=dockerfile, Docker
Compose=docker-compose, Docker Swarm, Podman, Buildah, containerd, Kaniko, BuildKit, Kubernetes=k8s=kubectl, k3s,
minikube, Talos Linux, Rancher, OpenShift, Kustomize, Helmfile, Istio, Linkerd, Cilium, Calico, MetalLB, Traefik, nginx,
HAProxy, cert-manager, Let's Encrypt=letsencrypt=certbot, Longhorn, Ceph, GlusterFS, OpenEBS, Velero, Terraform,
Terragrunt, OpenTofu, Pulumi, AWS CDK, Crossplane, Ansible, SaltStack, Vagrant, NixOS=nixpkgs, Guix, Homebrew, systemd,
Argo CD=argocd, Argo Workflows, FluxCD, Jenkins=jenkinsfile, CircleCI, Travis CI, GitHub Actions=github-actions=gha,
actionlint, GitLab CI=gitlab-ci, GitLab, GitHub, GHCR=ghcr io, Gitea, Forgejo, Codeberg, Bitbucket, Buildkite, TeamCity,
Azure DevOps, Tekton, Spinnaker, Dependabot, Renovate, SonarQube, Snyk, Trivy, Semgrep, CodeQL, Codecov, Prometheus,
Alertmanager, Mimir, Grafana, Loki, Promtail, Jaeger, Zipkin, OpenTelemetry=otel, Datadog, New Relic, Splunk, Sentry,
Honeycomb, PagerDuty, Opsgenie, Logstash, Kibana, Filebeat, Fluentd, Fluent Bit, Zabbix, Nagios, Icinga, Netdata, Uptime
Kuma, Healthchecks.io, StatsD, Telegraf, LaunchDarkly, PostHog, Matomo, Google Analytics=ga4, Mixpanel, AWS=amazon web
services, AWS Lambda, EC2, S3=amazon s3, ECS, EKS, Fargate, RDS, CloudFront, CloudFormation, CloudWatch, Cognito, Route
53=route53, Step Functions, API Gateway, ElastiCache, LocalStack, Azure, Azure Functions, Entra ID=azure ad, GCP=google
cloud, GKE, Cloud Run, Cloud Functions, Cloudflare, Cloudflare Workers, Cloudflare R2, Vercel, Netlify, Heroku,
Fly.io=fly io, DigitalOcean, Linode, Hetzner, OVH=ovhcloud, Scaleway, Vultr, Fastly, Akamai, Varnish, Bunny CDN, MinIO,
Backblaze B2=backblaze, Wasabi, Coolify, Dokku, CapRover, Portainer, KEDA, Karpenter, OPA=open policy agent, Kyverno,
HashiCorp, SOPS, Sealed Secrets, Bitwarden, 1Password, KeePass=keepassxc, YubiKey, JMeter, Gatling, Toxiproxy, Chaos
Mesh, ShellCheck, shfmt, pre-commit, Taskfile, direnv, tmux, Proxmox=proxmox ve=pve, Proxmox Backup Server=pbs,
OPNsense, pfSense, OpenWrt, UniFi=ubiquiti, MikroTik=routeros, VyOS, Tailscale, Headscale, ZeroTier, WireGuard, OpenVPN,
NetBird, strongSwan, Pi-hole=pihole, AdGuard Home=adguard, dnsmasq, CoreDNS, PowerDNS, DuckDNS, ddclient,
TrueNAS=truenas scale, FreeNAS, Unraid, Synology, QNAP, ZFS=openzfs, btrfs, ext4, XFS, LUKS, mdadm, LVM, restic,
BorgBackup=borgmatic, Kopia, Duplicati, rsync, rclone, Syncthing, Nextcloud, ownCloud, Immich, PhotoPrism, Jellyfin,
Emby, Sonarr, Radarr, Prowlarr, Audiobookshelf, Paperless-ngx=paperless ngx, Home Assistant, ESPHome, Zigbee,
Zigbee2MQTT, Z-Wave, Matter protocol, HomeKit, Tasmota, Frigate NVR, openHAB, Vaultwarden, Authelia, authentik, Nginx
Proxy Manager, libvirt=virsh, QEMU, KVM, VirtualBox, VMware=esxi, Hyper-V, LXC=lxd=incus, WSL=wsl2, Samba=cifs, NFS,
iSCSI, SFTP, Linux=linux kernel, Ubuntu, Debian, Fedora, CentOS, AlmaLinux, Rocky Linux, RHEL=red hat, Arch Linux,
Manjaro, Gentoo, openSUSE, Alpine Linux, FreeBSD, OpenBSD, NetBSD, Windows 10, Windows 11, Windows Server, Active
Directory, eBPF=bpftrace, iptables, nftables, ufw, SELinux, AppArmor, Fail2ban, CrowdSec, Postfix, Dovecot, Rspamd,
Mailcow, OpenSSH, GnuPG=gpg, OpenSSL, LibreSSL, Wireshark=tcpdump, nmap, Burp Suite, Metasploit, Ghidra, initramfs,
udev, BusyBox, Yocto, Buildroot, U-Boot, Raspberry Pi=raspberry pi 4=raspberry pi 5, Raspberry Pi Pico=rp2040=rp2350,
Arduino, PlatformIO, ESP32=esp32-s3=esp32-c3=esp-idf, ESP8266, STM32=stm32cubemx=stm32cube=cubemx,
nRF52=nrf52840=nrf52832, nRF Connect, AVR microcontroller=attiny85, ATmega328=atmega328p,
Cortex-M=cortex-m0=cortex-m3=cortex-m4=cortex-m7, RISC-V, Teensy, BeagleBone, micro:bit, FreeRTOS, Zephyr RTOS, ThreadX,
RIOT OS, NuttX, Mbed=mbed os, MicroPython, CircuitPython, OpenOCD, J-Link=jlink, ST-Link, probe-rs, Renode, KiCad,
Altium, Yosys, Verilator, cocotb, Vivado, Quartus, LVGL, TinyUSB, lwIP, mbedTLS, wolfSSL, LittleFS, FatFs, CAN bus,
CANopen, Modbus, I2C, UART, JTAG, LoRaWAN, Bluetooth Low Energy=ble, Bluetooth, Wi-Fi Direct, OPC UA=opc-ua, PROFINET,
EtherCAT, BACnet, KNX, Klipper, OctoPrint, PrusaSlicer, OpenSCAD, FreeCAD, Fusion 360, SolidWorks, GRBL, LinuxCNC, ROS
2=ros2, MAVLink, PX4, ArduPilot, Betaflight, NMEA, Simulink, LabVIEW, YubiHSM, TPM 2.0, Coral TPU, Intel NUC, Mac mini,
MacBook, ThinkPad, iPhone, iPad, Pixel 6a, Apple Watch, Kindle, Chromebook, gRPC, GraphQL, OpenAPI=swagger, AsyncAPI,
JSON-RPC, JSON Schema, WebSocket=websockets, WebRTC, WebTransport, Server-Sent Events, QUIC, OAuth=oauth2,
OIDC=openid=openid connect, SAML, LDAP, Kerberos, SCIM, JWT=jwts, PKCE, WebAuthn=passkeys=passkey, FIDO2, mTLS, TLS,
SSH, SMTP, IMAP, JMAP, DKIM, DMARC, DNS, DNSSEC, BGP, OSPF, VXLAN, IPv6, IPsec, CORS, CSRF, CRDT=crdts, ActivityPub,
Mastodon, AT Protocol=atproto, Bluesky, XMPP, CalDAV, CardDAV, WebDAV, iCalendar=rfc 5545=ical, RRULE=rrule js, vCard,
RSS, WebSub, Matrix protocol=matrix-synapse, Raft consensus, Paxos, IPFS, libp2p, BitTorrent, Ethereum, Bitcoin, Solana,
Hardhat, ethers.js=ethers js, LSP=language server protocol, tree-sitter=treesitter, EPUB, SemVer, Conventional Commits,
UUIDv7=uuid v7, ULID, Bloom filter, HyperLogLog, zstd=zstandard, Brotli, LZ4, gzip, AVIF, WebP, JPEG XL, HEIC, AV1,
H.264=h264, HEVC=h265, FLAC, HLS streaming, DASH streaming, RTMP, RTSP, FFmpeg=ffprobe, GStreamer, libvips, ImageMagick,
HandBrake, OBS Studio, mpv, VLC, yt-dlp, youtube-dl, JUCE, VST3, Audio Units=auv3, LV2, Faust DSP, SuperCollider, Pure
Data, Max/MSP, Csound, Sonic Pi, TidalCycles, Ableton=ableton live, Bitwig, Ardour, Audacity, Logic Pro, Pro Tools, FL
Studio, MIDI=midi 2, PortAudio, CoreAudio=core audio, ALSA, PulseAudio, WASAPI, miniaudio, librosa, aubio, pYIN,
CREPE=torchcrepe, Demucs, Spleeter, RNNoise, libsndfile=soundfile, MusicXML, MuseScore, LilyPond, Web Audio=web audio
api, Tone.js=tonejs, Spotify, SoundCloud, Bandcamp, YouTube, Twitch, Vimeo, OpenStreetMap=osm, Overpass=overpass api,
Nominatim, OSRM, GraphHopper, Mapbox=mapbox gl, MapLibre=maplibre gl=maplibre-gl, OpenLayers, deck.gl, CesiumJS, Google
Maps, PMTiles=protomaps, MBTiles, Tippecanoe, OpenMapTiles, Planetiler, GeoJSON, TopoJSON, GeoPackage, GeoTIFF,
Shapefile, GDAL=ogr2ogr, QGIS, ArcGIS=esri, GRASS GIS, GeoServer, MapServer, WMTS, S2 geometry, Turf.js=turfjs=turf js,
Shapely, Rasterio, Martin tileserver, GTFS, OpenTripPlanner, GPX, Copernicus, Sentinel-2, Landsat, LiDAR, Snakemake,
Nextflow, nf-core, WDL, Bioconductor, Biopython, BLAST=blastn=blastp, BWA=bwa-mem, bwa-mem2, minimap2, Bowtie=bowtie2,
HISAT2, Kallisto, samtools, bcftools, bedtools, htslib=pysam, GATK, DeepVariant, FreeBayes, Sniffles=sniffles2, cuteSV,
SVIM, Delly, IGV, VEP=ensembl vep, SnpEff, Ensembl, UniProt, GenBank, NCBI, dbSNP, gnomAD, ClinVar, AlphaFold, RDKit,
PyMOL, GROMACS, OpenMM, AutoDock, PLINK, HMMER, MAFFT, IQ-TREE, RAxML, MrBayes, QIIME=qiime2, Kraken2, MetaPhlAn,
SPAdes, MultiQC, FastQC, Trimmomatic, fastp, DESeq2, edgeR, limma, Seurat, Scanpy, AnnData, Cell Ranger, CellProfiler,
Fiji ImageJ=imagej, napari, OMERO, DICOM, FHIR, HL7, OpenMRS, Nanopore=oxford nanopore, PacBio, Illumina, RStudio,
tidyverse, ggplot2, dplyr, data.table, Quarto, knitr, renv, brms, lme4, SPSS, Darwin Core, GBIF, iNaturalist, eBird,
Geant4, Astropy, LaTeX, LuaLaTeX=lualatex, XeLaTeX=xelatex, pdfLaTeX, TeX Live, latexmk, Overleaf, BibTeX, biblatex,
biber, TikZ, Beamer, booktabs, siunitx, cleveref, KOMA-Script, Typst, Pandoc, Zotero, Mendeley, EndNote, Scrivener,
Obsidian, Logseq, Org mode=org-mode, AsciiDoc=asciidoctor, reStructuredText, DocBook, Markdownlint, Google Docs, Google
Sheets, Google Drive, Google Forms, Apps Script, LibreOffice, OpenOffice, Microsoft Word, Microsoft Excel=xlsx=openpyxl,
Power Query, PowerPoint, SharePoint, OneDrive, Dropbox, Microsoft Teams, Airtable, Confluence, Jira, Trello, Todoist,
ClickUp, YouTrack, Redmine, Zulip, Mattermost, Rocket.Chat, WhatsApp, Telegram, Twilio, SendGrid, Mailgun, Postmark,
Mailchimp, Brevo, Amazon SES, Zendesk, Freshdesk, PayPal, Braintree, Adyen, Mollie, Klarna, GoCardless, Plaid, Bizum,
Redsys, SEPA, ISO 20022, XBRL, FIX protocol, QuickBooks, Xero, DATEV, Holded, GnuCash, Beancount, hledger, Odoo,
ERPNext, SAP HANA, Salesforce, HubSpot, Pipedrive, Shopify, Figma, Penpot, Inkscape, GIMP, Krita, Photoshop, Affinity
Designer, Lightroom, darktable, Auth0, Okta, WorkOS, Supertokens, Ory Kratos, Moodle, H5P, Kahoot, nbgrader, Backtrader,
QuantLib, TradingView, MetaTrader, Interactive Brokers, Yahoo Finance=yfinance, Bloomberg Terminal, Neovim=nvim, Emacs,
VS Code=vscode=visual studio code, Visual Studio, IntelliJ=intellij idea, PyCharm, WebStorm, JetBrains, Sublime Text,
Copilot=github copilot, Codeium, Aider, OpenCode, Alacritty, WezTerm, iTerm2, Ghostty, fzf, ripgrep, jq, Lazygit,
Mercurial, Git LFS=git-lfs, glab, curl, wget, Postman, Hoppscotch, hyperfine, Flamegraph, pprof, py-spy, Source Engine,
Robot Framework, Sauce Labs, Yarn Spinner, Play Framework, Leaflet.js=leafletjs, testing-library=@testing-library/react,
go-chi, Hibernate ORM, Wix, Webflow, Squarespace, Revolut, Canva, Framer, Substack, Reddit, Toggl, Clockify, Raycast,
Zitadel, Kratos, Infisical, Skaffold, Inngest, Restate, Zeebe, Polkadot, Chainlink, Arbitrum, Valtio, Tegola, Graylog,
Pingdom, Contiki, Mynewt, Trigger.dev=trigger dev, Codemagic, Bitrise, Applitools, Devbox, Earthly, Absinthe, Dialyzer,
Ganache, Figwheel, Gatsby, Strapi CMS, TurboGears, Fyne, Interbase, Spanner
"""

# Words of other languages that are names among developers: in small letters only where English is spoken.
_FOREIGN = """
Vite=vitejs, Vue=vue 3=vue3=vuejs, Jest, Lua, Perl, Scala, Loro=loro-crdt, Zig, Expo, Prisma=prisma orm, Serde, Svelte,
Nuxt=nuxtjs=nuxt js, Yarn, Koa, Maven, Plex, Sass=scss, Anki, Zod, Luxon, Strapi, Yup, Stata
"""

# Names that are words as well: as written, inside a sentence and not as part of a title. Other spellings are plain.
_AMBIGUOUS = """
.NET=dotnet,
Go=golang, Rust=rustc, Swift, Ruby, Julia, Dart, Elm, Crystal, Groovy, Gleam, Racket, React=reactjs=react js,
Express=expressjs=express js, Flask, Rails=ruby on rails=rubyonrails, Phoenix, Helm, Vault, Consul, Nomad, Puppet, Chef,
Poetry, Textual, Tornado, Envoy, Caddy, Flux, Stripe, Slack, Discord, Notion, Remix, Astro, Ember, Bootstrap, Neon,
Snowflake, Superset, Railway, Pulsar, Temporal, Kong, Bun, Capacitor, Mocha, Cargo, Prettier, Hibernate, Nix, Airflow,
Prefect, Drizzle, Room, River, Stimulus, Backbone, Lit, Apollo, Parcel, Nx, Cypress, Diesel, Gin, Cobra, Goose, Umzug,
Jackson, Spring, Micrometer, Dagger, Coil, Kingfisher, Lottie, Cassandra, Presto, Pinot, Iceberg, Chroma, Vespa,
Haystack, Whisper, Gemini, Claude, Llama, Gemma, Mistral, Windsurf, Zed, Helix, Vim, Kitty, Hugo, Pelican, Sphinx,
Ionic, Quasar, Polymer, Meteor, Teleport, Waypoint, Talos, Rook, Thanos, Tempo, Drone, Plausible, Sonos, Alexa, Siri,
Reaper, Faust, Cubase, Leaflet, Canu, Flye, Manta, Shiny, Excel, Basecamp, Windows, Chrome, Arch, Alpine, Oracle,
Garnet, Marko, Qwik, Reagent, Anvil, Tesseract, Camelot, Rich, Sanic, Hypothesis, Locust, Cucumber, Detox, Maestro,
Vale, Steam, Cursor, Pinecone, Zephyr, Unleash, Packer, Turbo, Valhalla, Rapier, Carthage, Marlin, Biome, Sorbet,
Bundler, Devise, Lighthouse, Insomnia, Intercom, Discourse, Outlook, Clippy, Eclipse, Husky, Eloquent, Twig, Amplitude,
Chromatic, Unbound, Calibre, Pillow, Hilt, Mamba, Borg, Firebird, Bokeh, Realm, Vapor, Raft, Miri, Sinatra,
Unity=unity3d, DataStore, Spark=apache spark, Cesium
"""


def _entries(table: str) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each name with its other spellings as words in small letters."""
    for entry in filter(str.strip, table.split(",")):
        name, *others = (" ".join(spelling.split()) for spelling in entry.split("="))
        yield name, [_as_words(spelling) for spelling in others]


def _as_words(spelling: str) -> bytes:
    return " ".join(spelling.lower().replace(".", " ").replace("&", " ").replace("'", " ").split()).encode()


def _first_words(names: dict[bytes, str]) -> dict[bytes, list[tuple[bytes, str]]]:
    runs: dict[bytes, list[tuple[bytes, str]]] = {}
    for spelling, name in sorted(names.items(), key=lambda item: -len(item[0])):
        if b" " in spelling:
            runs.setdefault(spelling.split()[0], []).append((spelling, name))
    return runs


# Names by their spellings: in any case; those to be as written; runs of words by the first one, long ones first.
NAMES = {
    spelling: name
    for name, others in (*_entries(_PLAIN), *_entries(_FOREIGN))
    for spelling in (_as_words(name), *others)
} | {spelling: name for name, others in _entries(_AMBIGUOUS) for spelling in others}
CASED = {_as_words(name): name for name, _ in (*_entries(_AMBIGUOUS), *_entries(_FOREIGN))}
FOREIGN = frozenset(_as_words(name) for name, _ in _entries(_FOREIGN))
RUNS = _first_words(NAMES)
VOCABULARY = frozenset(word for spelling in (*NAMES, *CASED) for word in spelling.split())
