#!/usr/bin/env python3
"""Builds the "Lumicare" example system: repository, metrics, alert rules, deploys.

    python build.py OUT [--now UNIX_SECONDS]

Deterministic: the same --now gives the same commits and the same numbers.
"""
import argparse
import bisect
import datetime as dt
import json
import math
import os
import random
import shutil
import subprocess
import sys

MIN, HOUR, DAY = 60, 3600, 86400
INES = ("Ines Caballero", "ines.caballero@lumicare.example")
TOMASZ = ("Tomasz Wilk", "tomasz.wilk@lumicare.example")
HANNA = ("Hanna Brandt", "hanna.brandt@lumicare.example")
DENIZ = ("Deniz Aksoy", "deniz.aksoy@lumicare.example")

# ---------------------------------------------------------------------------------------------
# The repository
# ---------------------------------------------------------------------------------------------
F = {}

F["README.md"] = r'''# Lumicare booking platform

Patients look for a free slot with a clinician, book it, pay the co-payment and meet in a video room.
One repository, four services, TypeScript on Node 22.

| Folder | What it is |
|---|---|
| `services/booking-api` | slot search, appointments, patients (Fastify, PostgreSQL) |
| `services/payments` | co-payments and refunds through the card provider Paygrid |
| `services/video-gateway` | rooms and join tokens at the video provider Roomkit |
| `services/notify-worker` | reminders by SMS (Textwave) and mail, fed by RabbitMQ |
| `libs` | shared HTTP client, circuit breaker, telemetry |
| `config` | one file per environment, merged over `default.yaml` |
| `deploy` | Kubernetes manifests |
| `ops` | alert rules |
| `docs` | architecture, decisions, SLOs, runbooks, on-call |

## Run it locally

1. `corepack enable && pnpm install`
2. `docker compose up -d postgres rabbitmq redis`
3. `pnpm migrate`
4. `LUMICARE_ENV=development pnpm dev`

booking-api listens on 8080, payments on 8081, video-gateway on 8082. notify-worker has only the metrics port, 9464.

## Releases

A service is released by a tag `<service>-v<version>`; the pipeline builds the image and rolls it out to production.
Every rollout is written to `deploys.json`. How to go back: `docs/runbooks/rollback.md`.
'''

F["package.json"] = r'''{
  "name": "lumicare",
  "private": true,
  "packageManager": "pnpm@9.12.1",
  "engines": { "node": ">=22" },
  "scripts": {
    "dev": "tsx watch services/booking-api/src/server.ts",
    "build": "tsc -b",
    "lint": "eslint services libs",
    "test": "vitest run",
    "migrate": "node-pg-migrate up -m db/migrations"
  },
  "dependencies": {
    "@opentelemetry/api": "1.9.0",
    "@opentelemetry/exporter-prometheus": "0.53.0",
    "amqplib": "0.10.4",
    "fastify": "4.28.1",
    "ioredis": "5.4.1",
    "pg": "8.12.0",
    "undici": "6.19.8",
    "yaml": "2.5.1",
    "zod": "3.23.8"
  }
}
'''

F["config/default.yaml"] = r'''# Defaults. config/<LUMICARE_ENV>.yaml is merged over this file, key by key.
http:
  requestTimeoutMs: 10000
  shutdownGraceMs: 25000
  maxBodyKb: 256

booking:
  slotSearch:
    maxRangeDays: 14
    maxClinicians: 60
    cacheTtlSeconds: 60
  holdMinutes: 10
  cancellation:
    freeUntilHours: 24
    lateFeeCents: 2500

db:
  booking:
    poolMax: 8
    acquireTimeoutMs: 3000
    statementTimeoutMs: 4000
  payments:
    poolMax: 4
    acquireTimeoutMs: 2000
    statementTimeoutMs: 3000

clients:
  payments:
    baseUrl: http://payments:8081
    timeoutMs: 12000
    retries: 0
  video:
    baseUrl: http://video-gateway:8082
    timeoutMs: 1500
    retries: 2
    backoffMs: 100
  paygrid:
    baseUrl: https://sandbox.paygrid.example/v3
    timeoutMs: 8000
    retries: 3
    backoffMs: 200

breaker:
  windowCalls: 20
  failureRatio: 0.5
  openMs: 15000

payments:
  currency: EUR
  maxAmountCents: 50000
  idempotencyTtlHours: 24
'''

F["config/staging.yaml"] = r'''# Staging: real shape, sandbox providers, small pools.
booking:
  slotSearch:
    cacheTtlSeconds: 5

db:
  booking:
    poolMax: 6
  payments:
    poolMax: 4

clients:
  paygrid:
    baseUrl: https://sandbox.paygrid.example/v3

log:
  level: debug
'''

F["config/production.yaml"] = r'''# Production. Secrets come from the environment, never from here.
db:
  booking:
    poolMax: 20
  payments:
    poolMax: 10

clients:
  paygrid:
    baseUrl: https://api.paygrid.example/v3

log:
  level: info
'''

F["libs/http/retry.ts"] = r'''import { request } from "undici";
import { CircuitBreaker } from "./circuitBreaker";
import { clientResponses } from "../telemetry/metrics";

export interface CallOptions {
  peer: string;
  timeoutMs: number;
  retries: number;
  backoffMs?: number;
  breaker?: CircuitBreaker;
}

export class UpstreamError extends Error {
  constructor(readonly peer: string, readonly status: number | "timeout") {
    super(`${peer} answered ${status}`);
  }
}

const RETRYABLE = new Set([429, 502, 503, 504]);
const MAX_BACKOFF_MS = 2000;

/** Full jitter: a random wait between 0 and backoff * 2^attempt, never above MAX_BACKOFF_MS. */
export function backoff(attempt: number, base: number): number {
  return Math.random() * Math.min(MAX_BACKOFF_MS, base * 2 ** attempt);
}

export async function call(url: string, init: Parameters<typeof request>[1], o: CallOptions) {
  let last: UpstreamError | undefined;
  for (let attempt = 0; attempt <= o.retries; attempt++) {
    if (o.breaker && !o.breaker.allows()) throw new UpstreamError(o.peer, 503);
    if (attempt > 0) await new Promise((r) => setTimeout(r, backoff(attempt, o.backoffMs ?? 100)));
    try {
      const res = await request(url, { ...init, headersTimeout: o.timeoutMs, bodyTimeout: o.timeoutMs });
      clientResponses.add(1, { peer_service: o.peer, http_status_code: String(res.statusCode) });
      if (res.statusCode < 500 && res.statusCode !== 429) {
        o.breaker?.success();
        return res;
      }
      o.breaker?.failure();
      last = new UpstreamError(o.peer, res.statusCode);
      if (!RETRYABLE.has(res.statusCode)) break;
    } catch {
      o.breaker?.failure();
      last = new UpstreamError(o.peer, "timeout");
    }
  }
  throw last!;
}
'''

F["libs/http/circuitBreaker.ts"] = r'''export type BreakerState = "closed" | "half_open" | "open";

/** Counts the last `windowCalls` results; opens when the share of failures reaches `failureRatio`. */
export class CircuitBreaker {
  private results: boolean[] = [];
  private openedAt = 0;
  state: BreakerState = "closed";

  constructor(
    readonly target: string,
    private readonly cfg: { windowCalls: number; failureRatio: number; openMs: number },
  ) {}

  allows(now = Date.now()): boolean {
    if (this.state !== "open") return true;
    if (now - this.openedAt < this.cfg.openMs) return false;
    this.state = "half_open";
    return true;
  }

  success(): void {
    if (this.state === "half_open") this.reset();
    this.push(true);
  }

  failure(): void {
    this.push(false);
    const failed = this.results.filter((ok) => !ok).length;
    const full = this.results.length === this.cfg.windowCalls;
    if (this.state === "half_open" || (full && failed / this.results.length >= this.cfg.failureRatio)) {
      this.state = "open";
      this.openedAt = Date.now();
    }
  }

  /** 0 closed, 1 half open, 2 open: the value of the gauge circuit_breaker_state. */
  gauge(): number {
    return { closed: 0, half_open: 1, open: 2 }[this.state];
  }

  private push(ok: boolean): void {
    this.results.push(ok);
    if (this.results.length > this.cfg.windowCalls) this.results.shift();
  }

  private reset(): void {
    this.results = [];
    this.state = "closed";
  }
}
'''

F["libs/telemetry/metrics.ts"] = r'''import { metrics } from "@opentelemetry/api";

const meter = metrics.getMeter("lumicare");

/** Duration of every answered request, in milliseconds, by route template (never the raw path). */
export const serverDuration = meter.createHistogram("http.server.duration", {
  unit: "ms",
  advice: { explicitBucketBoundaries: [10, 25, 50, 100, 250, 500, 1000, 2500, 5000] },
});

export const serverResponses = meter.createCounter("http.server.responses");
export const clientResponses = meter.createCounter("http.client.responses");
export const notificationsSent = meter.createCounter("notifications.sent");

export const METRICS_PORT = 9464;

export function observeRequest(route: string, method: string, status: number, ms: number): void {
  const base = { http_route: route, http_method: method };
  serverDuration.record(ms, base);
  serverResponses.add(1, { ...base, http_status_code: String(status) });
}
'''

