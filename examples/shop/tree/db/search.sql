-- Products whose names hold a term, best first. Bound: the term, the category twice ('' for all), the most
-- rows wanted. The plan must say SEARCH t USING COVERING INDEX product_terms_by_term.
SELECT
    t.product_id,
    t.weight
FROM
    product_terms AS t
    JOIN products AS p ON p.id = t.product_id
WHERE
    t.term = ?
    AND (? = '' OR p.category = ?)
ORDER BY
    t.weight DESC,
    t.product_id
LIMIT ?;
