#!/usr/bin/env python3
"""Builds the freight system: repo/, metrics.txt, rules.yml, deploys.json.

python build.py OUT --now UNIX_SECONDS        (deterministic for one --now)
"""
import argparse
import datetime as dt
import json
import math
import os
import random
import shutil
import subprocess

UTC = dt.timezone.utc

AUTHORS = {
    "mara": ("Mara Lindqvist", "mara.lindqvist@lanehaul.example"),
    "tomas": ("Tomas Ibarra", "tomas.ibarra@lanehaul.example"),
    "jonas": ("Jonas Feld", "jonas.feld@lanehaul.example"),
    "priya": ("Priya Nair", "priya.nair@lanehaul.example"),
}

# ---------------------------------------------------------------- file texts
F = {}

F["README.md"] = r'''# Lanehaul platform

Tracking and quoting for road freight. One Go module, four services:

| Service | What it does | Port |
|---|---|---|
| `tracking-api` | shipment status, event history, carrier webhooks | 8080 |
| `quote-api` | prices a load, keeps quotes, serves rate cards | 8081 |
| `eta-worker` | reads truck positions, writes arrival estimates | 9102 |
| `notify-worker` | sends e-mail and SMS on shipment events | 9103 |

## Run it on your machine

```
make deps      # Postgres 15 and Kafka in containers
make migrate
LANEHAUL_ENV=development go run ./cmd/quote-api
```

Configuration is `config/base.yaml` overlaid with `config/<LANEHAUL_ENV>.yaml`.
Secrets come from the environment only, never from these files.

## Release

Releases are tagged `vMAJOR.MINOR.PATCH` on `main`. A tag builds all four images;
each service is rolled out on its own with `make rollout SERVICE=… VERSION=…`.
No rollouts on Fridays after 14:00 UTC without the primary on call agreeing.

More: `docs/architecture.md`, `docs/slo.md`, `docs/oncall.md`, `docs/runbooks/`.
'''

F["go.mod"] = r'''module lanehaul.example/platform

go 1.23

require (
	github.com/jackc/pgx/v5 v5.6.0
	github.com/segmentio/kafka-go v0.4.47
	go.opentelemetry.io/otel v1.30.0
	golang.org/x/sync v0.8.0
	gopkg.in/yaml.v3 v3.0.1
)
'''

F["Makefile"] = r'''SERVICE ?= tracking-api
VERSION ?= $(shell git describe --tags --abbrev=0)
REGISTRY := registry.lanehaul.example/platform

.PHONY: deps migrate test lint rollout rollback

deps:
	docker compose -f deploy/compose.yaml up -d postgres kafka

migrate:
	go run ./cmd/migrate up

test:
	go test -race -timeout 120s ./...

lint:
	golangci-lint run --timeout 3m

rollout:
	kubectl -n freight set image deployment/$(SERVICE) app=$(REGISTRY)/$(SERVICE):$(VERSION)
	kubectl -n freight rollout status deployment/$(SERVICE) --timeout=300s

rollback:
	kubectl -n freight set image deployment/$(SERVICE) app=$(REGISTRY)/$(SERVICE):$(VERSION)
	kubectl -n freight rollout status deployment/$(SERVICE) --timeout=180s
'''

F["cmd/tracking-api/main.go"] = r'''package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
	"lanehaul.example/platform/internal/httpx"
	"lanehaul.example/platform/internal/tracking"
)

func main() {
	cfg, err := config.Load(os.Getenv("LANEHAUL_ENV"))
	if err != nil {
		slog.Error("config", "err", err)
		os.Exit(1)
	}
	pool, err := db.Open(context.Background(), "tracking", cfg.DB["tracking"])
	if err != nil {
		slog.Error("db", "err", err)
		os.Exit(1)
	}
	h := tracking.NewHandler(tracking.NewStore(pool), cfg.Webhook)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/shipments/{id}", h.GetShipment)
	mux.HandleFunc("GET /v1/shipments/{id}/events", h.ListEvents)
	mux.HandleFunc("POST /v1/webhooks/carrier", h.CarrierWebhook)
	mux.HandleFunc("GET /healthz", httpx.Health(pool))

	srv := httpx.NewServer(":8080", httpx.Instrument("tracking-api", mux), cfg.HTTP)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	httpx.Run(ctx, srv, cfg.HTTP.ShutdownGrace)
}
'''

F["cmd/quote-api/main.go"] = r'''package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
	"lanehaul.example/platform/internal/httpx"
	"lanehaul.example/platform/internal/quote"
)

func main() {
	cfg, err := config.Load(os.Getenv("LANEHAUL_ENV"))
	if err != nil {
		slog.Error("config", "err", err)
		os.Exit(1)
	}
	ctx := context.Background()
	// Writes and pricing go to the primary, reads of kept quotes and rate cards
	// to the replica. See docs/adr/0001-separate-read-pool.md.
	rw, err := db.Open(ctx, "quotes", cfg.DB["quotes"])
	if err != nil {
		slog.Error("db quotes", "err", err)
		os.Exit(1)
	}
	ro, err := db.Open(ctx, "quotes_ro", cfg.DB["quotes_ro"])
	if err != nil {
		slog.Error("db quotes_ro", "err", err)
		os.Exit(1)
	}
	h := quote.NewHandler(quote.NewPricer(rw, cfg.Quote), rw, ro, cfg.Quote)

	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/quotes", h.CreateQuote)
	mux.HandleFunc("GET /v1/quotes/{id}", h.GetQuote)
	mux.HandleFunc("GET /v1/rates", h.ListRates)
	mux.HandleFunc("GET /healthz", httpx.Health(ro))

	srv := httpx.NewServer(":8081", httpx.Instrument("quote-api", mux), cfg.HTTP)
	sctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	httpx.Run(sctx, srv, cfg.HTTP.ShutdownGrace)
}
'''

F["cmd/eta-worker/main.go"] = r'''package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
	"lanehaul.example/platform/internal/eta"
)

func main() {
	cfg, err := config.Load(os.Getenv("LANEHAUL_ENV"))
	if err != nil {
		slog.Error("config", "err", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	pool, err := db.Open(ctx, "eta", cfg.DB["eta"])
	if err != nil {
		slog.Error("db", "err", err)
		os.Exit(1)
	}
	c := eta.NewConsumer(cfg.Kafka, pool)
	if err := c.Run(ctx); err != nil {
		slog.Error("consumer stopped", "err", err)
		os.Exit(1)
	}
}
'''

F["cmd/notify-worker/main.go"] = r'''package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/notify"
)

func main() {
	cfg, err := config.Load(os.Getenv("LANEHAUL_ENV"))
	if err != nil {
		slog.Error("config", "err", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := notify.NewWorker(cfg.Kafka, cfg.Notify).Run(ctx); err != nil {
		slog.Error("worker stopped", "err", err)
		os.Exit(1)
	}
}
'''

F["internal/config/config.go"] = r'''// Package config reads config/base.yaml and overlays one environment.
package config

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"
)

type HTTP struct {
	ReadTimeout    time.Duration `yaml:"read_timeout"`
	RequestTimeout time.Duration `yaml:"request_timeout"`
	ShutdownGrace  time.Duration `yaml:"shutdown_grace"`
}

type Pool struct {
	DSNEnv         string        `yaml:"dsn_env"`
	MaxOpen        int           `yaml:"max_open"`
	AcquireTimeout time.Duration `yaml:"acquire_timeout"`
}

type Quote struct {
	Validity time.Duration `yaml:"validity"`
	MaxLanes int           `yaml:"max_lanes"`
}

type Kafka struct {
	Brokers      []string      `yaml:"brokers"`
	BatchSize    int           `yaml:"batch_size"`
	PollInterval time.Duration `yaml:"poll_interval"`
}

type Webhook struct {
	SecretEnv string `yaml:"secret_env"`
	MaxBody   int64  `yaml:"max_body"`
}

type Notify struct {
	SMSTimeout  time.Duration `yaml:"sms_timeout"`
	MailTimeout time.Duration `yaml:"mail_timeout"`
}

type Config struct {
	HTTP    HTTP            `yaml:"http"`
	DB      map[string]Pool `yaml:"db"`
	Quote   Quote           `yaml:"quote"`
	Kafka   Kafka           `yaml:"kafka"`
	Webhook Webhook         `yaml:"webhook"`
	Notify  Notify          `yaml:"notify"`
}

// Load returns base.yaml overlaid with <env>.yaml; an empty env means development.
func Load(env string) (Config, error) {
	if env == "" {
		env = "development"
	}
	dir := os.Getenv("LANEHAUL_CONFIG_DIR")
	if dir == "" {
		dir = "config"
	}
	var cfg Config
	for _, name := range []string{"base.yaml", env + ".yaml"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return cfg, fmt.Errorf("read %s: %w", name, err)
		}
		if err := yaml.Unmarshal(raw, &cfg); err != nil {
			return cfg, fmt.Errorf("parse %s: %w", name, err)
		}
	}
	return cfg, nil
}
'''