F["libs/config.ts"] = r'''import { readFileSync } from "node:fs";
import { parse } from "yaml";

type Tree = Record<string, any>;

function merge(base: Tree, over: Tree): Tree {
  const out: Tree = { ...base };
  for (const [k, v] of Object.entries(over ?? {})) {
    out[k] = v && typeof v === "object" && !Array.isArray(v) ? merge(base[k] ?? {}, v) : v;
  }
  return out;
}

const env = process.env.LUMICARE_ENV ?? "development";

function load(name: string): Tree {
  try {
    return parse(readFileSync(`config/${name}.yaml`, "utf8")) ?? {};
  } catch (e: any) {
    if (e.code === "ENOENT" && name !== "default") return {};
    throw e;
  }
}

export const config: Tree = merge(load("default"), load(env));
'''

F["services/booking-api/src/server.ts"] = r'''import Fastify from "fastify";
import { config } from "../../../libs/config";
import { UpstreamError } from "../../../libs/http/retry";
import { observeRequest } from "../../../libs/telemetry/metrics";
import { PoolTimeout } from "./db/pool";
import { appointmentRoutes } from "./routes/appointments";
import { patientRoutes } from "./routes/patients";
import { slotRoutes } from "./routes/slots";

export const app = Fastify({
  requestTimeout: config.http.requestTimeoutMs,
  bodyLimit: config.http.maxBodyKb * 1024,
  trustProxy: true,
});

app.addHook("onResponse", async (req, reply) => {
  observeRequest(req.routeOptions.url ?? "unknown", req.method, reply.statusCode, reply.elapsedTime);
});

app.setErrorHandler((err, req, reply) => {
  if (err instanceof PoolTimeout) return reply.code(503).header("retry-after", "2").send({ error: "busy" });
  if (err instanceof UpstreamError) return reply.code(502).send({ error: "upstream", peer: err.peer });
  if (err.validation) return reply.code(400).send({ error: "invalid", detail: err.message });
  req.log.error(err);
  return reply.code(500).send({ error: "internal" });
});

app.register(slotRoutes);
app.register(appointmentRoutes);
app.register(patientRoutes);

app.get("/healthz", async () => ({ ok: true }));

app.listen({ host: "0.0.0.0", port: 8080 });

process.on("SIGTERM", () => {
  setTimeout(() => process.exit(1), config.http.shutdownGraceMs).unref();
  app.close().then(() => process.exit(0));
});
'''

F["services/booking-api/src/db/pool.ts"] = r'''import pg from "pg";
import { config } from "../../../../libs/config";

export class PoolTimeout extends Error {}

const cfg = config.db.booking;

const pool = new pg.Pool({
  connectionString: process.env.BOOKING_DB_URL,
  max: cfg.poolMax,
  connectionTimeoutMillis: cfg.acquireTimeoutMs,
  statement_timeout: cfg.statementTimeoutMs,
  idleTimeoutMillis: 30_000,
});

export type Db = { query<T = any>(sql: string, args?: unknown[]): Promise<T[]> };

export const db: Db = {
  async query(sql, args = []) {
    try {
      return (await pool.query(sql, args)).rows as any;
    } catch (e: any) {
      if (/timeout exceeded when trying to connect/.test(e.message)) throw new PoolTimeout("booking-db");
      throw e;
    }
  },
};

/** Values of db_client_connections_usage and db_client_connections_pending_requests. */
export function poolStats() {
  return { used: pool.totalCount - pool.idleCount, idle: pool.idleCount, pending: pool.waitingCount, max: cfg.poolMax };
}
'''

F["services/booking-api/src/cache/slotCache.ts"] = r'''import Redis from "ioredis";
import { config } from "../../../../libs/config";

const redis = new Redis(process.env.REDIS_URL ?? "redis://redis:6379", { commandTimeout: 150 });

/** Results of the slot search. A cache that fails is a miss, never an error. */
export const slotCache = {
  async get(key: string): Promise<unknown[] | null> {
    try {
      const hit = await redis.get(`slots:${key}`);
      return hit ? JSON.parse(hit) : null;
    } catch {
      return null;
    }
  },

  async put(key: string, slots: unknown[]): Promise<void> {
    await redis
      .set(`slots:${key}`, JSON.stringify(slots), "EX", config.booking.slotSearch.cacheTtlSeconds)
      .catch(() => undefined);
  },

  /** Called after a booking or a cancellation. */
  async dropClinic(clinicId: string): Promise<void> {
    const keys = await redis.keys(`slots:${clinicId}:*`).catch(() => []);
    if (keys.length) await redis.del(...keys).catch(() => undefined);
  },
};
'''

F["services/booking-api/src/domain/slotSearch.ts"] = r'''import { config } from "../../../../libs/config";
import { slotCache } from "../cache/slotCache";
import type { Db } from "../db/pool";

export interface SlotQuery {
  clinicId: string;
  specialty: string;
  from: Date;
  to: Date;
}

export interface Slot {
  clinicianId: string;
  startsAt: Date;
  minutes: number;
}

export class RangeTooLong extends Error {}

export async function searchSlots(db: Db, q: SlotQuery): Promise<Slot[]> {
  const days = (q.to.getTime() - q.from.getTime()) / 86_400_000;
  if (days > config.booking.slotSearch.maxRangeDays) throw new RangeTooLong(`${days} days`);

  const key = `${q.clinicId}:${q.specialty}:${q.from.toISOString()}:${q.to.toISOString()}`;
  const cached = await slotCache.get(key);
  if (cached) return cached as Slot[];

  const clinicians = await db.query<{ id: string }>(
    "SELECT id FROM clinicians WHERE clinic_id = $1 AND specialty = $2 AND active ORDER BY id LIMIT $3",
    [q.clinicId, q.specialty, config.booking.slotSearch.maxClinicians],
  );

  const slots = await db.query<Slot>(
    `SELECT s.clinician_id AS "clinicianId", s.starts_at AS "startsAt", s.minutes
       FROM slots s
       LEFT JOIN appointments a ON a.slot_id = s.id AND a.status IN ('held', 'booked')
      WHERE s.clinician_id = ANY($1) AND s.starts_at >= $2 AND s.starts_at < $3 AND a.id IS NULL
      ORDER BY s.starts_at`,
    [clinicians.map((c) => c.id), q.from, q.to],
  );

  await slotCache.put(key, slots);
  return slots;
}
'''

F["services/booking-api/src/domain/cancellation.ts"] = r'''import { config } from "../../../../libs/config";

export interface Cancellable {
  startsAt: Date;
  kind: "first_visit" | "follow_up";
}

export interface CancellationResult {
  free: boolean;
  feeCents: number;
}

/** A cancellation is free until some hours before the start; later the late fee is kept. */
export function judgeCancellation(a: Cancellable, now: Date): CancellationResult {
  const hoursLeft = (a.startsAt.getTime() - now.getTime()) / 3_600_000;
  const cfg = config.booking.cancellation;
  const free = hoursLeft >= cfg.freeUntilHours;
  return { free, feeCents: free ? 0 : cfg.lateFeeCents };
}
'''

F["services/booking-api/src/routes/slots.ts"] = r'''import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { db } from "../db/pool";
import { RangeTooLong, searchSlots } from "../domain/slotSearch";

const Query = z.object({
  clinicId: z.string().uuid(),
  specialty: z.string().min(2).max(40),
  from: z.coerce.date(),
  to: z.coerce.date(),
});

export async function slotRoutes(app: FastifyInstance) {
  app.get("/v1/slots", async (req, reply) => {
    const parsed = Query.safeParse(req.query);
    if (!parsed.success) return reply.code(400).send({ error: "invalid", detail: parsed.error.issues });
    try {
      const slots = await searchSlots(db, parsed.data);
      return { slots, count: slots.length };
    } catch (e) {
      if (e instanceof RangeTooLong) return reply.code(400).send({ error: "range_too_long" });
      throw e;
    }
  });
}
'''

F["services/booking-api/src/routes/appointments.ts"] = r'''import type { FastifyInstance } from "fastify";
import { config } from "../../../../libs/config";
import { slotCache } from "../cache/slotCache";
import { refundFor } from "../clients/payments";
import { createRoom } from "../clients/video";
import { db } from "../db/pool";
import { judgeCancellation } from "../domain/cancellation";

export async function appointmentRoutes(app: FastifyInstance) {
  app.post("/v1/appointments", async (req, reply) => {
    const { slotId, patientId, clinicId, video } = req.body as any;
    const held = await db.query(
      `INSERT INTO appointments (slot_id, patient_id, status, held_until)
       SELECT $1, $2, 'held', now() + make_interval(mins => $3)
        WHERE NOT EXISTS (SELECT 1 FROM appointments
                           WHERE slot_id = $1 AND (status = 'booked' OR (status = 'held' AND held_until > now())))
       RETURNING id`,
      [slotId, patientId, config.booking.holdMinutes],
    );
    if (held.length === 0) return reply.code(409).send({ error: "slot_taken" });
    await slotCache.dropClinic(clinicId);
    // The room is a convenience: without it the appointment stands and the room is made at check-in.
    const room = video ? await createRoom(held[0].id).catch(() => null) : null;
    return reply.code(201).send({ id: held[0].id, roomId: room?.id ?? null, payWithinMinutes: config.booking.holdMinutes });
  });

  app.get("/v1/appointments/:id", async (req, reply) => {
    const rows = await db.query("SELECT * FROM appointments WHERE id = $1", [(req.params as any).id]);
    return rows[0] ?? reply.code(404).send({ error: "not_found" });
  });

  app.delete("/v1/appointments/:id", async (req, reply) => {
    const { id } = req.params as any;
    const [a] = await db.query(
      `SELECT a.id, a.payment_id, a.kind, s.starts_at AS "startsAt", s.clinic_id AS "clinicId"
         FROM appointments a JOIN slots s ON s.id = a.slot_id WHERE a.id = $1 AND a.status = 'booked'`,
      [id],
    );
    if (!a) return reply.code(409).send({ error: "not_cancellable" });
    const verdict = judgeCancellation(a, new Date());
    await db.query("UPDATE appointments SET status = 'cancelled', cancelled_at = now() WHERE id = $1", [id]);
    await slotCache.dropClinic(a.clinicId);
    if (a.payment_id) await refundFor(a.payment_id, verdict.feeCents);
    return reply.code(204).send();
  });
}
'''

