CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),
    popularity INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX products_by_category ON products (category, popularity DESC);

CREATE TABLE stock (
    product_id INTEGER PRIMARY KEY REFERENCES products (id),
    available INTEGER NOT NULL CHECK (available >= 0)
);
