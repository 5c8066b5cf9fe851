"""Things that a project has or does not have, by the names that people give them.

A question about Kafka is about nothing in a project that never writes the word, while a question about "tiny graphs"
may well be answered where another word is used. These are the words of the first sort: names of systems, protocols,
formats and platforms, and of what a product can do.
"""

from __future__ import annotations

import re

from workers.search.words.tokens import split_identifier, stem

WORD = re.compile(r"[A-Za-z0-9]+")
Name = tuple[str, ...]

# Each by itself.
_NAMES = """
kafka pulsar mqtt kinesis sqs sns hazelcast solr lucene meilisearch algolia typesense lunr sqlite dynamodb cockroachdb
clickhouse influxdb couchdb couchbase neo4j firebase firestore supabase rocksdb leveldb etcd consul zookeeper glacier
azure gcp cloudflare heroku vercel netlify digitalocean helm podman terraform ansible puppet nomad systemd launchd
flatpak homebrew chocolatey graphql grpc thrift avro parquet cbor bson yaml toml epub asciidoc mermaid graphviz
plantuml bibtex webrtc mtls hsts ocsp cors csp xss clickjacking oauth saml kerberos ntlm radius scim rbac jwt webauthn
password quota retention billing invoice refund subscription coupon tax currency shipping inventory checkout cart
payroll ledger fraud webhook websocket proxy vpn wireguard tor dnssec dhcp upnp snmp ftp ssh scp rsync webdav caldav
carddav nfs imap smtp jmap dkim dmarc bimi spam activesync sieve newsletter sms twilio slack discord telegram matrix
xmpp irc whatsapp skype zoom webmention disqus gravatar sentry bugsnag rollbar prometheus grafana opencensus datadog
newrelic statsd graphite micrometer honeycomb splunk logstash fluentd kibana loki syslog telemetry analytics histogram
heatmap fuzzing chaos canary rollback migration orm transaction savepoint pagination cdn brotli snappy lz4 avif heic
svg gif watermark exif audio subtitle lyrics podcast fax barcode blockchain bitcoin ethereum wallet nft stripe paypal
klarna kms vault pgp hmac gdpr backup offline accessibility braille gamepad joystick bluetooth nfc usb midi gps
geofence geocoding weather camera microphone sensor thermostat iot robot drone llm openai chatgpt gpt ollama anthropic
langchain embedding chatbot speech voice sentiment gpu cuda opengl vulkan wasm lua ruby python perl php elixir erlang
haskell scala kotlin swift rust cobol fortran matlab julia dart flutter electron react vue svelte angular ember
backbone jquery htmx tailwind bootstrap sass postcss autoprefixer typescript coffeescript mdx webpack vite rollup
esbuild babel eslint prettier hydration shortcode taxonomy archetype sitemap opengraph oembed favicon breadcrumb
wordpress drupal joomla hugo gatsby shopify magento salesforce notion confluence jira trello asana zendesk github
gitlab bitbucket gitea jenkins travis circleci dropbox onedrive icloud spotify youtube netflix twitter facebook
linkedin instagram reddit tiktok mastodon bluesky calendar poll survey quiz approval leaderboard achievement kanban
gantt whiteboard bookmark favorite tenant moderation onboarding impersonation serverless micronaut quarkus ktor netty
django rails laravel symfony flask spring rxjava rxjs webflux trio gevent twisted tokio epoll seccomp apparmor selinux
chroot tpm selenium playwright cypress puppeteer screenshot scraping tombstone pcap wireshark nginx apache caddy
haproxy envoy istio linkerd traefik traceparent zipkin jaeger swagger captcha greylisting compaction dashboard
marketplace chromecast airplay dlna hls drm torrent magnet usenet rss podcasts karaoke playlist thumbnail slideshow
pdf ocr handwriting excel spreadsheet powerpoint latex docx csv xml xslt xpath soap wsdl odata sparql rdf owl jsonld
hateoas geojson shapefile kml sepa iban ofx plaid budget loan mortgage stock dividend portfolio crypto donation gradle
maven bazel cmake conan nuget npm yarn pnpm pip conda poetry cargo composer rubygems apt rpm fido passkey yubikey
smartcard fingerprint biometric emoji sticker giphy hashtag antivirus clamav malware phishing firewall fail2ban geoip
maxmind allowlist blocklist denylist honeypot attestation sbom waf steganography redact redaction anonymize
pseudonymize keycloak okta auth0 cognito entra shibboleth jwks pkce lockout argon2 bcrypt scrypt ed25519 chacha20
warehouse etl airflow dbt spark hadoop flink iceberg snowflake bigquery redshift athena presto trino duckdb
timescaledb debezium cdc seo hreflang amp carousel lightbox wysiwyg codemirror monaco pagerduty opsgenie pushover
gotify ntfy mattermost webex wechat alertmanager vagrant packer pulumi argocd fluxcd tekton spinnaker sonarqube
codecov dependabot renovate devcontainer codespaces nix guix appimage msi scoop winget riscv freebsd openbsd android
ios watchos tvos raspberry simd avx jit aot mvcc wal lsm hyperloglog merkle roaring quickcheck testcontainers wiremock
allure junit cucumber gherkin storybook lighthouse hdr dolby subtitles vaapi nvenc vlc kodi plex trakt scrobble lastfm
musicbrainz tmdb epg dvr iptv audiobook comic cbz wishlist loyalty affiliate referral crm helpdesk timesheet pomodoro
okr roadmap scorm gradebook attendance expense vat depreciation reconciliation amortization qif camt flashcard gpx
dicom hl7 fhir opml opds warc mhtml jsonpath jmespath xquery asn1 edifact sixel flatbuffers capnproto hdf5 orc 7z rar
iso powershell zsh nushell tcl ocaml clojure zig nim solidity groovy prolog lisp pascal federation dataloader asyncapi
postman insomnia telnet modbus canbus opcua zigbee zwave lorawan radar lidar astronomy chess sudoku minesweeper tetris
poker lottery horoscope restaurant hotel airline taxi patient hospital pharmacy clinic vaccine teacher exam tuition
warranty insurance realestate sharepoint office365 exchange outlook gmail thunderbird fastmail mailchimp sendgrid
mailgun postmark ses hubspot mixpanel amplitude matomo plausible fathom hotjar posthog algorand solana docusign twitch
xbox playstation nintendo unreal godot blender figma photoshop autocad
"""
# Things of several words or names: commas between the names of one.
_GROUPS = """
rabbitmq, amqp; nats, jetstream; zeromq, zmq; activemq, jms; redis, valkey, keydb; memcached, memcache; elasticsearch,
opensearch, elastic search; postgresql, postgres; mysql, mariadb; mongodb, mongo; cassandra, scylla; sql server,
mssql, sqlserver; s3, minio; cloud storage, gcs; amazon, aws; kubernetes, k8s; docker, container, dockerfile;
protobuf, protocol buffers; msgpack, messagepack; json rpc, jsonrpc; xml rpc, xmlrpc; restructuredtext, rst; org mode,
orgmode; katex, mathjax; openapi, swagger; json schema, jsonschema; server sent events, sse, eventsource; long
polling; http 2, http2, h2; http 3, http3, quic; early data, 0 rtt; acme, let's encrypt, letsencrypt; certificate
transparency; public suffix; content security policy, csp; csrf, xsrf; captcha, recaptcha, hcaptcha, turnstile;
openid, oidc; ldap, active directory; gssapi, spnego, kerberos; totp, otp, two factor, 2fa, mfa; single sign on, sso;
password reset, forgot password; magic link; audit log, audit trail; api key; rate limit, ratelimit, rate limiting,
rate limiter, throttle; token bucket, leaky bucket; circuit breaker; bulkhead; load balancer, load balancing; health
check, liveness, readiness; service discovery; leader election, raft, paxos; gossip protocol, gossip; consensus;
replication, replica, replicate; sharding, shard; partition; failover; quorum; distributed lock; idempotency,
idempotent; dead letter, dlq; exactly once; saga; event sourcing; cqrs; state machine; priority queue; consumer group;
consumer lag; socks, socks5; proxy protocol; proxy auto config, pac, wpad; dns over https, doh; dns over tls; mdns,
bonjour, zeroconf; samba, smb, cifs; mta sts; read receipt; push notification, apns, fcm; microsoft teams;
activitypub, fediverse; atom feed; json feed; opentelemetry, otel; trace context, traceparent; flame graph; core dump;
heap dump; mutation testing; visual regression; cassette, vcr; feature flag, feature toggle; blue green; schema
registry; schema evolution; two phase commit; connection pool; read replica; full text search; semantic search;
autocomplete, typeahead; spell check, spelling; stale while revalidate; etag; zstd, zstandard; image resizing, resize;
webp; jpeg xl, jxl; video, ffmpeg, transcode; qr code; electronic signature, digital signature; encryption, encrypt,
cipher; end to end encryption, e2ee; key rotation; legal hold; soft delete; trash, recycle; conflict resolution, crdt;
version history; undo; dark mode, dark theme; internationalization, i18n, translation, translate, locale, gettext;
right to left, rtl; keyboard shortcut, hotkey; drag and drop; infinite scroll; service worker, pwa; source map,
sourcemap; tree shaking; hot reload, hmr, live reload; server side rendering, ssr; table of contents, toc; reading
time; related posts; google drive; icalendar, ical, ics; address book, vcard; recommendation; machine learning, neural
network, neural; speech recognition, text to speech, tts; webassembly, wasm; tree sitter, treesitter; language server,
lsp; syntax highlighting; code completion; package registry; auto update, self update; crash report; admin panel,
admin interface, admin dashboard, admin ui; multi tenant, multitenancy; azure functions; play framework; vert x,
vertx; io uring; zero copy; shared memory; smart card; accept language; x frame options; server timing; alt svc;
resumable upload, tus; range request; server push, http push; keep alive; correlation id, request id; access log; geo
replication; multi region; double entry; on call; user agent; device code; port forwarding; agent forwarding; jump
host, bastion; artifact; build matrix; test report; code signing; app store, play store; home assistant; parental
control; remote desktop, vnc, rdp; split screen; picture in picture; voice message; group chat; direct message; end
user license; refresh token; device flow, device code; remember me; brute force; account lockout; basic auth; digest
auth; delta lake; materialized view; stored procedure; cookie banner, cookie consent; collaborative editing; typing
indicator; maintenance mode; reader mode; bloom filter; skip list; consistent hashing; work stealing; memory leak;
property based; load test; contract test, pact; robot framework; live tv; gift card; time tracking; split transaction;
net worth; spaced repetition; certificate authority; post quantum; x11 forwarding; api gateway; api versioning; bulk
import; persisted queries; hardware acceleration; night mode; family sharing; guest account; burn down; custom domain;
white label; url shortener, short links; search history; saved searches; voice call, video call; screen sharing; file
locking; delta sync; bandwidth limit; parallel download; client side encryption; public key pinning, certificate
pinning; session recording; log rotation; log shipping; memory profiler; dead code elimination; garbage collector,
garbage collection; hot standby; point in time recovery; write ahead log, wal; query planner; prepared statement; slow
query log; row level security; temporal tables; optimistic locking; pessimistic locking; composite key; spatial index;
graph database; time series; event bus; message broker; request coalescing; response caching, response cache;
background job, background jobs; job queue; web dashboard, dashboard; command palette; static analysis; dependency
injection; service mesh; sticky session; canary release; auto scaling, autoscaling, autoscaler; spot instance; cold
start; edge function; page view, page views; bounce rate; a b test, split test; business day, public holiday,
holidays; working hours; leap second; daylight saving, daylight savings; exchange rate; credit card; bank account
"""


