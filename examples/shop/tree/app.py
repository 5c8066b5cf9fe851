"""Puts the service together. Nothing else constructs anything that outlives a request."""

from __future__ import annotations

from dataclasses import dataclass

from cart.service import CartService
from catalog.products import Catalog
from checkout.charge import Cashier
from checkout.service import CheckoutService
from db.database import Database, open_database
from db.migrate import migrate
from metrics import Instruments
from orders.refunds import Refunds
from orders.repository import Orders
from payments.client import open_client
from recommendations.client import open_recommender
from recommendations.service import Recommendations
from search_service import SearchService
from settings import Settings
from users.accounts import Accounts
from web.middleware import Application
from web.request import Request, Response
from web.router import Router


@dataclass(frozen=True)
class Shop:
    application: Application
    shop: Database
    accounts: Database
    instruments: Instruments


def build_shop(settings: Settings) -> Shop:
    instruments = Instruments(settings.get("service.name"))
    shop = open_database(settings, "database", instruments)
    accounts = open_database(settings, "accounts", instruments)
    migrate(shop, "shop")
    migrate(accounts, "accounts")
    router = build_router(settings, shop, accounts, instruments)
    slow_seconds = settings.get("service.slow_request_seconds")
    return Shop(Application(router, instruments, slow_seconds), shop, accounts, instruments)


def build_router(
    settings: Settings, shop: Database, accounts: Database, instruments: Instruments
) -> Router:
    catalog = Catalog(shop, settings, instruments)
    carts = CartService(shop, catalog)
    orders = Orders(shop)
    payments = open_client(settings, instruments)
    recommendations = Recommendations(catalog, open_recommender(settings, instruments), settings)
    users = Accounts(accounts)

    def metrics_page(_: Request) -> Response:
        return Response(instruments.render(), content_type="text/plain; version=0.0.4")

    def health(_: Request) -> Response:
        shop.one("SELECT 1 AS ok", table="none")
        return Response({"status": "ok"})

    router = Router()
    router.add("GET", "/api/search", SearchService(shop, catalog, settings, instruments).handle)
    router.add("GET", "/api/products", catalog.handle_list)
    router.add("GET", "/api/products/<id>", catalog.handle_one)
    router.add("GET", "/api/cart", carts.handle_get)
    router.add("PUT", "/api/cart", carts.handle_put)
    checkout = CheckoutService(shop, carts, Cashier(shop, payments), orders)
    router.add("POST", "/api/checkout", checkout.handle)
    router.add("GET", "/api/orders", orders.handle_list)
    router.add("GET", "/api/orders/<id>", orders.handle_one)
    router.add("POST", "/api/orders/<id>/refund", Refunds(shop, orders, payments).handle)
    router.add("GET", "/api/recommendations", recommendations.handle)
    router.add("GET", "/api/users/<id>", users.handle_get)
    router.add("PUT", "/api/users/<id>", users.handle_put)
    router.add("GET", "/metrics", metrics_page)
    router.add("GET", "/healthz", health)
    return router
