"""Serves the shop: ``python server.py --environment development --seed``."""

from __future__ import annotations

import argparse
import logging
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from app import build_shop
from db.seed import seed
from settings import load_settings


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Requests are counted by the metrics; slow and failed ones are logged by the middleware."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", default="development")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080, help="0 picks a free one")
    parser.add_argument("--seed", action="store_true", help="fill an empty database")
    options = parser.parse_args()
    shop = build_shop(load_settings(options.environment))
    if options.seed and not shop.shop.one("SELECT 1 AS x FROM products LIMIT 1", table="products"):
        seed(shop.shop, shop.accounts)
    with make_server(options.host, options.port, shop.application, Server, Handler) as server:
        print(f"http://{options.host}:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
