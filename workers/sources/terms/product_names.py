"""Names of systems, protocols, formats and platforms, and of what a product can do: what `topics` looks for."""

from __future__ import annotations

# Each by itself.
NAMES = """
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
xbox playstation nintendo unreal godot blender figma photoshop autocad tidb yugabyte foundationdb aerospike arangodb
orientdb dgraph janusgraph hbase impala druid pinot vertica teradata greenplum pouchdb indexeddb lmdb berkeleydb riak
rethinkdb surrealdb planetscale turso libsql pinecone weaviate milvus qdrant faiss pgvector memgraph questdb
victoriametrics thanos ceph gluster hdfs ipfs backblaze wasabi db2 informix sybase firebird hsqldb h2database graphdb
exasol rocketmq ksqldb eventhub servicebus pubsub nanomsg redpanda resque mosquitto emqx solace faktory eventbridge
celery sidekiq nsq beanstalkd gearman ironmq disque mulesoft fargate ecs eks gke aks cloudformation cloudwatch
cloudtrail route53 cloudfront stackdriver ec2 rds elasticache sagemaker openstack proxmox vmware vsphere hyperv qemu
firecracker linode hetzner scaleway openshift rancher k3s minikube kustomize crossplane knative openfaas cloudrun
appengine beanstalk vagrantfile u2f adfs casbin abac spiffe paseto macaroon passwordless authy bitwarden lastpass
1password hibp tftp sftp nntp gopher gemini rtp rtsp rtmp sctp dtls ntp ptp ssdp bgp ospf vrrp vlan vxlan ipsec
openvpn tailscale zerotier icmp traceroute netflow ipfix bacnet profinet mavlink coap lwm2m ble rs232 uart i2c jtag
pop3 lmtp ipv6 multicast anycast radsec netcdf stl gltf fbx tiff bmp webm mkv mp4 mp3 flac ogg wav aac m3u djvu mobi
odt ods rtf pptx xlsx xls tsv ndjson jsonl json5 plist edn dhall hcl jsonnet kdl skos rdfa microdata har pcapng lzma
xz bzip2 lzo dmg msix apk ipa nupkg crx xpi visio mbox pst eml mediawiki creole rst docbook dita xliff tmx srt vtt exr
preact solidjs qwik alpinejs nuxt nextjs sveltekit redux mobx zustand vuex pinia xstate ngrx threejs chartjs echarts
highcharts mapbox openlayers cesium tiptap prosemirror tinymce ckeditor rehype highlightjs prismjs shiki mathml bulma
mui chakra deno swc turbopack snowpack bower lerna turborepo webgl webgpu webxr sinatra hanami fastapi starlette sanic
falcon pyramid nestjs koa hapi fastify adonis strapi directus struts vaadin grails dropwizard javalin helidon jersey
codeigniter yii cakephp laminas phalcon beego actix phoenix akka pekko finagle zio aspnet blazor signalr orleans dapr
masstransit nservicebus hangfire sqlalchemy peewee hibernate jpa jooq mybatis sequelize typeorm prisma drizzle knex
mongoose gorm sqlx eloquent activerecord nhibernate liquibase flyway alembic mocha jest vitest capybara rspec phpunit
codeception behat testng spock mockito xunit nunit jmeter k6 toxiproxy stryker pitest graylog appdynamics dynatrace
instana signoz fluentbit promtail telegraf collectd nagios zabbix icinga sensu netdata riemann launchdarkly flagsmith
growthbook rudderstack snowplow fullstory logrocket pprof ebpf bpftrace dtrace valgrind jfr exemplar mistral
huggingface pytorch tensorflow keras onnx coreml mlflow kubeflow finetuning tesseract opencv yolo reranker adyen
braintree razorpay mollie gocardless alipay venmo ach bic psd2 kyc aml pci xero quickbooks freshbooks zapier n8n ifttt
airtable clickup basecamp intercom freshdesk zoho pipedrive marketo klaviyo braze onesignal pubnub vonage plivo nexmo
viber threema rocketchat zulip discourse phpbb dokuwiki obsidian evernote onenote pastebin forgejo gogs gerrit
phabricator teamcity buildkite appveyor bitrise fastlane youtrack redmine bugzilla pivotaltracker snyk trivy wazuh
suricata modsecurity crowdsec ssrf xxe hsm pkcs11 sgx sigstore cosign slsa spdx cyclonedx gpg sops csrf shamir
homomorphic steganographic dbus wayland x11 gtk qt gnome tauri winforms wpf uwp maui xamarin swiftui uikit ionic
cordova siri alexa cortana carplay wearos directx arkit arcore oculus kinect applescript autohotkey wsl
cygwin solaris haiku quadtree geohash simhash minhash levenshtein soundex metaphone trigram bm25 tfidf pagerank
dijkstra lamport outbox backpressure dithering dithered minification minify chargeback paywall geotag typosquatting
holography hologram xsd relaxng schematron xinclude xforms svgz fuse xattr inotify fsevents kqueue iocp dpdk xdp numa
rdma infiniband mpi openmp opencl rocm sycl cupy numpy pandas polars dask jupyter streamlit gradio tableau powerbi
metabase superset qlik dremio hudi nifi sqoop flume dataproc fivetran airbyte meltano tealium indesign sketchup revit
solidworks gerber verilog vhdl fpga plc scada arduino esp32 micropython zephyr freertos mbed px4 gnss ntrip nmea obd
autosar bolt11 metamask walletconnect solc erc20 erc721 uniswap bip39 bip32 monero litecoin dogecoin esim imei rcs mms
ussd ss7 volte starlink ipmi redfish ilo idrac pxe tftpboot cobbler saltstack cfengine spacewalk ovirt xen lxc lxd
buildah skopeo kaniko buildpacks nerdctl containerd runc kata gvisor grpcweb connectrpc twirp trpc dgs hasura
postgraphile apollo urql graphiql cosmosdb bigtable documentdb timestream sarif cobertura testrail xray zephyrscale
browserstack saucelabs applitools appium espresso xctest semanticrelease conventionalcommits wcag voiceover talkback
nvda jaws dyslexia esperanto klingon pinyin furigana romaji hebrew arabic hijri gettext crowdin weblate transifex
lokalise pseudolocalization icu4j spamassassin rspamd postfix dovecot exim sendmail procmail mailman listserv dmarcbis
srtp zrtp webtransport masque odoh dnscrypt doq i2p freenet
"""
# Things of several words or names: commas between the names of one.
GROUPS = """
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
holidays; working hours; leap second; daylight saving, daylight savings; exchange rate; credit card; bank account; srv
record, srv records; mx record, mx records; txt record, txt records; reverse dns, ptr record; happy eyeballs; tcp fast
open; path mtu; named pipe, named pipes; copy on write; arena allocator; slab allocator; huge pages; cpu affinity, cpu
pinning; green thread, green threads; actor model; lock free; hazard pointer, hazard pointers; deadlock detection;
priority inversion; congestion control; adaptive concurrency; hedged request, hedged requests; retry budget; kill
switch; read repair; hinted handoff; anti entropy; snapshot isolation; nested transaction, nested transactions;
distributed transaction, distributed transactions, xa transaction; change data capture; query hint; recursive cte;
column family, column families; secondary index, secondary indexes; hot key; cache stampede, thundering herd; negative
caching; write behind; cache warming; presigned url, signed url, signed urls; hotlink protection; face recognition,
facial recognition; object detection; blurhash, blur hash; color palette; high contrast; screen reader, screen
readers; voice control; grammar check; plagiarism check; text classification; sentiment analysis; language detection;
profanity filter; shadow ban; ip allowlist, ip whitelist; geo blocking; bot detection; device fingerprint, device
fingerprinting; session replay; password policy; password strength; password history; breached password, breached
passwords; security question, security questions; recovery code, recovery codes, backup code, backup codes; trusted
device, trusted devices; data residency; data masking; envelope encryption; zero knowledge; secret sharing; smart
contract, smart contracts; message priority, message priorities; delayed message, delayed messages; poison message,
poison messages; cron schedule, cron expression, cron; fuzzy finder, fuzzy search; vim mode, vi mode; emacs mode;
system tray, tray icon; incremental build, incremental builds; remote cache, remote caching; remote execution; cross
compilation, cross compile; profile guided; code splitting; critical css; font subsetting; client hints; early hints;
client certificate, client certificates; session ticket, session tickets; http pipelining; json patch; merge patch;
json api; problem details; uri template, uri templates; request signing; aws signature, sigv4; chat message, chat
messages; adaptive cards, adaptive card; html form, html forms; e signature, e signatures; scheduled post, scheduled
posts, scheduled publishing; expiry date, expiration date; content management; approval workflow; emoji reaction,
emoji reactions; presence indicator, online status; invite link, invitation; abandoned cart; wish list; product
review, product reviews; star rating, star ratings; order tracking; purchase order, purchase orders; price alert,
price alerts; email digest, digest email; weekly report, scheduled report, scheduled reports; bulk edit; csv export;
csv import; excel export; pdf export; print preview; saved view, saved views, saved filter, saved filters; guest
access; account merge; data retention, retention policy; age verification; terms of service; cookie policy; usage
quota; usage metering; trial period, free trial; payment gateway; payment provider; late fee; tax rate, tax rates;
exchange rates; bank transfer; direct debit; general ledger; chart of accounts; cash flow; pay slip, payslip; leave
request; shift schedule; appointment; waiting list; seating plan; floor plan; gift wrapping; delivery slot; route
planning, route optimization; fleet management; driver score; fuel consumption; speed limit, speed limits; traffic
light; air quality; heart rate; sleep tracking; step counter; calorie, calories; recipe, recipes; shopping list;
grocery; book club; lending; library card; citation, citations; bibliography; footnote, footnotes; glossary; pull
request; merge queue; code review, code owners; branch protection; commit signing; release train; staged rollout;
smoke test; snapshot test, snapshot testing; golden file; flaky test, flaky tests; test sharding; code coverage;
mutation score; load shedding; traffic mirroring, shadow traffic; traffic splitting; ab testing, a b testing; geo dns;
edge cache; origin shield; web application firewall; intrusion detection; port knocking; port scan; packet capture;
deep packet; bandwidth throttling, traffic shaping; link aggregation; wake on lan; screen recording; screen share;
video conference, video conferencing; call recording; call queue; voice mail, voicemail; speech synthesis; wake word;
noise cancellation; echo cancellation; equalizer; crossfade; gapless playback; replaygain, replay gain; cover art,
album art; live stream, live streaming; closed captions; frame interpolation; motion detection; time lapse; panorama;
raw photos, raw images; face detection; color grading; green screen; sprite sheet; particle system; path tracing, ray
tracing; collision detection; pathfinding; save game, save games; matchmaking; anti cheat; game server; mod support;
high score, high scores; daily challenge; push to talk; model checkpoint; vector search, vector database; prompt
template, prompt templates; knowledge graph; topic modeling; anomaly detection; churn prediction; demand forecast,
forecasting; fraud detection; cohort analysis; funnel analysis, conversion funnel; attribution model; click tracking;
open tracking, tracking pixel; utm parameters; customer segment, customer segments; email campaign, email campaigns;
drip campaign; landing page, landing pages; form builder; page builder; theme marketplace; plugin marketplace,
extension marketplace; template gallery; style guide; design tokens; print stylesheet; web components, web component;
shadow dom; micro frontend, micro frontends; server components; static export; image optimization; responsive images;
lazy images; web vitals; error boundary; feature policy; permissions policy; subresource integrity; trusted types;
session fixation; sql injection; zip bomb; padding oracle; timing attack; key exchange; key derivation; forward
secrecy; certificate rotation, certificate renewal; certificate revocation, crl; hardware token, hardware tokens;
identity provider; service account, service accounts; personal access token, personal access tokens; token
introspection; token revocation; token exchange; client credentials; dynamic client registration; consent screen; user
provisioning; group sync; role hierarchy; attribute based; access review; break glass; tamper proof, tamper evident;
chain of custody; privacy policy; right to erasure, right to be forgotten; disaster recovery; incremental backup,
incremental backups; snapshot restore; cold storage, tiered storage; object storage; block storage; erasure coding;
disk encryption; disk quota, storage quota; raid; hot plug; battery level; power saving, low power; dark launch;
stack overflow protection; device tree; kernel module; boot loader; firmware update, over the air, ota; mesh network,
mesh networking; time synchronization; unit conversion; currency conversion; address validation; postal code, zip
code; time zone converter; working calendar; fiscal year; voice assistant; chat bot; forward proxy; transparent proxy;
graceful restart; rolling restart, rolling update, rolling upgrade; cluster autoscaler; node affinity; resource quota,
resource quotas; sidecar; admission webhook; config map, configmap; secret store, secrets manager, secret manager;
environment promotion; infrastructure as code; drift detection; cost report, cost allocation; status page; incident
report; escalation policy; alert rule, alert rules, alerting; synthetic monitoring; real user monitoring; distributed
tracing; tail sampling; log aggregation; log redaction; audit export; capacity planning; service level, slo, sla;
error budget; runbook; heap profile, heap profiler; cpu profiler, cpu profile; allocation profile; streaming parser,
sax parser, pull parser; xml schema; schema inference; css selectors; operator overloading; garbage collection pause;
step debugger, interactive debugger; hex dump, hex view, hex viewer; image preview; python bindings, language
bindings; regex lookbehind, lookbehind; named capture; unicode normalization; bidirectional text; grapheme cluster,
grapheme clusters; emoji shortcodes; split view, split pane; side by side diff; three way merge; word diff; git blame,
blame view; commit graph; worktree; sparse checkout; partial clone; git lfs, lfs; two way sync, bidirectional sync;
selective sync; conflict copy; network drive; union mount; sparse file, sparse files; extended attributes; bandwidth
schedule; hole punching, nat traversal; onion routing; domain fronting; split tunneling; captive portal; guest
network; parental lock; content rating; watch party; watch history; continue watching; skip intro; chapter markers;
subtitle download; audio normalization, loudness; bit depth; midi input; tap tempo; voice commands; offline maps; turn
by turn; live location; geofencing alert; trip report, trip reports; driver behavior; maintenance reminder; fuel
price; charging station; carbon footprint; energy consumption; smart meter; solar panel; home automation; scene
automation; presence detection; door lock; alarm system; smoke detector; recurring invoice, recurring invoices;
recurring tasks; credit note, credit notes; payment reminder, payment reminders, dunning; multi currency; tax report;
tax return; profit and loss; balance sheet; bank feed, bank feeds, bank sync; open banking; receipt scanning; mileage;
payroll export; time off; performance review; job posting; applicant tracking; org chart; employee directory; training
course; learning path; certificate of completion; spaced review; image occlusion; cloze; speech to text; handwriting
recognition; peer review; plagiarism; rubric; parent portal; class schedule; study streak; daily goal; leader board;
points system; reward points; karma points; reputation score; trust level, trust levels; user flair; community award;
sticky post, pinned post; thread lock; user blocking, block list; word filter; report queue; moderation queue; mod
log; ban appeal; wiki page, wiki pages; private message, private messages; group message; message scheduling,
scheduled message, scheduled messages; message translation; auto reply, auto responder; canned response, canned
responses; ticket assignment; support ticket, support tickets; live chat; customer portal; satisfaction survey; net
promoter; call center; on call rotation; incident timeline; maintenance window, maintenance windows; public status;
uptime badge; ssl expiry; domain expiry; keyword check; port check; page speed; broken link, broken links; visual
diff; page screenshot; search console; keyword ranking; backlinks, backlink; heat map; cohort; retention report;
revenue report; goal conversion; campaign tracking; ad blocker; ad network, ad server; consent banner; ip
anonymization; cross domain tracking; email report; api explorer; api console; api playground; sdk generator, client
generator; mock server; contract testing; record and replay; load generator; ramp up; soak test; think time; browser
recorder; har import; distributed load; result comparison; regression detection; performance budget; percentiles
chart; live dashboard; feature branch; preview environment, preview environments; review app, review apps; merge
train; affected packages; build cache; remote build; build badge; test splitting; test retry; artifact retention;
deployment approval, manual approval; environment protection; secret rotation; secret scanning; license scanning;
dependency graph; vulnerability scan, vulnerability scanning; container scanning; signed commits; signed images;
policy as code; matrix build; macos runner, windows runner; nested pipeline, child pipeline; pipeline template; cron
trigger; chatops; theme editor; theme switcher; custom css; custom theme; color scheme editor; keyboard layout; touch
gesture, touch gestures; pinch to zoom; haptic; home screen widget; app shortcut; share sheet; deep link, deep links,
universal links; app clip; in app purchase, in app purchases; push to start; background sync; background fetch;
biometric unlock, biometrics; face id; pin code; app lock; screen lock; secure enclave; clipboard history; quick look;
touch bar; menu bar; dock icon; jump list; live tile; windows service; launch agent; startup item; portable mode;
silent install; group policy; mobile device, mdm; proxy auto; airplane mode; data saver; metered connection; low
bandwidth; server selection; matchmaking queue; statistics export; database sharding; query builder ui; schema diff;
schema designer; er diagram; data seeding; data generator, fake data; data lineage; data catalog; data quality; slowly
changing; star schema; pivot table, pivot tables; drill down; scheduled query; saved query, saved queries; query
history; stored functions; database trigger, database triggers; full join; geospatial query; graph traversal; fuzzy
matching; synonym, synonyms; stop words; faceted search, facets; search suggestions; relevance feedback; learning to
rank; semantic cache; adaptive authentication; risk score, risk based; login notification, login alert; new device;
session limit, concurrent sessions; forced logout; single logout; account linking, social login; username change;
account recovery; account deactivation; invite code; waitlist; phone verification; identity verification; captcha
challenge; proof of work; bot score; request signature; replay attack; mutual authentication; client attestation; key
pinning; ssh certificate, ssh certificates; agent socket; host key rotation; port forward; connection multiplexing;
session sharing; terminal recording; terminal multiplexer; serial console; x forwarding; file transfer resume;
compression dictionary; dictionary compression; delta encoding; content addressing; chunk deduplication; bit rot;
write once, worm; object lock; lifecycle rule, lifecycle rules; requester pays; cross region; bucket policy; access
point; multi cloud; server side copy; directory bucket
"""