F["internal/db/pool.go"] = r'''// Package db wraps pgxpool with an upper bound on how long a caller waits for a connection.
package db

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"lanehaul.example/platform/internal/config"
)

// ErrPoolTimeout means that no connection became free within acquire_timeout.
var ErrPoolTimeout = errors.New("db: timed out waiting for a connection")

type Pool struct {
	Name string
	cfg  config.Pool
	raw  *pgxpool.Pool
}

func Open(ctx context.Context, name string, cfg config.Pool) (*Pool, error) {
	pc, err := pgxpool.ParseConfig(os.Getenv(cfg.DSNEnv))
	if err != nil {
		return nil, fmt.Errorf("pool %s: %w", name, err)
	}
	pc.MaxConns = int32(cfg.MaxOpen)
	raw, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("pool %s: %w", name, err)
	}
	registerPoolMetrics(name, raw) // db_client_connections_*
	return &Pool{Name: name, cfg: cfg, raw: raw}, nil
}

// Acquire waits at most acquire_timeout and then gives up with ErrPoolTimeout.
func (p *Pool) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.AcquireTimeout)
	defer cancel()
	conn, err := p.raw.Acquire(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		countTimeout(p.Name)
		return nil, ErrPoolTimeout
	}
	return conn, err
}
'''

F["internal/httpx/client.go"] = r'''package httpx

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	defaultTimeout = 3 * time.Second
	maxAttempts    = 4
	baseBackoff    = 150 * time.Millisecond
)

// ErrGaveUp wraps the last failure after all attempts were used.
var ErrGaveUp = errors.New("httpx: gave up")

// Client is an http.Client that tries again on 502, 503, 504 and on network errors.
type Client struct {
	Peer string
	HTTP *http.Client
}

func NewClient(peer string, timeout time.Duration) *Client {
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return &Client{Peer: peer, HTTP: &http.Client{Timeout: timeout}}
}

func (c *Client) Do(ctx context.Context, req *http.Request) (*http.Response, error) {
	var last error
	for attempt := 0; attempt < maxAttempts; attempt++ {
		if attempt > 0 {
			if err := sleep(ctx, backoff(attempt)); err != nil {
				return nil, err
			}
		}
		resp, err := c.HTTP.Do(req.WithContext(ctx))
		if err == nil && !retryStatus(resp.StatusCode) {
			return resp, nil
		}
		last = err
	}
	return nil, errors.Join(ErrGaveUp, last)
}

// backoff doubles from baseBackoff: 150 ms, 300 ms, 600 ms.
func backoff(attempt int) time.Duration {
	return baseBackoff << (attempt - 1)
}

func retryStatus(code int) bool {
	return code == http.StatusBadGateway || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
'''

F["internal/httpx/server.go"] = r'''// Package httpx holds what all HTTP services share: server, metrics, health, client.
package httpx

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
)

func NewServer(addr string, h http.Handler, cfg config.HTTP) *http.Server {
	return &http.Server{
		Addr:        addr,
		Handler:     http.TimeoutHandler(h, cfg.RequestTimeout, `{"error":"timeout"}`),
		ReadTimeout: cfg.ReadTimeout,
	}
}

// Run serves until ctx ends, then drains for at most grace.
func Run(ctx context.Context, srv *http.Server, grace time.Duration) {
	go func() {
		if err := srv.ListenAndServe(); err != http.ErrServerClosed {
			slog.Error("listen", "err", err)
		}
	}()
	<-ctx.Done()
	dctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = srv.Shutdown(dctx)
}

// Instrument records http_server_request_duration_seconds by route and status.
func Instrument(service string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w, code: http.StatusOK}
		start := time.Now()
		next.ServeHTTP(rec, r)
		observe(service, r.Method, r.Pattern, strconv.Itoa(rec.code), time.Since(start))
	})
}

// Health answers 200 when the pool answers a ping within one second.
func Health(pool *db.Pool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		conn, err := pool.Acquire(ctx)
		if err != nil {
			http.Error(w, "db", http.StatusServiceUnavailable)
			return
		}
		defer conn.Release()
		w.WriteHeader(http.StatusOK)
	}
}

type recorder struct {
	http.ResponseWriter
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}
'''

F["internal/tracking/handlers.go"] = r'''package tracking

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"lanehaul.example/platform/internal/config"
)

const (
	defaultEventLimit = 50
	maxEventLimit     = 500
)

type Handler struct {
	store   *Store
	webhook config.Webhook
}

func NewHandler(s *Store, w config.Webhook) *Handler {
	return &Handler{store: s, webhook: w}
}

// GetShipment serves GET /v1/shipments/{id}.
func (h *Handler) GetShipment(w http.ResponseWriter, r *http.Request) {
	s, err := h.store.Shipment(r.Context(), r.PathValue("id"))
	switch {
	case errors.Is(err, ErrNotFound):
		http.Error(w, `{"error":"unknown shipment"}`, http.StatusNotFound)
	case err != nil:
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
	default:
		w.Header().Set("Cache-Control", "private, max-age=15")
		writeJSON(w, http.StatusOK, s)
	}
}

// ListEvents serves GET /v1/shipments/{id}/events, newest first.
func (h *Handler) ListEvents(w http.ResponseWriter, r *http.Request) {
	limit := defaultEventLimit
	if v := r.URL.Query().Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxEventLimit {
			http.Error(w, `{"error":"limit"}`, http.StatusBadRequest)
			return
		}
		limit = n
	}
	ev, err := h.store.Events(r.Context(), r.PathValue("id"), limit)
	if err != nil {
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
		return
	}
	writeJSON(w, http.StatusOK, ev)
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}
'''

F["internal/tracking/store.go"] = r'''package tracking

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"lanehaul.example/platform/internal/db"
)

var ErrNotFound = errors.New("tracking: no such shipment")

type Shipment struct {
	ID        string    `json:"id"`
	Reference string    `json:"reference"`
	Carrier   string    `json:"carrier"`
	Status    string    `json:"status"`
	ETA       time.Time `json:"eta"`
}

type Event struct {
	At     time.Time `json:"at"`
	Status string    `json:"status"`
	Place  string    `json:"place"`
}

type Store struct{ pool *db.Pool }

func NewStore(p *db.Pool) *Store { return &Store{pool: p} }

func (s *Store) Shipment(ctx context.Context, id string) (*Shipment, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	var out Shipment
	err = conn.QueryRow(ctx,
		`SELECT id, reference, carrier, status, eta FROM shipments WHERE id = $1`, id).
		Scan(&out.ID, &out.Reference, &out.Carrier, &out.Status, &out.ETA)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	return &out, err
}

func (s *Store) Events(ctx context.Context, id string, limit int) ([]Event, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	rows, err := conn.Query(ctx,
		`SELECT at, status, place FROM shipment_events WHERE shipment_id = $1 ORDER BY at DESC LIMIT $2`, id, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
}
'''

F["internal/tracking/webhook.go"] = r'''package tracking

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"lanehaul.example/platform/internal/carrier"
)

// signatureTolerance is how old a signed carrier call may be.
const signatureTolerance = 15 * time.Minute

// CarrierWebhook serves POST /v1/webhooks/carrier. It checks the signature, puts the
// raw message on carrier.webhooks and answers 202; nothing is written to Postgres here.
func (h *Handler) CarrierWebhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.webhook.MaxBody))
	if err != nil {
		http.Error(w, `{"error":"body"}`, http.StatusRequestEntityTooLarge)
		return
	}
	if !validSignature(r.Header, body, os.Getenv(h.webhook.SecretEnv), time.Now()) {
		http.Error(w, `{"error":"signature"}`, http.StatusUnauthorized)
		return
	}
	if err := carrier.Publish(r.Context(), "carrier.webhooks", body); err != nil {
		http.Error(w, `{"error":"queue"}`, http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func validSignature(hd http.Header, body []byte, secret string, now time.Time) bool {
	ts := hd.Get("X-Carrier-Timestamp")
	unix, err := strconv.ParseInt(ts, 10, 64)
	if err != nil || now.Sub(time.Unix(unix, 0)).Abs() > signatureTolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(ts + "."))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(hd.Get("X-Carrier-Signature")))
}
'''

