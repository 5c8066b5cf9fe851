"""Several workspaces: who an event's workspace is, and the pages by which a workspace installs the app (OAuth)."""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Callable
from http.client import HTTPException
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from slack_bolt import BoltContext, BoltRequest, BoltResponse
from slack_bolt.adapter.starlette.handler import to_bolt_request, to_starlette_response
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.error import BoltError
from slack_bolt.oauth import OAuthFlow
from slack_bolt.oauth.callback_options import CallbackOptions, FailureArgs, SuccessArgs
from slack_bolt.oauth.oauth_settings import OAuthSettings
from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError
from slack_sdk.oauth.installation_store import Installation

from bot.transport.manifest import INSTALL_PATH, REDIRECT_PATH, SCOPES, display_name
from workers.delivery.installations import Installations, OAuthStates, installations_of
from workers.errors import StoreUnavailable
from workers.settings.load import Settings
from workers.settings.schema import SlackSection
from workers.store.database import Database

TIMEOUT_S = 10
REMOVED = "I am not installed in this workspace any more; an administrator can add me again."
FOREIGN = (SlackClientError, OSError, HTTPException, ValueError, LookupError, AttributeError, TypeError)
"""What slack_sdk and urllib raise over a line that breaks or an answer that is not Slack's."""
WHY = {
    "access_denied": "It was not allowed in Slack.",
    "invalid_browser": "This was begun in another browser, or its cookie is gone.",
    "invalid_state": "This was begun more than ten minutes ago, or was used already.",
    "missing_code": "Slack sent no code.",
    "invalid_code": "Slack does not confirm the code.",
    "slack_unavailable": "Slack cannot be reached at the moment.",
    "storage_error": "The database does not answer at the moment.",
    "not_allowed": "Whoever runs this app has not allowed this workspace to install it.",
    "token_rotation": "The app has token rotation turned on, which is not used here. Create it from the manifest.",
}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem }}
a.button {{ display: inline-block; padding: .6rem 1.2rem; border-radius: .4rem; background: #4a154b; color: #fff;
text-decoration: none }}</style></head>
<body><h1>{title}</h1>{body}</body></html>
"""
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}

log = logging.getLogger(__name__)
bolt_log = logging.getLogger(f"{__name__}.bolt")
bolt_log.setLevel(logging.ERROR)  # its warnings hold codes and states


# --- whose event it is ----------------------------------------------------------------------------------------


def build_authorize(
    settings: Settings, installations: Installations | None
) -> Callable[[BoltContext], AuthorizeResult | None]:
    """What Bolt asks for each request, answered without a call to Slack.

    Args:
        settings: the token of the one workspace, when there is one.
        installations: where each workspace's token is; None for one workspace.

    Returns: a function: the workspace and its token; None when the app is not installed there, or may not be. While the
        database does not answer there is no token, and the context's ``store_unavailable`` says why.
    """
    token = settings.core.slack.bot_token

    def authorize_one(context: BoltContext) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=context.enterprise_id, team_id=context.team_id, bot_token=token)

    def authorize_each(context: BoltContext) -> AuthorizeResult | None:
        team = (context.enterprise_id if context.is_enterprise_install else context.team_id) or ""
        try:
            bot = installations.find(team) if installations else None
        except StoreUnavailable as error:
            log.error("the installation of %s cannot be read: %s", team, error)  # noqa: TRY400 - it says it all
            context["store_unavailable"] = str(error)
            return AuthorizeResult(enterprise_id=context.enterprise_id, team_id=context.team_id)
        if bot is None:
            return None
        return AuthorizeResult(
            enterprise_id=context.enterprise_id,
            team_id=context.team_id,
            bot_id=bot.bot_id,
            bot_user_id=bot.bot_user_id,
            bot_token=bot.bot_token,
        )

    return authorize_each if installations and not token else authorize_one


# --- installing -----------------------------------------------------------------------------------------------


class InstallFlow(OAuthFlow):
    """Bolt's flow, on our tables and with our pages."""

    def __init__(self, slack: SlackSection, installations: Installations) -> None:
        self.installations = installations
        self.app_name = slack.name
        api = slack.api_url or WebClient.BASE_URL
        super().__init__(
            client=WebClient(base_url=api, timeout=TIMEOUT_S, retry_handlers=[]),  # a code works once
            logger=bolt_log,
            settings=OAuthSettings(
                client_id=slack.client_id,
                client_secret=slack.client_secret,
                scopes=list(SCOPES),
                user_scopes=[],
                redirect_uri=slack.public_url.rstrip("/") + REDIRECT_PATH,
                install_path=INSTALL_PATH,
                redirect_uri_path=REDIRECT_PATH,
                callback_options=CallbackOptions(success=self.installed, failure=self.failed),
                authorization_url=authorize_url(slack.api_url),
                installation_store=installations.store,
                installation_store_bot_only=True,
                state_store=OAuthStates(installations.database),
                logger=bolt_log,
            ),
        )

    def build_install_page_html(self, url: str, request: BoltRequest) -> str:
        """Where a person begins."""
        del request
        title = display_name(self.app_name)
        words = f"<p>{html.escape(title)} answers engineering questions in Slack, with evidence.</p>"
        return page(f"Add {title} to Slack", words + button(url, "Add to Slack"))

    def store_installation(self, request: BoltRequest, installation: Installation) -> None:
        """Remember it. Raises: BoltError: the database does not answer."""
        del request
        try:
            self.installations.save(installation)
        except StoreUnavailable as error:
            log.error("an installation was not stored: %s", error)  # noqa: TRY400 - the sentence says it all
            raise BoltError(str(error)) from error
        log.info("installed in %s", installation.team_id or installation.enterprise_id)

    def run_installation(self, code: str) -> Installation | None:
        """Ask Slack for the token, and give back the one of a workspace that may not install the app.

        Raises: BoltError: the token expires, or may not be had; it is named as in `WHY`.
        """
        installation = super().run_installation(code)
        if installation is None:
            return None
        team = None if installation.is_enterprise_install else installation.team_id
        if not self.installations.allows(team, installation.enterprise_id):
            self.give_back(installation)
            raise BoltError("not_allowed")
        if installation.bot_refresh_token:
            raise BoltError("token_rotation")
        return installation

    def give_back(self, installation: Installation) -> None:
        """Revoke a token that nobody will use. Where Slack does not do it, the token is forgotten all the same."""
        log.warning("refused to install in %s", installation.team_id or installation.enterprise_id)
        try:
            self.client.auth_revoke(token=installation.bot_token)
        except FOREIGN as error:
            log.warning("its token was not revoked: %s", type(error).__name__)

    def installed(self, args: SuccessArgs) -> BoltResponse:
        """The page after it went well."""
        found = args.installation
        where = found.team_name or found.enterprise_name or "your workspace"
        link = "https://slack.com/app_redirect?" + urlencode(
            {"app": found.app_id or "", "team": found.team_id or found.enterprise_id or ""}
        )
        words = f"<p>Invite it to a channel (<code>/invite @{html.escape(self.app_name)}</code>) and mention it.</p>"
        return self.answer(200, page(f"Installed in {where}", words + button(link, "Open Slack")))

    def failed(self, args: FailureArgs) -> BoltResponse:
        """The page when it did not."""
        code = args.reason if re.fullmatch(r"[a-z_]{1,60}", args.reason) else "unknown"
        why = WHY.get(code, f"Slack says: {code}.")
        words = f"<p>Nothing was installed. {html.escape(why)}</p>"
        return self.answer(
            args.suggested_status_code, page("Not installed", words + button(INSTALL_PATH, "Begin again"))
        )

    def answer(self, status: int, body: str) -> BoltResponse:
        """A page that ends the flow: the browser forgets its state."""
        cookie = self.settings.state_utils.build_set_cookie_for_deletion()
        return BoltResponse(status=status, headers={"Set-Cookie": cookie}, body=body)