F["services/booking-api/src/routes/patients.ts"] = r'''import type { FastifyInstance } from "fastify";
import { db } from "../db/pool";

// Never select insurance_number or notes here: this answer reaches the browser.
const COLUMNS = "id, given_name, family_name, birth_date, locale, phone_verified";

export async function patientRoutes(app: FastifyInstance) {
  app.get("/v1/patients/:id", async (req, reply) => {
    const { id } = req.params as any;
    const rows = await db.query(`SELECT ${COLUMNS} FROM patients WHERE id = $1 AND deleted_at IS NULL`, [id]);
    if (rows.length === 0) return reply.code(404).send({ error: "not_found" });
    reply.header("cache-control", "private, max-age=30");
    return rows[0];
  });
}
'''

F["services/booking-api/src/clients/payments.ts"] = r'''import { config } from "../../../../libs/config";
import { CircuitBreaker } from "../../../../libs/http/circuitBreaker";
import { call } from "../../../../libs/http/retry";

const cfg = config.clients.payments;
export const paymentsBreaker = new CircuitBreaker("payments", config.breaker);

/** Gives back what was paid, less the late fee. No retries here: payments itself retries towards the provider. */
export async function refundFor(paymentId: string, feeCents: number): Promise<void> {
  await call(
    `${cfg.baseUrl}/v1/refunds`,
    {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": `refund-${paymentId}` },
      body: JSON.stringify({ paymentId, keepCents: feeCents }),
    },
    { peer: "payments", timeoutMs: cfg.timeoutMs, retries: cfg.retries, breaker: paymentsBreaker },
  );
}
'''

F["services/booking-api/src/clients/video.ts"] = r'''import { config } from "../../../../libs/config";
import { CircuitBreaker } from "../../../../libs/http/circuitBreaker";
import { call } from "../../../../libs/http/retry";

const cfg = config.clients.video;
export const videoBreaker = new CircuitBreaker("video-gateway", config.breaker);

export async function createRoom(appointmentId: string): Promise<{ id: string }> {
  const res = await call(
    `${cfg.baseUrl}/v1/rooms`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ appointmentId }),
    },
    { peer: "video-gateway", timeoutMs: cfg.timeoutMs, retries: cfg.retries, backoffMs: cfg.backoffMs, breaker: videoBreaker },
  );
  return (await res.body.json()) as { id: string };
}
'''

F["services/payments/src/clients/paygrid.ts"] = r'''import { config } from "../../../../libs/config";
import { CircuitBreaker } from "../../../../libs/http/circuitBreaker";
import { call } from "../../../../libs/http/retry";

const cfg = config.clients.paygrid;
export const paygridBreaker = new CircuitBreaker("paygrid", config.breaker);

async function post(path: string, body: unknown, idempotencyKey: string) {
  const res = await call(
    `${cfg.baseUrl}${path}`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${process.env.PAYGRID_API_KEY}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify(body),
    },
    { peer: "paygrid", timeoutMs: cfg.timeoutMs, retries: cfg.retries, backoffMs: cfg.backoffMs, breaker: paygridBreaker },
  );
  return { status: res.statusCode, body: (await res.body.json()) as any };
}

/** 402 means declined by the bank: an answer, not an error. */
export const charge = (amountCents: number, cardToken: string, key: string) =>
  post("/charges", { amount: amountCents, currency: config.payments.currency, source: cardToken }, key);

export const refund = (chargeId: string, amountCents: number, key: string) =>
  post(`/charges/${chargeId}/refunds`, { amount: amountCents }, key);
'''

F["services/payments/src/idempotency.ts"] = r'''import { config } from "../../../libs/config";
import type { Db } from "../../booking-api/src/db/pool";

/** Runs `work` once per key; a second call with the same key gets the stored answer. */
export async function once<T>(db: Db, key: string, work: () => Promise<T>): Promise<T> {
  const hours = config.payments.idempotencyTtlHours;
  const seen = await db.query<{ answer: T }>(
    "SELECT answer FROM idempotency_keys WHERE key = $1 AND created_at > now() - make_interval(hours => $2)",
    [key, hours],
  );
  if (seen.length > 0) return seen[0].answer;
  const answer = await work();
  await db.query(
    "INSERT INTO idempotency_keys (key, answer) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
    [key, JSON.stringify(answer)],
  );
  return answer;
}
'''

F["services/payments/src/routes/payments.ts"] = r'''import type { FastifyInstance } from "fastify";
import { config } from "../../../../libs/config";
import { UpstreamError } from "../../../../libs/http/retry";
import { charge } from "../clients/paygrid";
import { once } from "../idempotency";

export async function paymentRoutes(app: FastifyInstance, { db }: any) {
  app.post("/v1/payments", async (req, reply) => {
    const key = req.headers["idempotency-key"] as string | undefined;
    if (!key) return reply.code(400).send({ error: "idempotency_key_missing" });
    const { appointmentId, amountCents, cardToken } = req.body as any;
    if (amountCents <= 0 || amountCents > config.payments.maxAmountCents) {
      return reply.code(422).send({ error: "amount_out_of_range" });
    }
    try {
      const res = await once(db, key, () => charge(amountCents, cardToken, key));
      if (res.status === 402) return reply.code(402).send({ error: "declined", reason: res.body.reason });
      await db.query("INSERT INTO payments (id, appointment_id, amount_cents) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
        res.body.id,
        appointmentId,
        amountCents,
      ]);
      return reply.code(201).send({ paymentId: res.body.id });
    } catch (e) {
      if (e instanceof UpstreamError) {
        req.log.warn({ peer: e.peer, status: e.status }, "charge failed");
        return reply.code(502).send({ error: "provider_unavailable" });
      }
      throw e;
    }
  });
}
'''

F["services/payments/src/routes/refunds.ts"] = r'''import type { FastifyInstance } from "fastify";
import { UpstreamError } from "../../../../libs/http/retry";
import { refund } from "../clients/paygrid";
import { once } from "../idempotency";

export async function refundRoutes(app: FastifyInstance, { db }: any) {
  app.post("/v1/refunds", async (req, reply) => {
    const key = req.headers["idempotency-key"] as string;
    const { paymentId, keepCents } = req.body as any;
    const [p] = await db.query("SELECT id, amount_cents FROM payments WHERE id = $1", [paymentId]);
    if (!p) return reply.code(409).send({ error: "unknown_payment" });
    if (keepCents > 0) return reply.code(409).send({ error: "partial_refund_unsupported" });
    try {
      const res = await once(db, key, () => refund(p.id, p.amount_cents, key));
      return reply.code(201).send({ refundId: res.body.id });
    } catch (e) {
      if (e instanceof UpstreamError) return reply.code(502).send({ error: "provider_unavailable" });
      throw e;
    }
  });
}
'''

F["deploy/booking-api.yaml"] = r'''apiVersion: apps/v1
kind: Deployment
metadata:
  name: booking-api
  namespace: lumicare
spec:
  replicas: 3
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels: { app: booking-api }
  template:
    metadata:
      labels: { app: booking-api }
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: booking-api
          image: registry.lumicare.example/booking-api:latest
          env:
            - { name: LUMICARE_ENV, value: production }
          ports:
            - { name: http, containerPort: 8080 }
            - { name: metrics, containerPort: 9464 }
          resources:
            requests: { cpu: 500m, memory: 512Mi }
            limits: { memory: 768Mi }
          readinessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 5
            failureThreshold: 3
'''

F["deploy/payments.yaml"] = r'''apiVersion: apps/v1
kind: Deployment
metadata:
  name: payments
  namespace: lumicare
spec:
  replicas: 2
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels: { app: payments }
  template:
    metadata:
      labels: { app: payments }
    spec:
      containers:
        - name: payments
          image: registry.lumicare.example/payments:latest
          env:
            - { name: LUMICARE_ENV, value: production }
            - name: PAYGRID_API_KEY
              valueFrom: { secretKeyRef: { name: paygrid, key: api-key } }
          ports:
            - { name: http, containerPort: 8081 }
            - { name: metrics, containerPort: 9464 }
          resources:
            requests: { cpu: 250m, memory: 256Mi }
            limits: { memory: 384Mi }
'''