F["internal/carrier/client.go"] = r'''// Package carrier talks to the carrier gateway, which hides the carriers' own APIs.
package carrier

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"lanehaul.example/platform/internal/httpx"
)

// gatewayTimeout is per attempt; carriers behind the gateway are slow in the morning.
const gatewayTimeout = 2500 * time.Millisecond

type Client struct {
	base string
	http *httpx.Client
}

func New(base string) *Client {
	return &Client{base: base, http: httpx.NewClient("carrier-gateway", gatewayTimeout)}
}

type Status struct {
	Code string    `json:"code"`
	At   time.Time `json:"at"`
}

// Status asks the gateway for a shipment's latest carrier status.
func (c *Client) Status(ctx context.Context, carrierID, reference string) (Status, error) {
	u := fmt.Sprintf("%s/carriers/%s/status?ref=%s", c.base, url.PathEscape(carrierID), url.QueryEscape(reference))
	req, err := http.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		return Status{}, err
	}
	resp, err := c.http.Do(ctx, req)
	if err != nil {
		return Status{}, fmt.Errorf("carrier %s: %w", carrierID, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Status{}, fmt.Errorf("carrier %s: status %d", carrierID, resp.StatusCode)
	}
	var s Status
	return s, json.NewDecoder(resp.Body).Decode(&s)
}
'''

F["internal/carrier/status_map.go"] = r'''package carrier

// statusMap turns carriers' codes into ours. An unknown code becomes "in_transit"
// so that a shipment never disappears from the customer's page.
var statusMap = map[string]string{
	"PU":  "picked_up",
	"DEP": "in_transit",
	"ARR": "at_hub",
	"CUS": "customs_hold",
	"OFD": "out_for_delivery",
	"DLV": "delivered",
	"REF": "refused",
	"LST": "lost",
}

// Normalize returns our status for a carrier's code.
func Normalize(code string) string {
	if s, ok := statusMap[code]; ok {
		return s
	}
	return "in_transit"
}

// Terminal reports whether no further event is expected.
func Terminal(status string) bool {
	return status == "delivered" || status == "refused" || status == "lost"
}
'''

F["internal/quote/handlers.go"] = r'''package quote

import (
	"encoding/json"
	"errors"
	"net/http"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
)

type Handler struct {
	pricer *Pricer
	rw, ro *db.Pool
	cfg    config.Quote
}

func NewHandler(p *Pricer, rw, ro *db.Pool, cfg config.Quote) *Handler {
	return &Handler{pricer: p, rw: rw, ro: ro, cfg: cfg}
}

// CreateQuote serves POST /v1/quotes: validate, price every lane, keep the quote.
func (h *Handler) CreateQuote(w http.ResponseWriter, r *http.Request) {
	var req Request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, `{"error":"json"}`, http.StatusBadRequest)
		return
	}
	if len(req.Lanes) == 0 || len(req.Lanes) > h.cfg.MaxLanes || req.WeightKg <= 0 {
		http.Error(w, `{"error":"invalid load"}`, http.StatusUnprocessableEntity)
		return
	}
	q, err := h.pricer.Price(r.Context(), req)
	if errors.Is(err, db.ErrPoolTimeout) {
		w.Header().Set("Retry-After", "5")
		http.Error(w, `{"error":"busy"}`, http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
		return
	}
	q.ValidFor = h.cfg.Validity
	if err := save(r.Context(), h.rw, q); err != nil {
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = json.NewEncoder(w).Encode(q)
}

// GetQuote serves GET /v1/quotes/{id} from the replica.
func (h *Handler) GetQuote(w http.ResponseWriter, r *http.Request) {
	q, err := load(r.Context(), h.ro, r.PathValue("id"))
	if err != nil {
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(q)
}

// ListRates serves GET /v1/rates from the replica.
func (h *Handler) ListRates(w http.ResponseWriter, r *http.Request) {
	rates, err := rateCards(r.Context(), h.ro, r.URL.Query().Get("region"))
	if err != nil {
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(rates)
}
'''

F["internal/quote/pricing.go"] = r'''package quote

import (
	"context"
	"fmt"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
)

type Lane struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type Request struct {
	Customer string  `json:"customer"`
	Lanes    []Lane  `json:"lanes"`
	WeightKg float64 `json:"weight_kg"`
	ADR      bool    `json:"adr"`
}

type Pricer struct {
	pool *db.Pool
	cfg  config.Quote
}

func NewPricer(p *db.Pool, cfg config.Quote) *Pricer { return &Pricer{pool: p, cfg: cfg} }

// Price prices all lanes of a request one after the other on one connection.
func (p *Pricer) Price(ctx context.Context, req Request) (*Quote, error) {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	q := &Quote{Customer: req.Customer}
	for _, lane := range req.Lanes {
		base, err := laneRate(ctx, conn, lane, req.WeightKg)
		if err != nil {
			return nil, fmt.Errorf("lane %s-%s: %w", lane.From, lane.To, err)
		}
		q.add(lane, base+surcharges(base, req))
	}
	return q, nil
}
'''

F["internal/quote/surcharge.go"] = r'''package quote

const (
	fuelSurcharge   = 0.115 // share of the base price, reviewed every month
	adrSurcharge    = 85.00 // euros per lane, dangerous goods
	overweightFrom  = 22000 // kilograms
	overweightShare = 0.08
)

// surcharges returns what is added to a lane's base price.
func surcharges(base float64, req Request) float64 {
	sum := base * fuelSurcharge
	if req.ADR {
		sum += adrSurcharge
	}
	if req.WeightKg > overweightFrom {
		sum += base * overweightShare
	}
	return sum
}
'''

F["internal/quote/store.go"] = r'''package quote

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"lanehaul.example/platform/internal/db"
)

type Quote struct {
	ID       string        `json:"id"`
	Customer string        `json:"customer"`
	Total    float64       `json:"total"`
	ValidFor time.Duration `json:"valid_for"`
	lanes    []Lane
}

func (q *Quote) add(l Lane, price float64) {
	q.lanes = append(q.lanes, l)
	q.Total += price
}

type RateCard struct {
	Region string  `json:"region"`
	PerKm  float64 `json:"per_km"`
}

func laneRate(ctx context.Context, conn *pgxpool.Conn, l Lane, kg float64) (float64, error) {
	var base float64
	err := conn.QueryRow(ctx, `SELECT lane_price($1, $2, $3)`, l.From, l.To, kg).Scan(&base)
	return base, err
}

func save(ctx context.Context, p *db.Pool, q *Quote) error {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.QueryRow(ctx, `INSERT INTO quotes (customer, total) VALUES ($1, $2) RETURNING id`, q.Customer, q.Total).Scan(&q.ID)
}

func load(ctx context.Context, p *db.Pool, id string) (*Quote, error) {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	var q Quote
	err = conn.QueryRow(ctx, `SELECT id, customer, total FROM quotes WHERE id = $1`, id).Scan(&q.ID, &q.Customer, &q.Total)
	return &q, err
}

func rateCards(ctx context.Context, p *db.Pool, region string) ([]RateCard, error) {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	rows, err := conn.Query(ctx, `SELECT region, per_km FROM rate_cards WHERE region = $1 OR $1 = ''`, region)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[RateCard])
}
'''

F["internal/quote/cache.go"] = r'''package quote

import (
	"context"
	"sync"
	"time"

	"lanehaul.example/platform/internal/db"
)

// rateTTL bounds how stale a rate card may be. See docs/adr/0002-cache-rate-cards-in-process.md.
const rateTTL = 90 * time.Second

// rateCache keeps rate cards by region in memory; every replica has its own.
type rateCache struct {
	mu   sync.Mutex
	at   map[string]time.Time
	kept map[string][]RateCard
}

func newRateCache() *rateCache {
	return &rateCache{at: map[string]time.Time{}, kept: map[string][]RateCard{}}
}

// Get returns kept cards younger than rateTTL, otherwise reads and keeps them.
func (c *rateCache) Get(ctx context.Context, p *db.Pool, region string, now time.Time) ([]RateCard, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.at[region]; ok && now.Sub(at) < rateTTL {
		return c.kept[region], nil
	}
	cards, err := rateCards(ctx, p, region)
	if err != nil {
		return nil, err
	}
	c.at[region], c.kept[region] = now, cards
	return cards, nil
}
'''

