-- Orders in kronor and zloty. SQLite cannot add a CHECK to a table, so the table is rebuilt.
CREATE TABLE orders_new (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('paid', 'shipped', 'cancelled', 'refunded')),
    total_cents INTEGER NOT NULL CHECK (total_cents >= 0),
    currency TEXT NOT NULL DEFAULT 'EUR' CHECK (length(currency) = 3),
    charge_id TEXT NOT NULL,
    placed_at REAL NOT NULL
);
INSERT INTO orders_new (id, customer_id, status, total_cents, charge_id, placed_at)
SELECT id, customer_id, status, total_cents, charge_id, placed_at FROM orders;
DROP TABLE orders;
ALTER TABLE orders_new RENAME TO orders;