ALERTS_1 = r'''groups:
  - name: booking
    rules:
      - alert: SlotSearchSlow
        expr: |
          histogram_quantile(0.95, sum by (le, service_name, http_route) (
            rate(http_server_duration_milliseconds_bucket{service_name="booking-api",http_route="/v1/slots"}[10m])
          )) > 600
        for: 10m
        labels: { severity: page, team: booking }
        annotations:
          summary: "95 % of slot searches take up to {{ $value | humanize }} ms"
          runbook: docs/runbooks/rollback.md
      - alert: DbPoolNearlyExhausted
        expr: |
          db_client_connections_usage{state="used"}
            / ignoring(state) db_client_connections_max > 0.8
        for: 15m
        labels: { severity: ticket, team: platform }
        annotations:
          summary: "Pool {{ $labels.pool_name }} is {{ $value | humanizePercentage }} used"

  - name: payments
    rules:
      - alert: PaymentErrorRateHigh
        expr: |
          sum by (service_name, http_route) (rate(http_server_responses_total{service_name="payments",http_route="/v1/payments",http_status_code=~"5.."}[10m]))
            / sum by (service_name, http_route) (rate(http_server_responses_total{service_name="payments",http_route="/v1/payments"}[10m])) > 0.02
        for: 10m
        labels: { severity: page, team: payments }
        annotations:
          summary: "{{ $value | humanizePercentage }} of payments fail"
          runbook: docs/runbooks/payment-errors.md

  - name: platform
    rules:
      - alert: TargetDown
        expr: up == 0
        for: 5m
        labels: { severity: page, team: platform }
        annotations:
          summary: "{{ $labels.instance }} of {{ $labels.job }} is not scraped"
      - alert: EventLoopBlocked
        expr: nodejs_eventloop_delay_p99_milliseconds > 200
        for: 10m
        labels: { severity: ticket, team: platform }
        annotations:
          summary: "Event loop of {{ $labels.service_name }} is {{ $value }} ms late"
'''
F["ops/prometheus/alerts.yml"] = ALERTS_1

# --- commit 2: video-gateway
VIDEO = {}
VIDEO["services/video-gateway/src/clients/roomkit.ts"] = r'''import { config } from "../../../../libs/config";
import { CircuitBreaker } from "../../../../libs/http/circuitBreaker";
import { call } from "../../../../libs/http/retry";

const cfg = config.clients.roomkit;
export const roomkitBreaker = new CircuitBreaker("roomkit", config.breaker);

export async function openRoom(appointmentId: string): Promise<string> {
  const res = await call(
    `${cfg.baseUrl}/rooms`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${process.env.ROOMKIT_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `appt-${appointmentId}`, maxParticipants: 4, region: "eu-central" }),
    },
    { peer: "roomkit", timeoutMs: cfg.timeoutMs, retries: cfg.retries, breaker: roomkitBreaker },
  );
  return ((await res.body.json()) as { id: string }).id;
}
'''
VIDEO["services/video-gateway/src/routes/rooms.ts"] = r'''import { createHmac } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { openRoom } from "../clients/roomkit";

const TOKEN_TTL_MINUTES = 15;
const EARLY_ENTRY_MINUTES = 10;

function sign(payload: object): string {
  const body = Buffer.from(JSON.stringify(payload)).toString("base64url");
  const mac = createHmac("sha256", process.env.ROOMKIT_SIGNING_SECRET!).update(body).digest("base64url");
  return `${body}.${mac}`;
}

export async function roomRoutes(app: FastifyInstance, { rooms }: any) {
  app.post("/v1/rooms", async (req, reply) => {
    const { appointmentId } = req.body as any;
    const known = await rooms.byAppointment(appointmentId);
    if (known) return reply.code(201).send({ id: known });
    const id = await openRoom(appointmentId);
    await rooms.save(appointmentId, id);
    return reply.code(201).send({ id });
  });

  app.post("/v1/rooms/:id/token", async (req, reply) => {
    const room = await rooms.get((req.params as any).id);
    if (!room) return reply.code(404).send({ error: "no_such_room" });
    const now = Date.now();
    if (now < room.startsAt - EARLY_ENTRY_MINUTES * 60_000) return reply.code(404).send({ error: "too_early" });
    const exp = Math.floor(now / 1000) + TOKEN_TTL_MINUTES * 60;
    return { token: sign({ room: room.id, sub: (req.body as any).userId, exp }) };
  });
}
'''
VIDEO["deploy/video-gateway.yaml"] = r'''apiVersion: apps/v1
kind: Deployment
metadata:
  name: video-gateway
  namespace: lumicare
spec:
  replicas: 2
  selector:
    matchLabels: { app: video-gateway }
  template:
    metadata:
      labels: { app: video-gateway }
    spec:
      containers:
        - name: video-gateway
          image: registry.lumicare.example/video-gateway:latest
          env:
            - { name: LUMICARE_ENV, value: production }
          ports:
            - { name: http, containerPort: 8082 }
            - { name: metrics, containerPort: 9464 }
          resources:
            requests: { cpu: 200m, memory: 192Mi }
            limits: { memory: 320Mi }
'''
CFG_ROOMKIT = r'''  roomkit:
    baseUrl: https://api.roomkit.example/v1
    timeoutMs: 2500
    retries: 1
'''
CFG_TEXTWAVE = r'''  textwave:
    baseUrl: https://api.textwave.example/2024-06
    timeoutMs: 4000
    retries: 4
    backoffMs: 500
    maxPerSecond: 15
'''
CFG_NOTIFY = r'''
notify:
  concurrency: 8
  ackDeadlineSeconds: 30
  reminderOffsetsHours: [48, 3]
  quietHours: "21:00-07:30"
'''

NOTIFY = {}
NOTIFY["services/notify-worker/src/reminders.ts"] = r'''import { config } from "../../../libs/config";

export interface Reminder {
  appointmentId: string;
  patientId: string;
  channel: "sms" | "mail";
  dueAt: Date;
  offsetHours: number;
}

/** One reminder per configured offset; those that would fall into the past are left out. */
export function plan(appointmentId: string, patientId: string, startsAt: Date, channel: "sms" | "mail", now: Date): Reminder[] {
  return config.notify.reminderOffsetsHours
    .map((h: number) => ({ appointmentId, patientId, channel, offsetHours: h, dueAt: new Date(startsAt.getTime() - h * 3_600_000) }))
    .filter((r: Reminder) => r.dueAt > now);
}

/** In quiet hours an SMS waits until the end of the quiet time; mail is sent at any hour. */
export function inQuietHours(local: string): boolean {
  const [from, to] = config.notify.quietHours.split("-");
  return local >= from || local < to;
}
'''
NOTIFY["services/notify-worker/src/clients/textwave.ts"] = r'''import { config } from "../../../../libs/config";
import { CircuitBreaker } from "../../../../libs/http/circuitBreaker";
import { call } from "../../../../libs/http/retry";

const cfg = config.clients.textwave;
export const textwaveBreaker = new CircuitBreaker("textwave", config.breaker);

let nextAt = 0;

/** Textwave answers 429 above the agreed rate, so the sends are spaced out here. */
async function pace(): Promise<void> {
  const now = Date.now();
  nextAt = Math.max(now, nextAt + 1000 / cfg.maxPerSecond);
  if (nextAt > now) await new Promise((r) => setTimeout(r, nextAt - now));
}

export async function sendSms(to: string, text: string): Promise<void> {
  await pace();
  await call(
    `${cfg.baseUrl}/messages`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${process.env.TEXTWAVE_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ to, text, from: "Lumicare" }),
    },
    { peer: "textwave", timeoutMs: cfg.timeoutMs, retries: cfg.retries, backoffMs: cfg.backoffMs, breaker: textwaveBreaker },
  );
}
'''
NOTIFY["services/notify-worker/src/consumer.ts"] = r'''import amqp from "amqplib";
import { config } from "../../../libs/config";
import { notificationsSent } from "../../../libs/telemetry/metrics";
import { sendSms } from "./clients/textwave";
import { sendMail } from "./clients/mail";
import type { Reminder } from "./reminders";

const QUEUES = ["reminders.sms", "reminders.mail", "followups.mail"];
const MAX_DELIVERIES = 5;

async function handle(r: Reminder, texts: any): Promise<void> {
  if (r.channel === "sms") await sendSms(await texts.phoneOf(r.patientId), await texts.render(r));
  else await sendMail(await texts.mailOf(r.patientId), await texts.render(r));
  notificationsSent.add(1, { channel: r.channel, outcome: "ok" });
}

export async function start(texts: any) {
  const conn = await amqp.connect(process.env.AMQP_URL!);
  const ch = await conn.createChannel();
  await ch.prefetch(config.notify.concurrency);
  for (const q of QUEUES) {
    await ch.assertQueue(q, { durable: true, arguments: { "x-queue-type": "quorum", "x-delivery-limit": MAX_DELIVERIES } });
    await ch.consume(q, async (msg) => {
      if (!msg) return;
      const r: Reminder = JSON.parse(msg.content.toString());
      try {
        await handle(r, texts);
        ch.ack(msg);
      } catch {
        notificationsSent.add(1, { channel: r.channel, outcome: "failed" });
        ch.nack(msg, false, true);
      }
    });
  }
}
'''
NOTIFY["services/notify-worker/src/clients/mail.ts"] = r'''import { createTransport } from "nodemailer";

const transport = createTransport({
  host: process.env.SMTP_HOST,
  port: 587,
  secure: false,
  requireTLS: true,
  connectionTimeout: 5_000,
  socketTimeout: 20_000,
  pool: true,
  maxConnections: 4,
});

export async function sendMail(to: string, body: { subject: string; text: string }): Promise<void> {
  await transport.sendMail({ from: "Lumicare <no-reply@lumicare.example>", to, ...body });
}
'''
NOTIFY["deploy/notify-worker.yaml"] = r'''apiVersion: apps/v1
kind: Deployment
metadata:
  name: notify-worker
  namespace: lumicare
spec:
  replicas: 2
  selector:
    matchLabels: { app: notify-worker }
  template:
    metadata:
      labels: { app: notify-worker }
    spec:
      containers:
        - name: notify-worker
          image: registry.lumicare.example/notify-worker:latest
          env:
            - { name: LUMICARE_ENV, value: production }
          ports:
            - { name: metrics, containerPort: 9464 }
          resources:
            requests: { cpu: 150m, memory: 192Mi }
            limits: { memory: 256Mi }
'''