F["internal/eta/consumer.go"] = r'''// Package eta reads truck positions and writes arrival estimates.
package eta

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/db"
)

const (
	topic = "tracking.positions"
	group = "eta-worker"
)

type Position struct {
	Shipment string    `json:"shipment"`
	Lat      float64   `json:"lat"`
	Lon      float64   `json:"lon"`
	At       time.Time `json:"at"`
}

type Consumer struct {
	reader *kafka.Reader
	pool   *db.Pool
	cfg    config.Kafka
}

func NewConsumer(cfg config.Kafka, pool *db.Pool) *Consumer {
	r := kafka.NewReader(kafka.ReaderConfig{
		Brokers: cfg.Brokers, Topic: topic, GroupID: group, MaxWait: cfg.PollInterval,
	})
	return &Consumer{reader: r, pool: pool, cfg: cfg}
}

// Run reads until ctx ends.
func (c *Consumer) Run(ctx context.Context) error {
	for {
		batch, err := c.fetch(ctx)
		if err != nil {
			return err
		}
		if err := c.reader.CommitMessages(ctx, batch...); err != nil {
			return err
		}
		if err := c.write(ctx, batch); err != nil {
			return err
		}
	}
}

// fetch collects up to batch_size messages.
func (c *Consumer) fetch(ctx context.Context) ([]kafka.Message, error) {
	var batch []kafka.Message
	for len(batch) < c.cfg.BatchSize {
		m, err := c.reader.FetchMessage(ctx)
		if err != nil {
			return nil, err
		}
		batch = append(batch, m)
	}
	return batch, nil
}

func (c *Consumer) write(ctx context.Context, batch []kafka.Message) error {
	conn, err := c.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	for _, m := range batch {
		var p Position
		if err := json.Unmarshal(m.Value, &p); err != nil {
			slog.Warn("skip position", "offset", m.Offset, "err", err)
			continue
		}
		if _, err := conn.Exec(ctx, `UPDATE shipments SET eta = $2 WHERE id = $1`, p.Shipment, Estimate(p)); err != nil {
			return err
		}
	}
	return nil
}
'''

F["internal/eta/estimator.go"] = r'''package eta

import "time"

const (
	cruiseKmh    = 68.0             // average of a loaded truck, breaks not counted
	driveBlock   = 270 * time.Minute // after 4.5 hours at the wheel ...
	restBreak    = 45 * time.Minute  // ... 45 minutes of rest (EC 561/2006)
	dockOverhead = 25 * time.Minute
)

// Estimate returns the expected arrival from the truck's last position.
func Estimate(p Position) time.Time {
	km := remainingKm(p)
	drive := time.Duration(km / cruiseKmh * float64(time.Hour))
	breaks := time.Duration(int(drive/driveBlock)) * restBreak
	return p.At.Add(drive + breaks + dockOverhead)
}
'''

F["internal/notify/sender.go"] = r'''// Package notify sends e-mail and SMS on shipment events.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"lanehaul.example/platform/internal/config"
	"lanehaul.example/platform/internal/httpx"
)

const smsURL = "https://sms-gateway.lanehaul.example/v2/messages"

type Message struct {
	To   string `json:"to"`
	Text string `json:"text"`
}

type Sender struct{ sms *httpx.Client }

func NewSender(cfg config.Notify) *Sender {
	return &Sender{sms: httpx.NewClient("sms-gateway", cfg.SMSTimeout)}
}

// SMS sends one message. The gateway drops duplicates by the key for 24 hours.
func (s *Sender) SMS(ctx context.Context, key string, m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, smsURL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := s.sms.Do(ctx, req)
	if err != nil {
		return fmt.Errorf("sms: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("sms: status %d", resp.StatusCode)
	}
	return nil
}
'''

F["internal/notify/worker.go"] = r'''package notify

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"

	"lanehaul.example/platform/internal/config"
)

const deadLetterAfter = 5 // attempts, then the event goes to shipment.events.dead

// notifyOn lists the statuses that customers hear about.
var notifyOn = map[string]bool{
	"picked_up":        true,
	"customs_hold":     true,
	"out_for_delivery": true,
	"delivered":        true,
}

type Worker struct {
	reader *kafka.Reader
	sender *Sender
}

func NewWorker(k config.Kafka, n config.Notify) *Worker {
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: k.Brokers, Topic: "shipment.events", GroupID: "notify-worker"})
	return &Worker{reader: r, sender: NewSender(n)}
}

func (w *Worker) Run(ctx context.Context) error {
	for {
		m, err := w.reader.FetchMessage(ctx)
		if err != nil {
			return err
		}
		w.handle(ctx, m, time.Now())
		if err := w.reader.CommitMessages(ctx, m); err != nil {
			return err
		}
	}
}
'''

F["config/base.yaml"] = r'''http:
  read_timeout: 5s
  request_timeout: 8s
  shutdown_grace: 20s

db:
  tracking:
    dsn_env: TRACKING_DSN
    max_open: 30
    acquire_timeout: 1500ms
  quotes:
    dsn_env: QUOTES_DSN
    max_open: 10
    acquire_timeout: 2s
  quotes_ro:
    dsn_env: QUOTES_RO_DSN
    max_open: 10
    acquire_timeout: 1s
  eta:
    dsn_env: ETA_DSN
    max_open: 8
    acquire_timeout: 5s

quote:
  validity: 72h
  max_lanes: 12

kafka:
  brokers: ["localhost:9092"]
  batch_size: 200
  poll_interval: 500ms

webhook:
  secret_env: CARRIER_WEBHOOK_SECRET
  max_body: 262144

notify:
  sms_timeout: 10s
  mail_timeout: 15s
'''

F["config/production.yaml"] = r'''http:
  request_timeout: 6s

db:
  tracking:
    max_open: 60
  quotes:
    max_open: 40
  quotes_ro:
    max_open: 30
  eta:
    max_open: 16

kafka:
  brokers: ["kafka-0.freight:9092", "kafka-1.freight:9092", "kafka-2.freight:9092"]
  batch_size: 500
'''

F["config/staging.yaml"] = r'''http:
  request_timeout: 10s

db:
  tracking:
    max_open: 15
  quotes:
    max_open: 12

quote:
  validity: 24h

kafka:
  brokers: ["kafka.staging:9092"]
  batch_size: 50
'''

F["config/development.yaml"] = r'''http:
  request_timeout: 60s

db:
  tracking:
    max_open: 5
  quotes:
    max_open: 5

quote:
  max_lanes: 30

kafka:
  batch_size: 10
'''

F["CODEOWNERS"] = r'''# Last match wins.
*                       @lanehaul/platform
/internal/tracking/     @lanehaul/tracking
/internal/carrier/      @lanehaul/tracking
/internal/eta/          @lanehaul/tracking
/cmd/tracking-api/      @lanehaul/tracking
/cmd/eta-worker/        @lanehaul/tracking
/internal/quote/        @lanehaul/quotes
/cmd/quote-api/         @lanehaul/quotes
/internal/notify/       @lanehaul/messaging
/cmd/notify-worker/     @lanehaul/messaging
/config/production.yaml @lanehaul/platform
/docs/slo.md            @lanehaul/platform
'''

F["deploy/quote-api.yaml"] = r'''apiVersion: apps/v1
kind: Deployment
metadata:
  name: quote-api
  namespace: freight
spec:
  replicas: 3
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  selector:
    matchLabels: {app: quote-api}
  template:
    metadata:
      labels: {app: quote-api}
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: app
          image: registry.lanehaul.example/platform/quote-api
          env:
            - {name: LANEHAUL_ENV, value: production}
          ports: [{containerPort: 8081}]
          resources:
            requests: {cpu: 250m, memory: 256Mi}
            limits: {memory: 512Mi}
          readinessProbe:
            httpGet: {path: /healthz, port: 8081}
            periodSeconds: 5
            failureThreshold: 3
'''

F["deploy/eta-worker.yaml"] = r'''apiVersion: apps/v1
kind: Deployment
metadata:
  name: eta-worker
  namespace: freight
spec:
  # tracking.positions has 12 partitions: more than 12 replicas would idle.
  replicas: 4
  strategy: {type: Recreate}
  selector:
    matchLabels: {app: eta-worker}
  template:
    metadata:
      labels: {app: eta-worker}
    spec:
      terminationGracePeriodSeconds: 60
      containers:
        - name: app
          image: registry.lanehaul.example/platform/eta-worker
          env:
            - {name: LANEHAUL_ENV, value: production}
          resources:
            requests: {cpu: 500m, memory: 384Mi}
            limits: {memory: 768Mi}
'''

