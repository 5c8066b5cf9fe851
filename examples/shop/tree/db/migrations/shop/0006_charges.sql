-- What the gateway told us, kept apart from orders so that reconciliation can find charges without one.
CREATE TABLE charges (
    id TEXT PRIMARY KEY,
    idempotency_key TEXT NOT NULL UNIQUE,
    amount_cents INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('captured', 'refunded')),
    created_at REAL NOT NULL
);