# --- commit 4: documents
DOCS = {}
DOCS[".github/CODEOWNERS"] = r'''# The last matching line decides.
*                                   @lumicare/platform
/services/booking-api/              @lumicare/booking
/services/payments/                 @lumicare/payments
/services/video-gateway/            @lumicare/care-experience
/services/notify-worker/            @lumicare/care-experience
/db/migrations/                     @lumicare/booking @lumicare/platform
/config/                            @lumicare/platform
/ops/                               @lumicare/platform
/docs/slo.md                        @lumicare/platform @hanna-brandt
/services/payments/src/clients/     @lumicare/payments @tomasz-wilk
'''
DOCS["docs/architecture.md"] = r'''# Architecture

## Overview

```
 browser / app ──► ingress ──► booking-api ──► PostgreSQL (booking-db), Redis (slot cache)
                      │             ├──► payments ──► Paygrid (card provider)
                      │             └──► video-gateway ──► Roomkit (video provider)
                      ├──► payments         (the card form posts here directly)
                      └──► video-gateway    (join tokens)
 booking-api ──► RabbitMQ ──► notify-worker ──► Textwave (SMS), SMTP relay
```

All services run in the namespace `lumicare` of the cluster `eu-central-1a`, behind one ingress.

## Booking an appointment

1. The browser asks `GET /v1/slots` for free slots of a specialty in a clinic.
2. `POST /v1/appointments` puts a hold on the slot. A hold is valid for 10 minutes and takes the slot out of the search.
3. The card form sends `POST /v1/payments`. After a successful charge, payments publishes `payment.captured`.
4. booking-api turns the hold into a booking and publishes `appointment.booked`; notify-worker plans the reminders.

A hold whose payment does not arrive simply runs out. Nothing has to be cleaned up.

## Data stores

| Store | Used by | What is in it | Backup |
|---|---|---|---|
| PostgreSQL `booking-db` | booking-api | patients, clinicians, slots, appointments | point in time, 14 days |
| PostgreSQL `payments-db` | payments | payments, refunds, idempotency keys | point in time, 35 days |
| Redis | booking-api | slot search results | none, it is a cache |
| RabbitMQ | notify-worker | quorum queues for reminders and follow-ups | none |

## Telemetry

Services export OpenTelemetry metrics on port 9464. Durations are in milliseconds (`http_server_duration_milliseconds`), by route template.
4xx answers are the client's business and count as good; a declined card is a 402.
'''
DOCS["docs/adr/0001-slot-search-reads-from-cache.md"] = r'''# ADR 1: Slot search reads from a short-lived cache

Status: accepted

## Context

Slot search is the busiest route: about half of all traffic. Before the cache, one search took two joins over `slots` and
`appointments`, and in flu season the database was at 80 % CPU.

## Decision

Results are kept in Redis per clinic, specialty and time range for a short time (`booking.slotSearch.cacheTtlSeconds`).
A booking or a cancellation drops all entries of the clinic. If Redis fails, we go to the database; a cache error is never shown to a patient.

## Consequences

- A patient may see a slot that was taken seconds ago. The hold then fails with 409 `slot_taken`, and the app searches again.
- We rejected a materialised view: refreshing it took 40 s and locked writes.
- We rejected a search index (OpenSearch): one more system to operate for a team of nine.
'''
DOCS["docs/adr/0002-retry-only-with-idempotency-key.md"] = r'''# ADR 2: Money moves only with an idempotency key

Status: accepted

## Context

In spring a network fault between payments and Paygrid led to 31 patients being charged twice: the client had retried a charge
whose answer was lost.

## Decision

Every charge and refund carries an idempotency key that the caller chooses. payments stores the provider's answer under this key and
replays it. Only with a key may a call to Paygrid be retried. Callers of payments do not retry at all (`clients.payments.retries: 0`):
retries happen in one place only, towards the provider.

## Consequences

- `POST /v1/payments` without the header `Idempotency-Key` is refused with 400.
- The worst case for a patient is the sum of all attempts; the timeout of callers has to be longer than that.
- A declined card (402) is stored as well: trying again with the same key gives the same answer.
'''
DOCS["docs/slo.md"] = r'''# Service level objectives

Good events are answers below 500; 4xx count as good. The window is 30 days, rolling.

## Targets

| Service | Route | Indicator | Target | Error budget per 30 days |
|---|---|---|---|---|
| booking-api | `GET /v1/slots` | no server error | 99.9 % | 43 min |
| booking-api | `GET /v1/slots` | answered within 500 ms | 95 % | 36 h |
| booking-api | `POST /v1/appointments` | no server error | 99.9 % | 43 min |
| booking-api | `POST /v1/appointments` | answered within 1000 ms | 99 % | 7 h 12 min |
| payments | `POST /v1/payments` | no server error | 99.5 % | 3 h 36 min |
| payments | `POST /v1/refunds` | no server error | 99 % | 7 h 12 min |
| video-gateway | `POST /v1/rooms/:id/token` | no server error | 99.95 % | 22 min |
| video-gateway | `POST /v1/rooms/:id/token` | answered within 250 ms | 99 % | 7 h 12 min |
| notify-worker | queue `reminders.sms` | sent within 10 min of the due time | 98 % | 14 h 24 min |

## When the budget runs out

- Less than 25 % left: new features of the service wait, only fixes are released.
- Nothing left: in addition, every release needs the agreement of the platform lead (Hanna Brandt).
- The freeze ends when 10 % of the budget has come back.

## Reporting

Numbers are reviewed on the first Tuesday of the month in #reliability.
'''
DOCS["docs/oncall.md"] = r'''# On call and ownership

## Owners

| Service | Team | Lead | Channel |
|---|---|---|---|
| booking-api | Booking | Ines Caballero | #team-booking |
| payments | Payments | Tomasz Wilk | #team-payments |
| video-gateway | Care Experience | Deniz Aksoy | #team-care |
| notify-worker | Care Experience | Deniz Aksoy | #team-care |
| cluster, ingress, RabbitMQ, PostgreSQL | Platform | Hanna Brandt | #platform |

Product owner for payments is Marta Lindqvist. The data protection officer is Dr. Paul Reiter.

## Rota

One person is primary for all services, from Monday 09:30 to Monday 09:30 (Europe/Berlin).

| Week from | Primary | Secondary |
|---|---|---|
@ROTA@
## Escalation

1. The primary has 10 minutes to acknowledge a page.
2. After 10 minutes the secondary is paged, after another 15 minutes the engineering manager, Ruth Okafor.
3. Anything that may have exposed patient data: call the data protection officer at once, at any hour. The number is in the vault under `dpo-phone`.

## Providers

| Provider | Status page | Support |
|---|---|---|
| Paygrid | status.paygrid.example | +49 30 5550 177, contract number LC-20931 |
| Roomkit | status.roomkit.example | support@roomkit.example, answer within 4 h |
| Textwave | status.textwave.example | chat in their console |
'''
DOCS["docs/runbooks/payment-errors.md"] = r'''# Runbook: payments fail

For the alert `PaymentErrorRateHigh`.

## Is it us or Paygrid?

1. Look at `http_client_responses_total{peer_service="paygrid"}` by status code. 5xx there and 502 from us: it is Paygrid.
2. Look at status.paygrid.example and at #paygrid-status.
3. Look whether payments was released in the last two hours. If so, go back first: `docs/runbooks/rollback.md`.

## When it is Paygrid

1. Call Paygrid support (number in `docs/oncall.md`) and open a ticket with priority P1.
2. Below 10 % failures: leave payments on. The card form offers "try again", and the idempotency key makes that safe.
3. At 10 % and above for 15 minutes: switch on pay-later with `lumictl flag set payments.pay-later on`. Patients then book without paying and get an invoice.
4. Tell the front desk in #clinic-support; template "Kartenzahlung gestört".
5. When it is over: switch the flag off, and run `lumictl payments reconcile --since <start>`.

## Do not

- Do not raise the retries towards Paygrid during a disturbance. It multiplies their load and our waiting time.
- Do not restart payments: the idempotency keys are in the database, but charges in flight would be cut off.
'''
DOCS["docs/runbooks/rollback.md"] = r'''# Runbook: roll a service back

## Before you start

Check in `deploys.json` which version ran before. A version that came with a migration may need it undone; see "Migrations".

## Steps

1. Write in #incidents what you roll back and why.
2. Stop the pipeline for the service: `lumictl pipeline hold <service>`.
3. Roll back: `kubectl -n lumicare rollout undo deployment/<service>`.
4. Wait for `kubectl -n lumicare rollout status deployment/<service> --timeout=5m`.
5. Watch latency and errors of the service for 15 minutes.
6. Open a ticket for the owner team and leave the pipeline on hold until it is understood.

## Migrations

Migrations only ever add columns or tables in the release that needs them, so the previous version runs on the newer schema.
Never run a down migration in production without someone of Platform.
'''
DOCS["docs/runbooks/reminder-backlog.md"] = r'''# Runbook: reminders pile up

For the alert `ReminderBacklog`.

1. Look which queue grows: `messaging_queue_depth`. Only `reminders.sms`: most likely Textwave throttles us.
2. Look at `http_client_responses_total{peer_service="textwave",http_status_code="429"}`. If it rises, lower `clients.textwave.maxPerSecond`, do not raise it.
3. If no message is taken at all, restart the consumers: `kubectl -n lumicare rollout restart deployment/notify-worker`.
4. If more than 5000 messages wait, scale to 4 replicas: `kubectl -n lumicare scale deployment/notify-worker --replicas=4`.
5. Reminders that are more than 2 hours late are no help to anyone: drop them with `lumictl queue purge --older-than 2h reminders.sms`.
6. Tell #clinic-support how many patients got no reminder.
'''