F["deploy/alerts/rules.yml"] = r'''groups:
  - name: freight-http
    interval: 60s
    rules:
      - alert: QuoteErrorsHigh
        expr: |
          sum(rate(http_server_request_duration_seconds_count{service_name="quote-api",http_route="/v1/quotes",http_response_status_code=~"5.."}[10m]))
            / sum(rate(http_server_request_duration_seconds_count{service_name="quote-api",http_route="/v1/quotes"}[10m])) > 0.04
        for: 10m
        labels: {severity: page, team: quotes}
        annotations:
          summary: More than 4 % of POST /v1/quotes fail
          runbook: docs/runbooks/quote-errors.md
      - alert: QuoteBudgetBurnSlow
        expr: |
          sum(rate(http_server_request_duration_seconds_count{service_name="quote-api",http_route="/v1/quotes",http_response_status_code=~"5.."}[6h]))
            / sum(rate(http_server_request_duration_seconds_count{service_name="quote-api",http_route="/v1/quotes"}[6h])) > 6 * 0.005
        for: 15m
        labels: {severity: ticket, team: quotes}
        annotations:
          summary: POST /v1/quotes burns its error budget more than 6 times too fast
          runbook: docs/runbooks/quote-errors.md
      - alert: TrackingErrorsHigh
        expr: |
          sum by (http_route) (rate(http_server_request_duration_seconds_count{service_name="tracking-api",http_response_status_code=~"5.."}[10m]))
            / sum by (http_route) (rate(http_server_request_duration_seconds_count{service_name="tracking-api"}[10m])) > 0.02
        for: 10m
        labels: {severity: page, team: tracking}
        annotations:
          summary: More than 2 % of a tracking route fail
          runbook: docs/runbooks/rollback.md
      - alert: TrackingSlow
        expr: |
          histogram_quantile(0.95, sum by (le, http_route) (rate(http_server_request_duration_seconds_bucket{service_name="tracking-api"}[10m]))) > 0.8
        for: 15m
        labels: {severity: ticket, team: tracking}
        annotations:
          summary: A tracking route's p95 is above 0.8 s
      - alert: ServiceDown
        expr: up == 0
        for: 3m
        labels: {severity: page, team: platform}
        annotations:
          summary: A service cannot be scraped
  - name: freight-queues-and-pools
    interval: 60s
    rules:
      - alert: ConsumerLagHigh
        expr: messaging_kafka_consumer_lag > 20000
        for: 15m
        labels: {severity: page, team: tracking}
        annotations:
          summary: A consumer group is falling behind
          runbook: docs/runbooks/consumer-lag.md
      - alert: DbPoolWaiting
        expr: avg_over_time(db_client_connections_pending_requests[10m]) > 4
        for: 10m
        labels: {severity: ticket, team: platform}
        annotations:
          summary: Requests wait for a database connection
          runbook: docs/runbooks/quote-errors.md
'''

F["docs/architecture.md"] = r'''# Architecture

## Overview

Customers look up shipments and ask for prices through two HTTP services. Everything
that arrives from trucks and carriers goes over Kafka first.

- `tracking-api` serves shipment pages and takes carrier webhooks. A webhook is only
  checked and queued; the answer is 202 before anything is stored.
- `quote-api` prices loads. Pricing runs in Postgres (`lane_price`), on the primary.
- `eta-worker` turns truck positions into arrival estimates.
- `notify-worker` tells customers about shipment events.

## Topics

| Topic | Written by | Read by | Partitions | Kept for |
|---|---|---|---|---|
| `tracking.positions` | telematics bridge | `eta-worker` | 12 | 3 days |
| `shipment.events` | `tracking-api` | `notify-worker` | 6 | 7 days |
| `carrier.webhooks` | `tracking-api` | `tracking-ingest` | 6 | 14 days |
| `shipment.events.dead` | `notify-worker` | nobody, by hand | 1 | 30 days |

## Databases

One Postgres 15 primary with one replica, run by the platform team. The primary allows
200 connections in all: 60 for tracking, 40 for quotes, 16 for eta, the rest for
migrations and people. Pools are named in the metrics: `tracking`, `quotes`,
`quotes_ro` (replica), `eta`.

## Outside systems

The carrier gateway is ours but runs in the partner network. The SMS gateway is bought
from Textra; its contract allows 40 messages a second.

## What we do not have

There is no request queue in front of `quote-api`, and no circuit breaker anywhere.
'''

F["docs/adr/0001-separate-read-pool.md"] = r'''# ADR 1: Reads of quotes go to the replica through a pool of their own

Status: accepted

## Context

Customers' portals poll kept quotes every few seconds. In spring these reads took all
connections of the primary and nobody could create a quote.

## Decision

`GET /v1/quotes/{id}` and `GET /v1/rates` use the pool `quotes_ro`, which points to the
replica. `POST /v1/quotes` uses `quotes` on the primary.

## Consequences

A quote may be invisible for up to two seconds after it was created (replica delay).
Trouble in one pool no longer reaches the other. We rejected PgBouncer because
`lane_price` uses session settings.
'''

F["docs/adr/0002-cache-rate-cards-in-process.md"] = r'''# ADR 2: Cache rate cards in the process, not in Redis

Status: accepted

## Context

`GET /v1/rates` reads the same forty rows again and again. Rate cards change about
twice a day.

## Decision

Each `quote-api` replica keeps rate cards in memory for 90 seconds. No Redis.

## Consequences

After a change two replicas may show different rates for up to 90 seconds; sales
agreed to that. We save one more system to run. If we ever need more than 10 replicas
we look at this again.
'''

F["docs/slo.md"] = r'''# Service level objectives

Window: 30 days, rolling. An error is an answer with status 5xx.

## HTTP routes

| Route | Service | Availability | p95 latency | Owner |
|---|---|---|---|---|
| `GET /v1/shipments/{id}` | tracking-api | 99.9 % | 250 ms | Tracking |
| `GET /v1/shipments/{id}/events` | tracking-api | 99.5 % | 500 ms | Tracking |
| `POST /v1/webhooks/carrier` | tracking-api | 99.95 % | 300 ms | Tracking |
| `POST /v1/quotes` | quote-api | 99.5 % | 1.2 s | Quotes |
| `GET /v1/quotes/{id}` | quote-api | 99.9 % | 400 ms | Quotes |
| `GET /v1/rates` | quote-api | 99.9 % | 200 ms | Quotes |

## Freshness

| Flow | Objective | Owner |
|---|---|---|
| arrival estimates | lag of `eta-worker` below 5000 messages 99 % of the time | Tracking |
| customer messages | 95 % sent within 2 minutes of the event | Messaging |

## When the budget is spent

When a route has used its whole budget, its team ships only fixes until the route is
back inside for 7 days. Exceptions are granted by the head of engineering, Ines Duarte.
'''

F["docs/runbooks/rollback.md"] = r'''# Runbook: roll a service back

Use this when a deploy made things worse and the cause is not fixed within 15 minutes.

## Steps

1. Say in #freight-incidents what you roll back and why.
2. Look up the last good version in `deploys.json` or with `git tag --sort=-creatordate`.
3. Check that no migration came with the bad version (`git diff <good> <bad> -- migrations/`). If one did, stop and call the platform team.
4. Run `make rollback SERVICE=<service> VERSION=<good version>`.
5. Wait until `rollout status` ends; it gives up after 180 seconds.
6. Watch the route's error share for 10 minutes. It must fall below 1 %.
7. Freeze further rollouts of the service with the label `hold` on its deployment.
8. Open a ticket for the team and link the graph.

## Do not

Do not roll back `eta-worker` past v2.7.0: older versions commit offsets before they write.
'''

F["docs/runbooks/quote-errors.md"] = r'''# Runbook: POST /v1/quotes fails

Alerts: `QuoteErrorsHigh`, `QuoteBudgetBurnSlow`, `DbPoolWaiting`.

## Steps

1. Look at the status code. 503 is ours: no free database connection. 500 is Postgres or a bug.
2. For 503, look at `db_client_connections_pending_requests{pool_name="quotes"}` and at used against max.
3. If the pool is full, check whether a deploy came just before. If so, follow [rollback](rollback.md).
4. If there was no deploy, look for long queries: `SELECT pid, now() - query_start, query FROM pg_stat_activity WHERE state = 'active' ORDER BY 2 DESC`.
5. End queries of more than 60 seconds with `pg_terminate_backend`.
6. Only with the platform team's consent: raise `db.quotes.max_open` in `config/production.yaml`, never above 40.

## Background

A caller waits `acquire_timeout` for a connection, then gets 503 with `Retry-After: 5`.
'''

F["docs/runbooks/consumer-lag.md"] = r'''# Runbook: a consumer falls behind

Alert: `ConsumerLagHigh`.

## Steps

1. See which group and topic it is: `messaging_kafka_consumer_lag`.
2. Compare messages sent and messages consumed. More sent: a burst, wait 20 minutes. Fewer consumed: the consumer is slow or stuck.
3. Look for a rebalance loop: `kubectl -n freight logs deploy/eta-worker --since=30m | grep -i rebalanc`.
4. Restart one replica at a time: `kubectl -n freight delete pod <pod>`.
5. If it still grows, scale out: `kubectl -n freight scale deploy/eta-worker --replicas=8`. Never above 12, the number of partitions.
6. Above 100000 messages tell customer care: estimates are older than half an hour.

## Afterwards

Scale back to 4 when the lag has been below 1000 for an hour.
'''

