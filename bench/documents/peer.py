"""tantivy in an environment of its own: ``PYTHON peer.py < JSON``.

Reads ``{"units": [{"path", "line", "title", "body"}], "questions": [[word, …]], "deep": n, "shown": m}`` and prints
``{"seconds": …, "found": [[[path, line], …]], "times": [ms, …]}``. Nothing of the project is imported here.
"""

import json
import sys
import tempfile
import time

import tantivy


def build(units):
    """An index of English stems over title and body."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("title", tokenizer_name="en_stem")
    schema.add_text_field("body", tokenizer_name="en_stem")
    schema.add_unsigned_field("number", stored=True)
    index = tantivy.Index(schema.build(), path=tempfile.mkdtemp())
    writer = index.writer()
    for number, unit in enumerate(units):
        writer.add_document(tantivy.Document(number=number, title=[unit["title"]], body=[unit["body"]]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def main():
    """Index, answer, print."""
    given = json.load(sys.stdin)
    units = given["units"]
    started = time.perf_counter()
    index = build(units)
    seconds = time.perf_counter() - started
    searcher = index.searcher()
    found, times = [], []
    for words in given["questions"]:
        for k in (given["deep"], given["shown"]):  # the second is timed
            began = time.perf_counter()
            query, _ = index.parse_query_lenient(" ".join(words), ["title", "body"])
            hits = [units[searcher.doc(at)["number"][0]] for _, at in searcher.search(query, k).hits]
            took = (time.perf_counter() - began) * 1e3
            if k == given["deep"]:
                found.append([(unit["path"], unit["line"]) for unit in hits])
        times.append(took)
    print(json.dumps({"seconds": seconds, "found": found, "times": times}))


if __name__ == "__main__":
    main()