def words_of(text: str) -> tuple[str, ...]:
    """Stems of words as written, identifiers whole."""
    return tuple(stem(word) for word in WORD.findall(text.lower()))


def read_topics() -> dict[Name, tuple[Name, ...]]:
    """Each name as stems -> all names of the same thing, itself among them."""
    out: dict[Name, tuple[Name, ...]] = {}
    for group in (*_GROUPS.split(";"), *_NAMES.split()):
        names = tuple(words_of(name) for name in group.split(","))
        for name in names:
            out[name] = tuple(dict.fromkeys((*out.get(name, ()), *names)))
    return out


TOPICS = read_topics()
LONGEST = max(map(len, TOPICS))


def find_topics(text: str) -> list[tuple[str, Name]]:
    """The names in a text, as written and as stems, each once: by whole words, then by parts of identifiers."""
    found: dict[Name, str] = {}
    whole = [(stem(m[0].lower()), m.start(), m.end()) for m in WORD.finditer(text)]
    parts = [(stem(part), m.start(), m.end()) for m in WORD.finditer(text) for part in split_identifier(m[0])]
    for words in (whole, parts):
        at = 0
        while at < len(words):
            sizes = range(min(LONGEST, len(words) - at), 0, -1)
            names = (tuple(root for root, _, _ in words[at : at + size]) for size in sizes)
            name = next((n for n in names if n in TOPICS), None)
            if name and not any(set(name) <= set(known) for known in found):
                found[name] = text[words[at][1] : words[at + len(name) - 1][2]]
            at += len(name) if name else 1
    return [(written, name) for name, written in found.items()]