F["docs/oncall.md"] = r'''# On call and ownership

## Teams

| Team | GitHub | Lead | Slack | Owns |
|---|---|---|---|---|
| Tracking | `@lanehaul/tracking` | Mara Lindqvist | #team-tracking | tracking-api, eta-worker, carrier gateway client |
| Quotes | `@lanehaul/quotes` | Tomas Ibarra | #team-quotes | quote-api, rate cards |
| Platform | `@lanehaul/platform` | Jonas Feld | #team-platform | Postgres, Kafka, Kubernetes, production config |
| Messaging | `@lanehaul/messaging` | Priya Nair | #team-messaging | notify-worker, SMS contract |

## Rota

Handover is on Mondays at 09:00 UTC.

| Week from | Primary | Secondary |
|---|---|---|
| @@M-1@@ | Tomas Ibarra | Mara Lindqvist |
| @@M0@@ | Priya Nair | Jonas Feld |
| @@M1@@ | Mara Lindqvist | Tomas Ibarra |
| @@M2@@ | Jonas Feld | Priya Nair |

## Escalation

The primary answers a page within 10 minutes. After that the secondary is paged, after
25 minutes Ines Duarte, head of engineering. Incidents are run in #freight-incidents.
Customer care is told by whoever runs the incident, at care@lanehaul.example.
'''

F["docs/postmortems/eta-lost-positions.md"] = r'''# Postmortem: arrival estimates stood still (@@D19@@)

Author: Jonas Feld. Severity: 2.

## Impact

For 41 minutes, from 13:06 to 13:47 UTC, 3870 shipments showed an old arrival estimate.
No shipment was lost. Customer care had 62 calls.

## Cause

`eta-worker` committed Kafka offsets before it wrote the batch. Postgres failed over at
13:06, the write failed, the process restarted and went on after the committed offsets:
the positions in between were never written.

## What went well

The lag alert fired after 6 minutes. The rota was clear.

## Actions

| Action | Owner | State |
|---|---|---|
| Commit offsets after the write | Jonas Feld | done |
| Alert on age of estimates, not only lag | Mara Lindqvist | open |
| Test a Postgres failover every quarter | Jonas Feld | open |
'''

# --------------------------------------------------------------- the history
# (hours before now, author, message, new files, edits [(path, old, new)], tag)
D = 24
COMMITS = [
    (40 * D - 1, "mara", "Split tracking out of the monolith",
     ["README.md", "go.mod", "Makefile", "cmd/tracking-api/main.go", "internal/config/config.go", "internal/db/pool.go",
      "internal/httpx/client.go", "internal/httpx/server.go", "internal/tracking/handlers.go", "internal/tracking/store.go",
      "config/base.yaml", "config/production.yaml", "config/staging.yaml", "config/development.yaml"], [], None),
    (38 * D - 3, "tomas", "quote: pricing, surcharges and handlers",
     ["cmd/quote-api/main.go", "internal/quote/handlers.go", "internal/quote/pricing.go", "internal/quote/surcharge.go",
      "internal/quote/store.go"], [], None),
    (36 * D + 2, "mara", "carrier: gateway client, status map and webhook",
     ["internal/carrier/client.go", "internal/carrier/status_map.go", "internal/tracking/webhook.go"], [], None),
    (34 * D - 5, "jonas", "eta: worker that reads truck positions",
     ["cmd/eta-worker/main.go", "internal/eta/consumer.go", "internal/eta/estimator.go"], [], None),
    (31 * D + 4, "priya", "notify: SMS and e-mail worker",
     ["cmd/notify-worker/main.go", "internal/notify/sender.go", "internal/notify/worker.go"], [], None),
    (29 * D - 2, "jonas", "deploy: manifests, alert rules, code owners",
     ["deploy/quote-api.yaml", "deploy/eta-worker.yaml", "deploy/alerts/rules.yml", "CODEOWNERS"], [], None),
    (27 * D - 4, "mara", "docs: architecture, SLOs, ADR 1",
     ["docs/architecture.md", "docs/slo.md", "docs/adr/0001-separate-read-pool.md"], [], "v2.6.0"),
    (24 * D + 1, "priya", "docs: runbooks for rollback and quote errors, on call page",
     ["docs/runbooks/rollback.md", "docs/runbooks/quote-errors.md", "docs/oncall.md"],
     [("docs/runbooks/rollback.md", "\n## Do not\n\nDo not roll back `eta-worker` past v2.7.0: older versions commit offsets before they write.\n", "")],
     None),
    (21 * D - 6, "tomas", "quote: keep rate cards in memory for 90 s",
     ["internal/quote/cache.go", "docs/adr/0002-cache-rate-cards-in-process.md"],
     [("internal/quote/handlers.go", "	cfg    config.Quote\n}", "	cfg    config.Quote\n	rates  *rateCache\n}"),
      ("internal/quote/handlers.go", "ro: ro, cfg: cfg}", "ro: ro, cfg: cfg, rates: newRateCache()}"),
      ("internal/quote/handlers.go", "// ListRates serves GET /v1/rates from the replica.", "// ListRates serves GET /v1/rates from memory, or from the replica when too old."),
      ("internal/quote/handlers.go", 'rateCards(r.Context(), h.ro, r.URL.Query().Get("region"))', 'h.rates.Get(r.Context(), h.ro, r.URL.Query().Get("region"), time.Now())'),
      ("internal/quote/handlers.go", '	"net/http"\n\n', '	"net/http"\n	"time"\n\n'),
      ("docs/slo.md", "| `GET /v1/rates` | quote-api | 99.9 % | 200 ms | Quotes |", "| `GET /v1/rates` | quote-api | 99.9 % | 150 ms | Quotes |")],
     None),
    (18 * D - 3, "jonas", "eta: commit offsets after the write, not before\n\nPositions were lost when Postgres failed over, see the postmortem.",
     ["docs/postmortems/eta-lost-positions.md"],
     [("internal/eta/consumer.go",
       "		if err := c.reader.CommitMessages(ctx, batch...); err != nil {\n			return err\n		}\n		if err := c.write(ctx, batch); err != nil {\n			return err\n		}\n",
       "		// Write first: a batch that is written twice does no harm, a lost one does.\n		if err := c.write(ctx, batch); err != nil {\n			return err\n		}\n		if err := c.reader.CommitMessages(ctx, batch...); err != nil {\n			return err\n		}\n")],
     None),
    (15 * D - 1, "tomas", "quote: fuel surcharge to 13.2 %",
     [], [("internal/quote/surcharge.go", "fuelSurcharge   = 0.115", "fuelSurcharge   = 0.132")], None),
    (12 * D + 5, "mara", "httpx: three attempts with jitter, only for idempotent calls\n\nThe carrier gateway was hit by four calls for every failed one.",
     [],
     [("internal/httpx/client.go", "maxAttempts    = 4", "maxAttempts    = 3"),
      ("internal/httpx/client.go", '	"errors"\n	"net/http"', '	"errors"\n	"math/rand/v2"\n	"net/http"'),
      ("internal/httpx/client.go",
       "		last = err\n	}\n",
       "		last = err\n		if !idempotent(req) {\n			break\n		}\n	}\n"),
      ("internal/httpx/client.go",
       "// backoff doubles from baseBackoff: 150 ms, 300 ms, 600 ms.\nfunc backoff(attempt int) time.Duration {\n	return baseBackoff << (attempt - 1)\n}\n",
       "// backoff doubles from baseBackoff (150 ms, 300 ms) and adds up to half of it at random.\nfunc backoff(attempt int) time.Duration {\n	d := baseBackoff << (attempt - 1)\n	return d + rand.N(d/2)\n}\n\n"
       "// idempotent: GET and HEAD, or a call that carries an Idempotency-Key.\nfunc idempotent(req *http.Request) bool {\n	return req.Method == http.MethodGet || req.Method == http.MethodHead || req.Header.Get(\"Idempotency-Key\") != \"\"\n}\n"),
      ("docs/runbooks/rollback.md", "8. Open a ticket for the team and link the graph.\n",
       "8. Open a ticket for the team and link the graph.\n\n## Do not\n\nDo not roll back `eta-worker` past v2.7.0: older versions commit offsets before they write.\n")],
     "v2.7.0"),
    (6 * D - 2, "priya", "notify: SMS timeout 4 s, no SMS at night",
     [],
     [("config/base.yaml", "sms_timeout: 10s", "sms_timeout: 4s"),
      ("internal/notify/worker.go", "type Worker struct {", "// Quiet hours, UTC: no SMS from 21:00 to 06:00, only e-mail.\nconst (\n	quietFrom  = 21\n	quietUntil = 6\n)\n\nfunc quiet(now time.Time) bool {\n	h := now.UTC().Hour()\n	return h >= quietFrom || h < quietUntil\n}\n\ntype Worker struct {")],
     "v2.7.1"),
    (3 * D + 2, "mara", "tracking: stricter webhook signatures, 100 events a page",
     [],
     [("internal/tracking/webhook.go", "signatureTolerance = 15 * time.Minute", "signatureTolerance = 5 * time.Minute"),
      ("internal/tracking/handlers.go", "defaultEventLimit = 50", "defaultEventLimit = 100"),
      ("internal/tracking/handlers.go", "maxEventLimit     = 500", "maxEventLimit     = 250")],
     "v2.7.2"),
    (2 * D + 3, "jonas", "alerts: page on lag above 10000, runbook for it",
     ["docs/runbooks/consumer-lag.md"],
     [("deploy/alerts/rules.yml", "messaging_kafka_consumer_lag > 20000", "messaging_kafka_consumer_lag > 10000")], None),
    (30, "tomas", "quote: price lanes in parallel\n\nLoads with many lanes took too long. Each lane now gets a connection of its own.",
     [],
     [("internal/quote/pricing.go", '	"context"\n	"fmt"\n\n', '	"context"\n	"fmt"\n	"sync"\n\n	"golang.org/x/sync/errgroup"\n\n'),
      ("internal/quote/pricing.go", "type Lane struct {", "// laneParallelism is how many lanes of one request are priced at the same time.\nconst laneParallelism = 6\n\ntype Lane struct {"),
      ("internal/quote/pricing.go", F["internal/quote/pricing.go"][F["internal/quote/pricing.go"].index("// Price prices"):],
       '''// Price prices the lanes of a request side by side; every lane holds its own connection.
func (p *Pricer) Price(ctx context.Context, req Request) (*Quote, error) {
	q := &Quote{Customer: req.Customer}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(laneParallelism)
	for _, lane := range req.Lanes {
		g.Go(func() error {
			conn, err := p.pool.Acquire(ctx)
			if err != nil {
				return err
			}
			defer conn.Release()
			base, err := laneRate(ctx, conn, lane, req.WeightKg)
			if err != nil {
				return fmt.Errorf("lane %s-%s: %w", lane.From, lane.To, err)
			}
			mu.Lock()
			defer mu.Unlock()
			q.add(lane, base+surcharges(base, req))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return q, nil
}
''')], None),
    (11, "tomas", "config: quotes pool in production from 40 to 20\n\nMakes room on the primary for the reporting job.",
     [], [("config/production.yaml", "  quotes:\n    max_open: 40", "  quotes:\n    max_open: 20")], "v2.8.0"),
    (7, "priya", "docs: swap on call weeks of Mara and Jonas",
     [], [("docs/oncall.md", "| @@M1@@ | Mara Lindqvist | Tomas Ibarra |\n| @@M2@@ | Jonas Feld | Priya Nair |",
           "| @@M1@@ | Jonas Feld | Tomas Ibarra |\n| @@M2@@ | Mara Lindqvist | Priya Nair |")], None),
]