POSTMORTEM = r'''# Postmortem: patients were reminded twice

Date: @PM_DATE@. Severity: 2. Author: Deniz Aksoy. Duration: 2 h 35 min (08:10 to 10:45 UTC).

## What happened

1,842 patients got the same SMS reminder two or three times. 61 of them called the front desk. Nobody missed an appointment.

## Why

Textwave was slow that morning (4 to 9 s per message). With up to five attempts of 4 s each plus waiting, one send could take longer than
the acknowledgement deadline of 30 s. RabbitMQ then delivered the message again to another consumer, while the first was still sending.
The worker had no memory of what had already been sent.

## How we noticed

A nurse wrote in #clinic-support at 08:52. No alert fired: every send was counted as `outcome="ok"`.

## Timeline (UTC)

- 08:10 Textwave becomes slow
- 08:52 first report in #clinic-support
- 09:20 Deniz sees the redeliveries in the RabbitMQ console
- 10:05 notify-worker is scaled to 0
- 10:45 1.9.0 with a check against duplicates is out, reminders go on

## Actions

| Action | Owner | Due | State |
|---|---|---|---|
| Remember sent reminders by appointment, offset and channel | Deniz Aksoy | same day | done |
| Acknowledgement deadline 30 s to 90 s | Deniz Aksoy | same week | done |
| Alert on redelivered messages | Hanna Brandt | end of year | open |
| Ask Textwave for idempotent sends | Tomasz Wilk | January | open |
'''

ALERT_NOTIFY = r'''
  - name: care
    rules:
      - alert: ReminderBacklog
        expr: messaging_queue_depth{queue=~"reminders.*"} > 500
        for: 15m
        labels: { severity: page, team: care-experience }
        annotations:
          summary: "{{ $value }} messages wait in {{ $labels.queue }}"
          runbook: docs/runbooks/reminder-backlog.md
      - alert: SmsProviderThrottles
        expr: |
          sum by (service_name, peer_service) (rate(http_client_responses_total{peer_service="textwave",http_status_code="429"}[15m]))
            / sum by (service_name, peer_service) (rate(http_client_responses_total{peer_service="textwave"}[15m])) > 0.05
        for: 15m
        labels: { severity: ticket, team: care-experience }
        annotations:
          summary: "Textwave refuses {{ $value | humanizePercentage }} of messages"
      - alert: VideoTokenErrors
        expr: |
          sum by (service_name, http_route) (rate(http_server_responses_total{service_name="video-gateway",http_route="/v1/rooms/:id/token",http_status_code=~"5.."}[10m]))
            / sum by (service_name, http_route) (rate(http_server_responses_total{service_name="video-gateway",http_route="/v1/rooms/:id/token"}[10m])) > 0.01
        for: 5m
        labels: { severity: page, team: care-experience }
        annotations:
          summary: "{{ $value | humanizePercentage }} of join tokens fail"
'''

ALERT_BURN = r'''      # 99.5 % over 30 days: a budget of 0.5 %. 14.4 times that empties 2 % of the month in one hour.
      - alert: PaymentBudgetBurnFast
        expr: |
          sum by (service_name, http_route) (rate(http_server_responses_total{service_name="payments",http_route="/v1/payments",http_status_code=~"5.."}[1h]))
            / sum by (service_name, http_route) (rate(http_server_responses_total{service_name="payments",http_route="/v1/payments"}[1h])) > 14.4 * 0.005
        for: 2m
        labels: { severity: page, team: payments }
        annotations:
          summary: "Payments use up their error budget more than 14 times too fast"
          runbook: docs/runbooks/payment-errors.md
'''

SLOT_OLD = F["services/booking-api/src/domain/slotSearch.ts"][
    F["services/booking-api/src/domain/slotSearch.ts"].index("  const slots = await db.query<Slot>("):]
SLOT_NEW = r'''  // Each clinician has a buffer between two visits, so a slot is free only if its neighbours leave room for it.
  const slots: Slot[] = [];
  for (const clinician of clinicians) {
    const [{ bufferMinutes }] = await db.query<{ bufferMinutes: number }>(
      `SELECT buffer_minutes AS "bufferMinutes" FROM clinicians WHERE id = $1`,
      [clinician.id],
    );
    const free = await db.query<Slot>(
      `SELECT s.clinician_id AS "clinicianId", s.starts_at AS "startsAt", s.minutes
         FROM slots s
        WHERE s.clinician_id = $1 AND s.starts_at >= $2 AND s.starts_at < $3
          AND NOT EXISTS (SELECT 1 FROM appointments a JOIN slots b ON b.id = a.slot_id
                           WHERE b.clinician_id = s.clinician_id AND a.status IN ('held', 'booked')
                             AND b.starts_at < s.starts_at + make_interval(mins => s.minutes + $4)
                             AND b.starts_at + make_interval(mins => b.minutes + $4) > s.starts_at)
        ORDER BY s.starts_at`,
      [clinician.id, q.from, q.to, bufferMinutes],
    );
    slots.push(...free);
  }
  slots.sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());

  await slotCache.put(key, slots);
  return slots;
}
'''

D = "config/default.yaml"
CONSUMER = "services/notify-worker/src/consumer.ts"

CHANGELOG = r'''# Changelog

## notify-worker 1.9.0

- Reminders are remembered by appointment, offset and channel; none is sent twice.
- Acknowledgement deadline 90 s instead of 30 s.

## payments 1.13.0

- Idempotency keys are kept for 72 hours.
'''


