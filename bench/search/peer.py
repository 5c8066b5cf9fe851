"""A peer in an environment of its own: ``PYTHON peer.py METHOD TREE [MODEL]``.

METHOD is one of semble, tantivy and tantivy-lines.

Its first line of output says how long its index took and how large it is, ``{"seconds": …, "bytes": …, "name": …}``.
After that every line of input is a question, ``"…"``, and every line of output its answer:
``{"paths": […], "places": [[path, first line, last line], …], "ms": …}``, best first.
Nothing of the project is imported here.
"""

import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

DEEP = 20
TOO_LARGE = 1_000_000
PIECE_LINES = 50


class NoModel:
    """Stands where semble wants an embedding model; with ``alpha=0`` nothing of it is used."""

    dim = 2

    def encode(self, texts, **_):
        """The same vector for every text."""
        import numpy as np  # noqa: PLC0415

        return np.ones((len(texts), 2), np.float32)


def semble(tree, model):
    """semble by its words alone, hybrid where a model is named."""
    os.environ["SEMBLE_CACHE_LOCATION"] = tempfile.mkdtemp()
    from semble import SembleIndex  # noqa: PLC0415
    from semble.index import index as module  # noqa: PLC0415

    options = {}
    if not model:
        options = {"alpha": 0.0}
        module.load_model = lambda *_: (NoModel(), "none")
    index = SembleIndex.from_path(tree, **({"model_path": model} if model else {}))
    name = "semble 0.7.0, hybrid with static MiniLM" if model else "semble 0.7.0, lexical"

    def search(question):
        found = [r.chunk for r in index.search(question, top_k=DEEP, **options)]
        return [(chunk.file_path, chunk.start_line, chunk.end_line) for chunk in found]

    return name, 0, search


def tantivy_lines(tree, _):
    """tantivy over pieces of fifty lines."""
    return tantivy(tree, _, PIECE_LINES)


def tantivy(tree, _, piece_lines=10**9):
    """tantivy over whole files, or pieces of them: English stems, body and path."""
    import tantivy as lib  # noqa: PLC0415

    builder = lib.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("names", tokenizer_name="en_stem")
    builder.add_text_field("body", tokenizer_name="en_stem")
    builder.add_integer_field("first", stored=True)
    builder.add_integer_field("last", stored=True)
    folder = tempfile.mkdtemp()
    index = lib.Index(builder.build(), path=folder)
    writer = index.writer()
    for place in sorted(Path(tree).rglob("*")):
        path = place.relative_to(tree).as_posix()
        if path.startswith(".git/") or place.is_symlink() or not place.is_file() or place.stat().st_size > TOO_LARGE:
            continue
        source = place.read_bytes()
        if b"\0" not in source[:8000]:
            lines = source.decode("utf-8", "replace").split("\n")
            names = re.sub(r"[\W_]+", " ", path)
            for at in range(0, len(lines), piece_lines):
                piece = lines[at : at + piece_lines]
                body, last = "\n".join(piece), at + len(piece)
                writer.add_document(lib.Document(path=[path], names=[names], body=[body], first=[at + 1], last=[last]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question):
        words = " ".join(re.findall(r"\w+", question))
        query, _ = index.parse_query_lenient(words, ["body", "names"])
        found = [searcher.doc(at) for _, at in searcher.search(query, DEEP).hits]
        return [(doc["path"][0], doc["first"][0], doc["last"][0]) for doc in found]

    size = sum(f.stat().st_size for f in Path(folder).iterdir())
    return "tantivy, en_stem, body + path", size, search


def main():
    """Index, then answer until the input ends."""
    method, tree, *model = sys.argv[1:]
    started = time.perf_counter()
    methods = {"semble": semble, "tantivy": tantivy, "tantivy-lines": tantivy_lines}
    name, size, search = methods[method](tree, *(model or [""]))
    took = time.perf_counter() - started
    print(json.dumps({"seconds": took, "bytes": size, "name": name}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        search(question)
        started = time.perf_counter()
        places = search(question)
        took = (time.perf_counter() - started) * 1e3
        paths = list(dict.fromkeys(path for path, *_ in places))
        print(json.dumps({"paths": paths, "places": places, "ms": took}), flush=True)


if __name__ == "__main__":
    main()
