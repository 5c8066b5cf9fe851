"""`/oauth/v2/authorize`: the page that asks a person whether the app may be installed in a workspace."""

from html import escape
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.responses import Response

from slack_sandbox.sandbox import Sandbox

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
body {{ max-width: 30rem; margin: 12vh auto 0; padding: 0 1.25rem; }}
h1 {{ font-size: 1.35rem; line-height: 1.3; }}
li {{ font-family: ui-monospace, monospace; font-size: 0.88rem; }}
select, button {{ font: inherit; padding: 0.45rem 0.9rem; border-radius: 8px; border: 1px solid #8a90a0; }}
select {{ width: 100%; margin: 0.3rem 0 1.2rem; }}
button[value=allow] {{ background: #3557d4; border-color: #3557d4; color: #fff; font-weight: 600; }}
</style></head><body><main>{body}</main></body></html>"""


def authorize_pages(sandbox: Sandbox) -> APIRouter:
    """Returns: the routes of the authorize page."""
    router = APIRouter()

    @router.get("/oauth/v2/authorize")
    async def ask(
        client_id: str = "",
        scope: str = "",
        redirect_uri: str = "",
        state: str = "",
        team: str = "",
    ) -> Response:
        problem = _problem(sandbox, client_id, redirect_uri, scope)
        if problem:
            return _page("This app can't be installed", f"<h1>This app can’t be installed</h1><p>{escape(problem)}</p>")
        fields = {"client_id": client_id, "scope": scope, "redirect_uri": redirect_uri, "state": state}
        return _question(sandbox, fields, team)

    @router.post("/oauth/v2/authorize")
    async def decide(request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode(errors="replace"), keep_blank_values=True))
        redirect_uri, scope = form.get("redirect_uri", ""), form.get("scope", "")
        problem = _problem(sandbox, form.get("client_id", ""), redirect_uri, scope)
        if problem:
            return _page("This app can't be installed", f"<p>{escape(problem)}</p>", status=400)
        answer = {"state": form["state"]} if form.get("state") else {}
        if form.get("decision", "allow") != "allow":
            return _back(redirect_uri, {"error": "access_denied"} | answer)
        team = sandbox.grants.team(form.get("team", ""))
        code = sandbox.grants.issue_code(team, _scopes(scope), redirect_uri, sandbox.state.me)
        return _back(redirect_uri, {"code": code} | answer)

    return router


def _question(sandbox: Sandbox, fields: dict[str, str], team: str) -> Response:
    chosen = sandbox.grants.team(team)
    options = "".join(
        f'<option value="{escape(item.id)}"{" selected" if item == chosen else ""}>{escape(item.name)}</option>'
        for item in sandbox.grants.teams.values()
    )
    hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items())
    app = escape(sandbox.config.app_name)
    scopes = "".join(f"<li>{escape(scope)}</li>" for scope in _scopes(fields["scope"]))
    body = (
        f"<h1>{app} wants to be installed in a workspace</h1><p>It will be able to use:</p><ul>{scopes}</ul>"
        f'<form method="post" action="/oauth/v2/authorize">{hidden}<label for="team">Workspace</label>'
        f'<select id="team" name="team">{options}</select>'
        '<button name="decision" value="allow">Allow</button> <button name="decision" value="cancel">Cancel</button>'
        "</form>"
    )
    return _page(f"Install {app}", body)


def _problem(sandbox: Sandbox, client_id: str, redirect_uri: str, scope: str) -> str:
    if client_id != sandbox.config.client_id:
        return "invalid_client_id: no app has this client id."
    if urlsplit(redirect_uri).scheme not in {"http", "https"}:
        return "bad_redirect_uri: redirect_uri is not an address of a web page."
    return "" if _scopes(scope) else "no_scopes: the app asks for no scopes."


def _scopes(scope: str) -> tuple[str, ...]:
    return tuple(name for name in scope.replace(" ", ",").split(",") if name)


def _back(redirect_uri: str, answer: dict[str, str]) -> Response:
    joint = "&" if urlsplit(redirect_uri).query else "?"
    return RedirectResponse(f"{redirect_uri}{joint}{urlencode(answer)}", status_code=302)


def _page(title: str, body: str, status: int = 200) -> Response:
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
    return HTMLResponse(_PAGE.format(title=title, body=body), status_code=status, headers=headers)
