-- One row a word of a product's name; filled by db/seed.py and by the catalogue import.
CREATE TABLE product_terms (
    term TEXT NOT NULL,
    product_id INTEGER NOT NULL REFERENCES products (id),
    weight REAL NOT NULL
);
CREATE INDEX product_terms_by_term ON product_terms (term, product_id, weight);