def commits(now):
    """[(age in seconds, author, message, {path: content}, [(path, old, new)], tag or None)]"""
    rota_names = [("Deniz Aksoy", "Hanna Brandt"), ("Tomasz Wilk", "Ines Caballero"), ("Ines Caballero", "Tomasz Wilk"),
                  ("Hanna Brandt", "Deniz Aksoy"), ("Deniz Aksoy", "Ines Caballero")]
    today = dt.datetime.fromtimestamp(now, dt.timezone.utc).date()
    monday = today - dt.timedelta(days=today.weekday())
    rota = "".join("| %s | %s | %s |\n" % ((monday + dt.timedelta(days=7 * (i - 2))).isoformat(), a, b)
                   for i, (a, b) in enumerate(rota_names))
    docs = dict(DOCS)
    docs["docs/oncall.md"] = docs["docs/oncall.md"].replace("@ROTA@", rota)
    pm_date = (today - dt.timedelta(days=26)).isoformat()
    pm_path = "docs/postmortems/%s-double-reminders.md" % pm_date
    return [
        (40 * DAY, HANNA, "Import booking-api, payments and the shared libraries", F, [], None),
        (38 * DAY + 3 * HOUR, DENIZ, "video-gateway: rooms and join tokens", VIDEO,
         [(D, "\nbreaker:\n", CFG_ROOMKIT + "\nbreaker:\n")], "video-gateway-v3.2.0"),
        (35 * DAY + 5 * HOUR, DENIZ, "notify-worker: reminders by SMS and mail", NOTIFY,
         [(D, "\nbreaker:\n", CFG_TEXTWAVE + "\nbreaker:\n"),
          (D, "  idempotencyTtlHours: 24\n", "  idempotencyTtlHours: 24\n" + CFG_NOTIFY),
          ("ops/prometheus/alerts.yml", "\n  - name: platform\n", ALERT_NOTIFY + "\n  - name: platform\n")], None),
        (32 * DAY + 2 * HOUR, HANNA, "docs: architecture, decisions, SLOs, runbooks, on-call; CODEOWNERS", docs, [], "booking-api-v2.7.2"),
        (28 * DAY + 4 * HOUR, TOMASZ, "payments: keep idempotency keys for 72 hours\n\nThe app may retry a payment after a weekend without network; 24 hours were too short.",
         {}, [(D, "idempotencyTtlHours: 24", "idempotencyTtlHours: 72")], "payments-v1.13.0"),
        (25 * DAY + 20 * HOUR + 30 * MIN, DENIZ, "notify-worker: never send the same reminder twice\n\nRedelivered messages were sent again. Remember what was sent, and give a send 90 s.",
         {"CHANGELOG.md": CHANGELOG},
         [(D, "ackDeadlineSeconds: 30", "ackDeadlineSeconds: 90"),
          (CONSUMER, "      try {\n        await handle(r, texts);",
           "      const once = `${r.appointmentId}:${r.offsetHours}:${r.channel}`;\n      try {\n        if (await sent.has(once)) return ch.ack(msg);\n        await handle(r, texts);\n        await sent.add(once);"),
          (CONSUMER, "export async function start(texts: any) {", "export async function start(texts: any, sent: { has(k: string): Promise<boolean>; add(k: string): Promise<void> }) {")],
         "notify-worker-v1.9.0"),
        (23 * DAY + 1 * HOUR, HANNA, "docs: postmortem of the double reminders", {pm_path: POSTMORTEM.replace("@PM_DATE@", pm_date)}, [], None),
        (19 * DAY + 6 * HOUR, INES, "booking-api: cache slot searches for 20 s only\n\nToo many 409 slot_taken in the morning rush: 60 s is too long.",
         {}, [(D, "cacheTtlSeconds: 60", "cacheTtlSeconds: 20")], None),
        (16 * DAY + 2 * HOUR, TOMASZ, "payments: 5 s and two retries towards Paygrid\n\nThe worst case was 32 s and longer than the caller waits (12 s). Now it is 15 s plus backoff; the caller gets 17 s.",
         {}, [(D, "    timeoutMs: 8000\n    retries: 3\n", "    timeoutMs: 5000\n    retries: 2\n"),
              (D, "    timeoutMs: 12000\n    retries: 0\n", "    timeoutMs: 17000\n    retries: 0\n")], None),
        (12 * DAY + 7 * HOUR, HANNA, "alerts: burn rate of payments; slot search pages at 500 ms as the SLO says",
         {}, [("ops/prometheus/alerts.yml", "          )) > 600\n", "          )) > 500\n"),
              ("ops/prometheus/alerts.yml", "\n  - name: care\n", ALERT_BURN + "\n  - name: care\n")], None),
        (9 * DAY + 2 * HOUR, INES, "booking-api: follow-ups may be cancelled free of charge until 12 hours before",
         {}, [(D, "    freeUntilHours: 24\n", "    freeUntilHours: 24\n    followUpFreeUntilHours: 12\n"),
              ("services/booking-api/src/domain/cancellation.ts", "  const free = hoursLeft >= cfg.freeUntilHours;",
               "  const limit = a.kind === \"follow_up\" ? cfg.followUpFreeUntilHours : cfg.freeUntilHours;\n  const free = hoursLeft >= limit;"),
              ("CHANGELOG.md", "# Changelog\n", "# Changelog\n\n## booking-api 2.7.3\n\n- Follow-ups can be cancelled free of charge until 12 hours before the start.\n- Slot searches are cached for 20 s instead of 60 s.\n")],
         "booking-api-v2.7.3"),
        (5 * DAY + 3 * HOUR, TOMASZ, "payments: partial refunds, so that the late fee can be kept",
         {}, [("services/payments/src/routes/refunds.ts", "    if (keepCents > 0) return reply.code(409).send({ error: \"partial_refund_unsupported\" });",
               "    const amount = p.amount_cents - keepCents;\n    if (amount < 0) return reply.code(409).send({ error: \"fee_above_payment\" });\n    if (amount === 0) return reply.code(201).send({ refundId: null });"),
              ("services/payments/src/routes/refunds.ts", "refund(p.id, p.amount_cents, key)", "refund(p.id, amount, key)"),
              ("CHANGELOG.md", "# Changelog\n", "# Changelog\n\n## payments 1.14.0\n\n- Partial refunds: the late fee is kept, the rest goes back.\n- Paygrid: timeout 5 s instead of 8 s, two retries instead of three.\n")],
         "payments-v1.14.0"),
        (40 * HOUR, DENIZ, "notify-worker: 12 messages at a time",
         {}, [(D, "  concurrency: 8\n", "  concurrency: 12\n"),
              ("CHANGELOG.md", "# Changelog\n", "# Changelog\n\n## notify-worker 1.9.2\n\n- A consumer works on 12 messages at a time instead of 8.\n")],
         "notify-worker-v1.9.2"),
        (30 * HOUR, INES, "db: buffer minutes per clinician",
         {"db/migrations/0014_buffer_minutes.sql": "-- Time a clinician needs between two visits. 0 keeps today's behaviour.\nALTER TABLE clinicians ADD COLUMN buffer_minutes smallint NOT NULL DEFAULT 0;\nALTER TABLE clinicians ADD CONSTRAINT buffer_minutes_range CHECK (buffer_minutes BETWEEN 0 AND 60);\n"},
         [], None),
        (17 * HOUR, INES, "booking-api: slot search honours the buffer of each clinician",
         {}, [("services/booking-api/src/domain/slotSearch.ts", SLOT_OLD, SLOT_NEW),
              ("CHANGELOG.md", "# Changelog\n", "# Changelog\n\n## booking-api 2.8.0\n\n- Slot search leaves the buffer time of each clinician free.\n")],
         "booking-api-v2.8.0"),
        (8 * HOUR + 20 * MIN, DENIZ, "video-gateway: join tokens are valid for 20 minutes\n\nPatients who waited in the lobby were thrown out after 15.",
         {}, [("services/video-gateway/src/routes/rooms.ts", "TOKEN_TTL_MINUTES = 15", "TOKEN_TTL_MINUTES = 20"),
              ("CHANGELOG.md", "# Changelog\n", "# Changelog\n\n## video-gateway 3.2.1\n\n- Join tokens are valid for 20 minutes instead of 15.\n")],
         "video-gateway-v3.2.1"),
        (6 * HOUR + 10 * MIN, HANNA, "docs: rollback checks the version with lumictl",
         {}, [("docs/runbooks/rollback.md", "6. Open a ticket", "6. Check with `lumictl version <service>` that all pods run the old version.\n7. Open a ticket")], None),
    ]


DEPLOYS = [  # age, service, version
    (9 * DAY, "booking-api", "2.7.3"),
    (5 * DAY, "payments", "1.14.0"),
    (38 * HOUR, "notify-worker", "1.9.2"),
    (15 * HOUR, "booking-api", "2.8.0"),
    (7 * HOUR, "video-gateway", "3.2.1"),
]


def build_repo(repo, now):
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
           "TZ": "UTC", "LC_ALL": "C"}

    def git(*args, **extra):
        return subprocess.run(["git", "-C", repo, *args], check=True, env={**env, **extra}, stdout=subprocess.PIPE, text=True).stdout

    os.makedirs(repo)
    git("init", "-q", "-b", "main")
    for key, value in (("core.autocrlf", "false"), ("commit.gpgsign", "false"), ("gc.auto", "0")):
        git("config", key, value)
    tree, tags = {}, {}
    for age, (name, mail), message, files, edits, tag in commits(now):
        touched = dict(files)
        for path, old, new in edits:
            text = touched.get(path, tree.get(path))
            if text is None or text.count(old) != 1:
                sys.exit("edit of %s does not apply once: %r" % (path, old))
            touched[path] = text.replace(old, new)
        for path, text in touched.items():
            full = os.path.join(repo, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8", newline="\n") as f:
                f.write(text)
        tree.update(touched)
        when = "%d +0100" % (now - age)
        who = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": when,
               "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail, "GIT_COMMITTER_DATE": when}
        git("add", "-A")
        git("commit", "-q", "-m", message, **who)
        if tag:
            git("tag", "-a", tag, "-m", tag.replace("-v", " "), **who)
            tags[tag] = git("rev-parse", "HEAD").strip()
    return tree, tags


# ---------------------------------------------------------------------------------------------
# The metrics
# ---------------------------------------------------------------------------------------------
BOUNDS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000]
#  service, method, route, requests/s at the peak, median ms, sigma, {status: share}
ROUTES = [
    ("booking-api", "GET", "/v1/slots", 14.0, 70, 0.55, {"200": 0.9888, "400": 0.0108, "500": 0.0004}),
    ("booking-api", "POST", "/v1/appointments", 5.5, 120, 0.50, {"201": 0.9645, "409": 0.035, "500": 0.0005}),
    ("booking-api", "GET", "/v1/appointments/:id", 7.0, 24, 0.50, {"200": 0.9797, "404": 0.02, "500": 0.0003}),
    ("booking-api", "DELETE", "/v1/appointments/:id", 0.8, 90, 0.45, {"204": 0.969, "409": 0.03, "500": 0.001}),
    ("booking-api", "GET", "/v1/patients/:id", 6.0, 18, 0.50, {"200": 0.9897, "404": 0.01, "500": 0.0003}),
    ("payments", "POST", "/v1/payments", 5.0, 330, 0.40, {"201": 0.943, "402": 0.055, "502": 0.002}),
    ("payments", "POST", "/v1/refunds", 0.5, 400, 0.40, {"201": 0.985, "409": 0.013, "502": 0.002}),
    ("video-gateway", "POST", "/v1/rooms", 1.2, 150, 0.45, {"201": 0.999, "500": 0.001}),
    ("video-gateway", "POST", "/v1/rooms/:id/token", 3.0, 30, 0.50, {"200": 0.9646, "404": 0.035, "500": 0.0004}),
]
SLOW_AGE, ERROR_AGE = 15 * HOUR, 90 * MIN
SERVICES = [("booking-api", 3, 430e6, 0.34, 11), ("payments", 2, 190e6, 0.16, 8), ("video-gateway", 2, 150e6, 0.10, 6), ("notify-worker", 2, 140e6, 0.12, 7)]


def rhythm(t):
    """Share of the peak load: lowest at 02:00 UTC, highest at 14:00 UTC."""
    h = (t % DAY) / HOUR
    return 0.15 + 0.85 * (0.5 - 0.5 * math.cos(2 * math.pi * (h - 2) / 24)) ** 1.5


def poisson(rng, mean):
    if mean > 30:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, k, p = math.exp(-mean), 0, rng.random()
    while p > limit:
        k += 1
        p *= rng.random()
    return k