def oauth_flow(settings: Settings, database: Database) -> InstallFlow | None:
    """The pages by which workspaces install the app; None when the one workspace's token stands in the settings."""
    installations = installations_of(settings, database)
    return InstallFlow(settings.core.slack, installations) if installations else None


def add_install_routes(web: FastAPI, flow: InstallFlow) -> None:
    """Serve ``/slack/install`` and ``/slack/oauth_redirect``, in threads: they wait for the database and for Slack."""

    @web.get(flow.install_path)
    def install(request: Request) -> Response:
        return respond(flow, request, flow.handle_installation)

    @web.get(flow.redirect_uri_path)
    def redirect(request: Request) -> Response:
        return respond(flow, request, flow.handle_callback)


def respond(flow: InstallFlow, request: Request, handle: Callable[[BoltRequest], BoltResponse]) -> Response:
    """One page; whatever breaks on the way ends in one too."""
    asked = to_bolt_request(request, b"")
    try:
        answer = handle(asked)
    except StoreUnavailable as error:
        log.error("no installation can begin: %s", error)  # noqa: TRY400 - the sentence says it all
        answer = refused(flow, asked, "storage_error", 503)
    except BoltError as error:
        answer = refused(flow, asked, str(error), 403 if str(error) == "not_allowed" else 400)
    except FOREIGN as error:
        log.warning("an installation failed: %s", type(error).__name__)
        answer = refused(flow, asked, "slack_unavailable", 503)
    response = to_starlette_response(answer)
    response.headers.update(HEADERS)
    return response


def refused(flow: InstallFlow, request: BoltRequest, why: str, status: int) -> BoltResponse:
    """The page for what Bolt knows no reason for."""
    default = flow.default_callback_options
    return flow.failed(
        FailureArgs(request=request, reason=why, suggested_status_code=status, settings=flow.settings, default=default)
    )


def authorize_url(api_url: str) -> str | None:
    """Where Slack asks for consent: its own page, or that of another server beside its Web API."""
    return re.sub(r"/api/?$", "", api_url) + "/oauth/v2/authorize" if api_url else None


def page(title: str, body: str) -> str:
    """A page. ``body`` is HTML."""
    return PAGE.format(title=html.escape(title), body=body)


def button(url: str, label: str) -> str:
    """A link that looks like one."""
    return f'<p><a class="button" href="{html.escape(url)}">{html.escape(label)}</a></p>'