# (hours before now, service, version)
DEPLOYS = [
    (10 * D, "quote-api", "v2.7.0"),
    (10 * D - 0.5, "eta-worker", "v2.7.0"),
    (4 * D + 3, "notify-worker", "v2.7.1"),
    (33, "tracking-api", "v2.7.2"),
    (9, "quote-api", "v2.8.0"),
]


def iso(t):
    return dt.datetime.fromtimestamp(int(t), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def fill(text, now):
    day = dt.datetime.fromtimestamp(now, UTC).date()
    monday = day - dt.timedelta(days=day.weekday())
    for k in (-1, 0, 1, 2):
        text = text.replace(f"@@M{k}@@", (monday + dt.timedelta(days=7 * k)).isoformat())
    return text.replace("@@D19@@", (day - dt.timedelta(days=19)).isoformat())


def build_repo(out, now):
    repo = os.path.join(out, "repo")
    os.makedirs(repo)
    base = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC", "LC_ALL": "C"}

    def git(*args, env=None):
        return subprocess.run(["git", "-C", repo, *args], check=True, capture_output=True, text=True, env={**base, **(env or {})}).stdout.strip()

    git("init", "-q", "-b", "main")
    tree, tags = {}, {}
    for hours, who, message, new, edits, tag in COMMITS:
        for path in new:
            tree[path] = F[path]
        for path, old, repl in edits:
            assert tree[path].count(old) == 1, (message, path, old)
            tree[path] = tree[path].replace(old, repl)
        touched = sorted(set(new) | {e[0] for e in edits})
        for path in touched:
            full = os.path.join(repo, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8", newline="\n") as fh:
                fh.write(fill(tree[path], now))
        # a few odd minutes so that times do not look round
        at = now - int(hours * 3600) + (len(tree) * 37 % 23) * 60
        name, mail = AUTHORS[who]
        env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail,
               "GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
        git("add", "--", *touched)
        git("commit", "-q", "-m", message, env=env)
        if tag:
            env["GIT_COMMITTER_DATE"] = f"{at + 600} +0000"
            git("tag", "-a", tag, "-m", f"Release {tag}", env=env)
            tags[tag] = git("rev-parse", tag + "^{commit}")
    unused = set(F) - set(tree)
    assert not unused, unused
    with open(os.path.join(out, "rules.yml"), "w", encoding="utf-8") as fh:
        fh.write(tree["deploy/alerts/rules.yml"])
    deploys = [{"service": s, "version": v, "commit": tags[v], "at": iso(now - h * 3600)} for h, s, v in DEPLOYS]
    with open(os.path.join(out, "deploys.json"), "w", encoding="utf-8") as fh:
        json.dump(deploys, fh, indent=2)
        fh.write("\n")


# ---------------------------------------------------------------- the metrics
LE = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5]
LE_CLIENT = [0.25, 0.5, 1.0]
# service, method, route, requests a second at the top of the day, p50, sigma, [(status, share)]
ROUTES = [
    ("tracking-api", "GET", "/v1/shipments/{id}", 38.0, 0.045, 0.70, [("200", None), ("404", 0.021), ("500", 0.0004)]),
    ("tracking-api", "GET", "/v1/shipments/{id}/events", 14.0, 0.095, 0.75, [("200", None), ("500", 0.0020)]),
    ("tracking-api", "POST", "/v1/webhooks/carrier", 24.0, 0.030, 0.60, [("202", None), ("500", 0.0002)]),
    ("quote-api", "POST", "/v1/quotes", 7.0, 0.310, 0.55, [("200", None), ("422", 0.016), ("503", 0.0030)]),
    ("quote-api", "GET", "/v1/quotes/{id}", 11.0, 0.060, 0.70, [("200", None), ("500", 0.0003)]),
    ("quote-api", "GET", "/v1/rates", 9.0, 0.016, 0.80, [("200", None), ("500", 0.0003)]),
]
QUEUES = [  # topic, group, sent a second at the top of the day, usual lag
    ("tracking.positions", "eta-worker", 62.0, 45.0),
    ("shipment.events", "notify-worker", 9.0, 8.0),
    ("carrier.webhooks", "tracking-ingest", 24.0, 15.0),
]
POOLS = [  # pool, service, size, used at the top of the day
    ("tracking", "tracking-api", 60, 21.0),
    ("quotes", "quote-api", 40, 13.0),
    ("quotes_ro", "quote-api", 30, 7.0),
    ("eta", "eta-worker", 16, 6.0),
]
PEERS = [("tracking-api", "carrier-gateway", 4.0, 0.34, 0.45), ("notify-worker", "sms-gateway", 1.5, 0.22, 0.40)]


def day_factor(t):
    """1 at about 12:30 UTC, 0.3 at night."""
    h = (t % 86400) / 3600
    return 0.3 + 0.7 * (0.5 + 0.5 * math.cos((h - 12.5) / 24 * 2 * math.pi)) ** 1.4


def draw(rng, mean):
    """A count with this mean, about Poisson."""
    if mean <= 0:
        return 0
    if mean > 30:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    k, p, lim = 0, rng.random(), math.exp(-mean)
    while p > lim:
        k += 1
        p *= rng.random()
    return k


def binom(rng, n, p):
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return n
    if n <= 25:
        return sum(rng.random() < p for _ in range(n))
    if n * p < 20:
        return min(n, draw(rng, n * p))
    return min(n, max(0, round(rng.gauss(n * p, math.sqrt(n * p * (1 - p))))))


def cdf(x, p50, sigma):
    return 0.5 * (1 + math.erf((math.log(x) - math.log(p50)) / (sigma * math.sqrt(2))))


class Hist:
    def __init__(self, les):
        self.les, self.cum, self.sum = les, [0] * (len(les) + 1), 0.0

    def add(self, rng, n, p50, sigma):
        left, mass, lower, total = n, 1.0, 0.0, 0
        for i, le in enumerate(self.les):
            c = cdf(le, p50, sigma)
            part = binom(rng, left, min(1.0, (c - lower) / mass)) if mass > 1e-9 else left
            left -= part
            total += part
            mass, lower = 1 - c, c
            self.cum[i] += total
        self.cum[-1] += n
        self.sum += n * p50 * math.exp(sigma * sigma / 2) * (1 + rng.gauss(0, 0.02))


def fmt(v):
    return str(int(v)) if v == int(v) else f"{v:.3f}"


def labels(**kw):
    return "{" + ",".join(f'{k}="{v}"' for k, v in kw.items()) + "}"


def build_metrics(out, now):
    steps = list(range(now - 48 * 3600, now + 1, 60))
    t_deploy, t_lag, t_track = now - 9 * 3600, now - 3 * 3600, now - 33 * 3600
    fams = {}  # family -> (type, help, {labels: [lines]})

    def fam(name, typ, text):
        return fams.setdefault(name, (typ, text, {}))[2]

    def hist_lines(series, key, h, t, name):
        rows = series.setdefault(labels(**key), [])
        for le, c in zip([*map(str, h.les), "+Inf"], h.cum):
            rows.append(f"{name}_bucket{labels(**key, le=le)} {c} {t}")
        rows.append(f"{name}_count{labels(**key)} {h.cum[-1]} {t}")
        rows.append(f"{name}_sum{labels(**key)} {h.sum:.3f} {t}")

    name = "http_server_request_duration_seconds"
    series = fam(name, "histogram", "Duration of HTTP server requests.")
    timeouts_quotes = []
    for ri, (svc, method, route, peak, p50, sigma, codes) in enumerate(ROUTES):
        rng = random.Random(f"route-{ri}")
        hists = {c: Hist(LE) for c, _ in codes}
        bad = route == "/v1/quotes"
        tot503 = 0
        for t in steps:
            n = draw(rng, peak * day_factor(t) * 60 * (1 + rng.gauss(0, 0.04)))
            rest = n
            for code, share in codes[1:]:
                if code == "503" and t > t_deploy:
                    share = 0.070
                k = binom(rng, n, share)
                k = min(k, rest)
                rest -= k
                if code == "503":
                    hists[code].add(rng, k, 2.05, 0.03)   # they waited for acquire_timeout
                    tot503 += k
                elif code in ("404", "422"):
                    hists[code].add(rng, k, p50 * 0.3, 0.4)
                else:
                    hists[code].add(rng, k, p50 * 2, 0.5)
            hists[codes[0][0]].add(rng, rest, p50, sigma)
            if bad:
                timeouts_quotes.append(tot503)
            for code, _ in codes:
                hist_lines(series, dict(service_name=svc, http_request_method=method, http_route=route, http_response_status_code=code), hists[code], t, name)

    name = "http_client_request_duration_seconds"
    series = fam(name, "histogram", "Duration of HTTP client requests.")
    for pi, (svc, peer, peak, p50, sigma) in enumerate(PEERS):
        rng, h = random.Random(f"peer-{pi}"), Hist(LE_CLIENT)
        for t in steps:
            h.add(rng, draw(rng, peak * day_factor(t) * 60), p50, sigma)
            hist_lines(series, dict(service_name=svc, server_address=peer), h, t, name)

    usage = fam("db_client_connections_usage", "gauge", "Connections by state.")
    cmax = fam("db_client_connections_max", "gauge", "Largest number of connections.")
    pend = fam("db_client_connections_pending_requests", "gauge", "Requests that wait for a connection.")
    tout = fam("db_client_connections_timeouts", "counter", "Waits for a connection that timed out.")
    for pi, (pool, svc, size, top) in enumerate(POOLS):
        rng, key, n_to = random.Random(f"pool-{pi}"), dict(service_name=svc, pool_name=pool), 0
        for i, t in enumerate(steps):
            f = day_factor(t)
            broken = pool == "quotes" and t > t_deploy
            mx = 20 if broken else size
            used = min(mx, max(1, round(top * f + rng.gauss(0, 1.2))))
            wait = 1 if rng.random() < 0.03 else 0
            if broken:
                used = mx if rng.random() < 0.9 else mx - 1
                wait = max(2, round(rng.gauss(9 + 6 * f, 1.8)))
            idle = mx - used if broken else min(mx - used, 6 + int(4 * f))
            if pool == "quotes":
                n_to = timeouts_quotes[i]
            elif rng.random() < 0.004:
                n_to += 1
            usage.setdefault(labels(**key, state="used"), []).append(f'db_client_connections_usage{labels(**key, state="used")} {used} {t}')
            usage.setdefault(labels(**key, state="idle"), []).append(f'db_client_connections_usage{labels(**key, state="idle")} {idle} {t}')
            cmax.setdefault(labels(**key), []).append(f"db_client_connections_max{labels(**key)} {mx} {t}")
            pend.setdefault(labels(**key), []).append(f"db_client_connections_pending_requests{labels(**key)} {wait} {t}")
            tout.setdefault(labels(**key), []).append(f"db_client_connections_timeouts_total{labels(**key)} {n_to} {t}")

    lagf = fam("messaging_kafka_consumer_lag", "gauge", "Messages a consumer group is behind.")
    sent = fam("messaging_client_sent_messages", "counter", "Messages sent.")
    cons = fam("messaging_client_consumed_messages", "counter", "Messages consumed.")
    for qi, (topic, group, peak, usual) in enumerate(QUEUES):
        rng = random.Random(f"queue-{qi}")
        k1, k2 = dict(messaging_destination_name=topic), dict(messaging_destination_name=topic, messaging_consumer_group_name=group)
        n_sent, n_cons = 1_000_000, 1_000_000
        for t in steps:
            n_sent += draw(rng, peak * day_factor(t) * 60)
            lag = max(0, round(usual * (0.6 + 0.6 * day_factor(t)) * (1 + rng.gauss(0, 0.25))))
            if topic == "tracking.positions" and t > t_lag:
                lag += round((t - t_lag) * 2.0 * (1 + rng.gauss(0, 0.006)))
            n_cons = max(n_cons, n_sent - lag)
            lag = n_sent - n_cons
            lagf.setdefault(labels(**k2), []).append(f"messaging_kafka_consumer_lag{labels(**k2)} {lag} {t}")
            sent.setdefault(labels(**k1), []).append(f"messaging_client_sent_messages_total{labels(**k1)} {n_sent} {t}")
            cons.setdefault(labels(**k2), []).append(f"messaging_client_consumed_messages_total{labels(**k2)} {n_cons} {t}")

    upf = fam("up", "gauge", "1 when the service could be scraped.")
    memf = fam("process_memory_usage_bytes", "gauge", "Resident memory.")
    inf = fam("target_info", "gauge", "Version of a running service.")
    versions = {"tracking-api": [("v2.7.0", t_track), ("v2.7.2", None)], "quote-api": [("v2.7.0", t_deploy), ("v2.8.0", None)],
                "eta-worker": [("v2.7.0", None)], "notify-worker": [("v2.7.1", None)]}
    for si, (svc, mb) in enumerate((("tracking-api", 310), ("quote-api", 240), ("eta-worker", 365), ("notify-worker", 120))):
        rng, key = random.Random(f"svc-{si}"), dict(service_name=svc)
        for t in steps:
            upf.setdefault(labels(**key), []).append(f"up{labels(**key)} 1 {t}")
            mem = int(mb * 1048576 * (0.93 + 0.07 * day_factor(t) + rng.gauss(0, 0.008)))
            memf.setdefault(labels(**key), []).append(f"process_memory_usage_bytes{labels(**key)} {mem} {t}")
            ver = next(v for v, until in versions[svc] if until is None or t <= until)
            k = labels(**key, service_version=ver)
            inf.setdefault(k, []).append(f"target_info{k} 1 {t}")

    with open(os.path.join(out, "metrics.txt"), "w", encoding="utf-8") as fh:
        for name, (typ, text, series) in fams.items():
            fh.write(f"# HELP {name} {text}\n# TYPE {name} {typ}\n")
            for rows in series.values():
                fh.write("\n".join(rows) + "\n")
        fh.write("# EOF\n")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out")
    ap.add_argument("--now", type=int, required=True, help="Unix seconds")
    a = ap.parse_args()
    now = a.now - a.now % 60
    if os.path.isdir(a.out):
        for name in ("repo", "metrics.txt", "rules.yml", "deploys.json"):
            p = os.path.join(a.out, name)
            if os.path.isdir(p):
                shutil.rmtree(p)
            elif os.path.exists(p):
                os.remove(p)
    os.makedirs(a.out, exist_ok=True)
    build_repo(a.out, now)
    build_metrics(a.out, now)


if __name__ == "__main__":
    main()