def write_metrics(path, now):
    rng = random.Random(20261129)
    start = now - 48 * HOUR
    times = list(range(start, now + 1, 60))
    families = {}   # name -> (type, help, {sample name + labels: [(t, value)]})

    def family(name, kind, text):
        families[name] = (kind, text, {})

    def put(name, suffix, labels, t, value):
        key = name + suffix + "{" + ",".join('%s="%s"' % kv for kv in labels) + "}"
        families[name][2].setdefault(key, []).append((t, value))

    family("http_server_duration_milliseconds", "histogram", "Duration of answered requests in milliseconds")
    family("http_server_responses", "counter", "Answered requests by status code")
    family("http_client_responses", "counter", "Answers of other services and providers by status code")
    family("db_client_connections_usage", "gauge", "Connections of the pool by state")
    family("db_client_connections_max", "gauge", "Greatest size of the pool")
    family("db_client_connections_pending_requests", "gauge", "Requests that wait for a connection")
    family("messaging_queue_depth", "gauge", "Messages that wait in the queue")
    family("messaging_oldest_message_age_seconds", "gauge", "Age of the oldest waiting message")
    family("notifications_sent", "counter", "Notifications by channel and outcome")
    family("circuit_breaker_state", "gauge", "0 closed, 1 half open, 2 open")
    family("nodejs_eventloop_delay_p99_milliseconds", "gauge", "Delay of the event loop")
    family("process_memory_usage_bytes", "gauge", "Resident memory")
    family("process_cpu_utilization_ratio", "gauge", "Used share of a core")
    family("video_rooms_active", "gauge", "Rooms with at least one participant")
    family("service_build_info", "gauge", "1 for the version that runs")
    family("up", "gauge", "1 when the scrape succeeded")

    client = {}

    def count(key, n):
        client[key] = client.get(key, 0) + n

    # Routes: a histogram and a counter that agree with each other.
    payments_bad, payments_ok, payments_402, rooms_made = {}, {}, {}, {}
    for service, method, route, peak, median, sigma, shares in ROUTES:
        base = [("service_name", service), ("http_route", route), ("http_method", method)]
        buckets, total, msum = [0] * (len(BOUNDS) + 1), 0, 0.0
        by_code = {code: 0 for code in shares}
        start_offset = rng.randint(20_000, 90_000)   # processes did not start with the window
        for t in times:
            mean = peak * 60 * rhythm(t) * rng.uniform(0.93, 1.07)
            age = now - t
            now_shares = dict(shares)
            if route == "/v1/payments" and age < ERROR_AGE:
                now_shares.update({"502": 0.04, "201": 0.905})
            mu = math.log(median) + rng.gauss(0, 0.03)
            if route == "/v1/slots" and age < SLOW_AGE:
                mu += math.log(4) * min(1.0, (SLOW_AGE - age) / (4 * MIN))    # three pods, one after the other
            n = 0
            for code, share in now_shares.items():
                k = poisson(rng, mean * share)
                by_code[code] += k
                n += k
                if route == "/v1/payments":
                    (payments_bad if code == "502" else payments_402 if code == "402" else payments_ok)[t] = k
                if route == "/v1/rooms" and code == "201":
                    rooms_made[t] = k
            for _ in range(n):
                ms = rng.lognormvariate(mu, sigma)
                buckets[bisect.bisect_left(BOUNDS, ms)] += 1
                msum += ms
            total += n
            acc = 0
            for bound, b in zip([str(float(x)) for x in BOUNDS] + ["+Inf"], buckets):
                acc += b
                put("http_server_duration_milliseconds", "_bucket", base + [("le", bound)], t, acc)
            put("http_server_duration_milliseconds", "_sum", base, t, "%.1f" % msum)
            put("http_server_duration_milliseconds", "_count", base, t, acc)
            for code, c in by_code.items():
                put("http_server_responses", "_total", base + [("http_status_code", code)], t, c + start_offset if code[0] == "2" else c)

    # Clients.
    sms_ok = mail_ok = sms_bad = mail_bad = 0
    for t in times:
        f = rhythm(t)
        count(("payments", "paygrid", "200"), payments_ok[t] + poisson(rng, 0.5 * 60 * f))
        count(("payments", "paygrid", "402"), payments_402[t])
        count(("payments", "paygrid", "503"), 3 * payments_bad[t] + poisson(rng, 0.3 * payments_bad[t] + 0.05))
        count(("video-gateway", "roomkit", "200"), rooms_made[t])
        count(("video-gateway", "roomkit", "500"), poisson(rng, 0.03 * f))
        quiet = not 6.5 <= (t % DAY) / HOUR < 20
        sms = poisson(rng, (3.0 if not quiet else 0.2) * 60 * f)
        mail = poisson(rng, 2.0 * 60 * f)
        refused = poisson(rng, sms * 0.006)
        count(("notify-worker", "textwave", "200"), sms)
        count(("notify-worker", "textwave", "429"), refused)
        for (service, peer, code), value in client.items():
            put("http_client_responses", "_total", [("service_name", service), ("peer_service", peer), ("http_status_code", code)], t, value)
        sms_ok += sms
        mail_ok += mail
        sms_bad += poisson(rng, sms * 0.001)
        mail_bad += poisson(rng, mail * 0.002)
        for channel, outcome, value in (("sms", "ok", sms_ok), ("sms", "failed", sms_bad), ("mail", "ok", mail_ok), ("mail", "failed", mail_bad)):
            put("notifications_sent", "_total", [("service_name", "notify-worker"), ("channel", channel), ("outcome", outcome)], t, value)

    # Pools: the booking pool fills up with the slow slot search.
    for t in times:
        f, age = rhythm(t), now - t
        slow = max(0.0, min(1.0, (SLOW_AGE - age) / (5 * MIN)))
        used = (3 + 4 * f) * (1 - slow) + (17.3 + 2.2 * f) * slow + rng.gauss(0, 0.35)
        used = max(0, min(20, round(used)))
        pending = poisson(rng, 0.02) if slow == 0 else poisson(rng, slow * (1.5 + 6 * f))
        for service, pool, size, u, p in (("booking-api", "booking-db", 20, used, pending),
                                          ("payments", "payments-db", 10, max(1, min(10, round(1.5 + 2 * f + rng.gauss(0, 0.4)))), 0)):
            base = [("service_name", service), ("pool_name", pool)]
            put("db_client_connections_usage", "", base + [("state", "used")], t, u)
            put("db_client_connections_usage", "", base + [("state", "idle")], t, size - u)
            put("db_client_connections_max", "", base, t, size)
            put("db_client_connections_pending_requests", "", base, t, p)

    # Queues, breakers, processes.
    for t in times:
        f = rhythm(t)
        for queue, top in (("reminders.sms", 70), ("reminders.mail", 40), ("followups.mail", 12)):
            depth = poisson(rng, top * f)
            put("messaging_queue_depth", "", [("service_name", "notify-worker"), ("queue", queue)], t, depth)
            put("messaging_oldest_message_age_seconds", "", [("service_name", "notify-worker"), ("queue", queue)], t, "%.1f" % (2 + depth * rng.uniform(0.25, 0.35)))
        for service, target in (("booking-api", "payments"), ("booking-api", "video-gateway"), ("payments", "paygrid"),
                                ("video-gateway", "roomkit"), ("notify-worker", "textwave")):
            put("circuit_breaker_state", "", [("service_name", service), ("target", target)], t, 0)
        for service, pods, memory, cpu, lag in SERVICES:
            one = [("service_name", service)]
            put("nodejs_eventloop_delay_p99_milliseconds", "", one, t, "%.1f" % (lag * (0.8 + 0.5 * f) * rng.uniform(0.9, 1.15)))
            put("process_memory_usage_bytes", "", one, t, int(memory * (0.93 + 0.07 * f) * rng.uniform(0.985, 1.015)))
            put("process_cpu_utilization_ratio", "", one, t, "%.4f" % (cpu * (0.25 + 0.75 * f) * rng.uniform(0.92, 1.08)))
            for pod in range(pods):
                put("up", "", [("job", service), ("instance", "%s-%d:9464" % (service, pod))], t, 1)
        put("video_rooms_active", "", [("service_name", "video-gateway")], t, poisson(rng, 55 * f))
        for service, versions in (("booking-api", [(SLOW_AGE, "2.8.0"), (None, "2.7.3")]), ("payments", [(None, "1.14.0")]),
                                  ("video-gateway", [(7 * HOUR, "3.2.1"), (None, "3.2.0")]),
                                  ("notify-worker", [(38 * HOUR, "1.9.2"), (None, "1.9.0")])):
            version = next(v for age, v in versions if age is None or now - t < age)
            put("service_build_info", "", [("service_name", service), ("version", version)], t, 1)

    series = 0
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for name, (kind, text, samples) in families.items():
            out.write("# HELP %s %s\n# TYPE %s %s\n" % (name, text, name, kind))
            series += len(samples)
            for key, values in samples.items():
                out.writelines("%s %s %d\n" % (key, v, t) for t, v in values)
        out.write("# EOF\n")
    return series


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out")
    ap.add_argument("--now", type=int, default=1795934580)
    args = ap.parse_args()
    now = args.now // 60 * 60
    os.makedirs(args.out, exist_ok=True)
    repo = os.path.join(args.out, "repo")
    if os.path.exists(repo):
        shutil.rmtree(repo)
    tree, tags = build_repo(repo, now)
    with open(os.path.join(args.out, "rules.yml"), "w", encoding="utf-8", newline="\n") as f:
        f.write(tree["ops/prometheus/alerts.yml"])
    rows = [{"service": s, "version": v, "commit": tags["%s-v%s" % (s, v)],
             "at": dt.datetime.fromtimestamp(now - age, dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")} for age, s, v in DEPLOYS]
    with open(os.path.join(args.out, "deploys.json"), "w", encoding="utf-8", newline="\n") as f:
        json.dump(rows, f, indent=1)
        f.write("\n")
    n = write_metrics(os.path.join(args.out, "metrics.txt"), now)
    print("%d series, %d files, tags: %s" % (n, len(tree), " ".join(sorted(tags))))


if __name__ == "__main__":
    main()
