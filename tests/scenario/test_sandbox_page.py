"""The sandbox's page in a real Chromium, with a small Bolt app behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Dialog, Error, Page, Request, expect
from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

from tests.support.forked_programs import forked_sandbox
from tests.support.real_servers import need

pytestmark = pytest.mark.servers

EVIL = "<img src=x onerror=alert(1)> <script>alert(1)</script>"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Team:
    """A running sandbox and the client of its app."""

    url: str
    client: WebClient
    heard: list[dict[str, Any]]

    def channel(self, name: str) -> str:
        """The id of a channel."""
        channels: list[dict[str, Any]] = self.client.conversations_list()["channels"]
        return next(str(channel["id"]) for channel in channels if channel["name"] == name)


def answer_of(pressed: list[dict[str, Any]], app: App) -> None:
    """An app that answers mentions in a thread, opens a modal from a button, and has a home tab and a command."""

    @app.event("app_mention")
    def mentioned(event: dict[str, Any], client: WebClient) -> None:
        thread = event.get("thread_ts") or event["ts"]
        client.chat_postMessage(channel=event["channel"], thread_ts=thread, text="42", blocks=answer_blocks())

    @app.action("proof")
    def proof(ack: Any, body: dict[str, Any], client: WebClient) -> None:
        ack()
        pressed.append(body)
        client.views_open(trigger_id=body["trigger_id"], view=modal())

    @app.action(re.compile("^(choice|window|vote)$"))
    def chosen(ack: Any, body: dict[str, Any], client: WebClient) -> None:
        ack()
        pressed.append(body)

    @app.view("ask-again")
    def submitted(ack: Any, view: dict[str, Any], body: dict[str, Any]) -> None:
        value = view["state"]["values"]["question"]["text"]["value"]
        if len(value) < 5:
            ack(response_action="errors", errors={"question": "Please write a whole question."})
        else:
            ack()
            pressed.append(body)

    @app.command("/oracle")
    def command(ack: Any, body: dict[str, Any]) -> None:
        ack(f"*You typed* `{body['text']}`")

    @app.event("app_home_opened")
    def home(event: dict[str, Any], client: WebClient) -> None:
        blocks = [{"type": "header", "text": {"type": "plain_text", "text": "Welcome home"}}]
        client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

    for kind in ("message", "reaction_added", "reaction_removed"):
        app.event(kind)(lambda: None)


def answer_blocks() -> list[dict[str, Any]]:
    """A reply with text, a feedback pair, a select and two buttons."""
    button = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Show proof"},
        "action_id": "proof",
        "value": "E1",
    }
    option = {"text": {"type": "plain_text", "text": "7 days"}, "value": "7d"}
    select = {
        "type": "static_select",
        "action_id": "window",
        "placeholder": {"type": "plain_text", "text": "Window"},
        "options": [option],
    }
    up, down = (
        {"text": {"type": "plain_text", "text": label}, "value": label, "accessibility_label": label}
        for label in ("Good answer", "Bad answer")
    )
    feedback = {"type": "feedback_buttons", "action_id": "vote", "positive_button": up, "negative_button": down}
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": f"*The answer* is `42`. {EVIL.replace('<', '&lt;')}"}},
        {"type": "markdown", "text": f"## Why\n\n- because **bold**\n- {EVIL}\n\n[bad](javascript:alert(1))"},
        {"type": "actions", "elements": [button, select]},
        {"type": "context_actions", "elements": [feedback]},
    ]


def modal() -> dict[str, Any]:
    """A modal with one input."""
    element = {"type": "plain_text_input", "action_id": "text"}
    label = {"type": "plain_text", "text": "Question"}
    return {
        "type": "modal",
        "callback_id": "ask-again",
        "title": {"type": "plain_text", "text": "Ask again"},
        "submit": {"type": "plain_text", "text": "Ask"},
        "blocks": [{"type": "input", "block_id": "question", "label": label, "element": element}],
    }


@pytest.fixture(scope="module")
def team() -> Iterator[Team]:
    """A sandbox in a process of its own, with the app connected over Socket Mode."""
    with forked_sandbox("--app-name", "oracle", "--command", "/oracle=Ask|question") as place:
        client = WebClient(token=place["bot_token"], base_url=place["api_url"])
        pressed: list[dict[str, Any]] = []
        app = App(client=client, token_verification_enabled=False)
        answer_of(pressed, app)
        handler = SocketModeHandler(app, place["app_token"], web_client=client)
        handler.connect()
        yield Team(place["url"], client, pressed)
        handler.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a screen."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        (program,) = need("chromium")
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A page that tests use one after the other."""
    with new_tab(browser, DESKTOP) as opened:
        yield opened


@pytest.fixture
def page(team: Team, tab: Page) -> Iterator[Page]:
    """The sandbox's page, loaded anew, in #general."""
    tab.goto("about:blank")  # it closes the stream of the test before
    with watched(tab, team):
        yield tab


@pytest.fixture
def own_page(team: Team, browser: Browser) -> Iterator[Page]:
    """A page whose scripts and sockets the test changes."""
    with new_tab(browser, DESKTOP) as opened, watched(opened, team):
        yield opened


@pytest.fixture
def phone(team: Team, browser: Browser) -> Iterator[Page]:
    """The page at the width of a phone."""
    with new_tab(browser, PHONE) as opened, watched(opened, team):
        yield opened


@contextmanager
def new_tab(browser: Browser, size: Any) -> Iterator[Page]:
    """An empty page of its own."""
    context = browser.new_context(viewport=size, timezone_id="Europe/Berlin", locale="en-GB")
    yield context.new_page()
    context.close()


@contextmanager
def watched(tab: Page, team: Team) -> Iterator[None]:
    """Opens the sandbox's page. Raises: AssertionError: it had an error, or asked another machine for something."""
    errors: list[Error] = []
    requests: list[str] = []

    def note_error(error: Error) -> None:
        errors.append(error)

    def note_request(request: Request) -> None:
        requests.append(request.url)

    tab.on("pageerror", note_error)
    tab.on("request", note_request)
    tab.goto(team.url)
    expect(composer(tab)).to_be_visible()
    yield
    tab.remove_listener("pageerror", note_error)
    tab.remove_listener("request", note_request)
    assert errors == []
    assert [url for url in requests if not url.startswith((team.url, "data:"))] == []


def composer(page: Page, name: str = "Message #general") -> Any:
    """The message box."""
    return page.get_by_role("combobox", name=name)


def thread(page: Page) -> Any:
    """The pane at the right."""
    return page.get_by_role("complementary", name="Thread")


def ask(page: Page, text: str = "what is the answer?") -> None:
    """Type a mention and wait for the app's reply in the thread."""
    composer(page).fill(f"@oracle {text}")
    composer(page).press("Enter")
    try:
        expect(thread(page).get_by_text("The answer", exact=True)).to_be_visible()
    except AssertionError as error:
        error.add_note(what_happened(page))
        raise


def what_happened(page: Page) -> str:
    """What the page shows, and the last of what the sandbox stored and delivered to the app."""
    origin = page.url.split("#")[0]
    events = page.request.get(f"{origin}control/deliveries").json()
    (general,) = page.request.get(f"{origin}control/state?channel=general").json()["channels"]
    facts = {
        "address": page.url,
        "messages shown": page.get_by_role("article").all_inner_texts()[-4:],
        "messages stored": [(message["ts"], message["text"]) for message in general["messages"][-4:]],
        "events": [{**event, "event_id": ""} for event in events["deliveries"][-4:]],
        "connections of the app": events["connections"],
    }
    return json.dumps(facts, indent=1, ensure_ascii=False)


def go(page: Page, channel: str) -> None:
    """Press a channel in the sidebar."""
    page.get_by_role("navigation").get_by_role("button", name=channel, exact=True).click()


def test_a_typed_message_stands_in_the_channel(page: Page) -> None:
    composer(page).fill("two lines, *bold* and `code`")
    composer(page).press("Shift+Enter")
    composer(page).type("and a <b>tag</b>")
    composer(page).press("Enter")
    message = page.get_by_role("article").last
    expect(message).to_contain_text("two lines, bold and code")
    expect(message).to_contain_text("and a <b>tag</b>")
    expect(message.locator("strong")).to_have_text("bold")
    expect(composer(page)).to_have_value("")


def test_the_thread_opens_by_itself_when_the_app_answers(page: Page) -> None:
    ask(page)
    pane = thread(page)
    expect(pane.get_by_text("APP").first).to_be_visible()
    expect(page.get_by_role("log", name="Messages in #general").get_by_role("button", name="1 reply")).to_be_visible()
    pane.get_by_role("button", name="Close thread").click()
    expect(pane).to_be_hidden()
    page.get_by_role("log", name="Messages in #general").get_by_role("button", name="1 reply").last.click()
    expect(pane.get_by_text("The answer", exact=True)).to_be_visible()
    pane.get_by_role("combobox", name="Reply in thread").fill("thank you")
    pane.get_by_role("combobox", name="Reply in thread").press("Enter")
    expect(pane.get_by_role("article").last).to_contain_text("thank you")


def test_untrusted_text_is_never_markup(page: Page) -> None:
    dialogs: list[str] = []

    def note_dialog(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note_dialog)
    ask(page)
    pane = thread(page)
    expect(pane.get_by_text("<script>alert(1)</script>").first).to_be_visible()
    assert pane.locator("script, img[src='x'], a[href^='javascript']").count() == 0
    expect(pane.get_by_role("heading", name="Why")).to_be_visible()
    page.remove_listener("dialog", note_dialog)
    assert dialogs == []


def test_a_button_opens_a_modal_that_is_submitted(page: Page, team: Team) -> None:
    ask(page)
    button = thread(page).get_by_role("button", name="Show proof")
    button.click()
    expect(button).to_have_class(re.compile("pressed"))
    box = page.get_by_role("dialog", name="Ask again")
    field = box.get_by_role("textbox", name="Question")
    expect(field).to_be_focused()
    box.get_by_role("button", name="Ask", exact=True).click()
    expect(box.get_by_role("alert").filter(has_text="required field")).to_be_visible()
    field.fill("why")
    field.press("Enter")
    expect(box.get_by_role("alert").filter(has_text="whole question")).to_be_visible()
    field.fill("why is it 42?")
    field.press("Enter")
    expect(box).to_have_count(0)
    sent = team.heard[-1]["view"]["state"]["values"]["question"]["text"]
    assert sent == {"type": "plain_text_input", "value": "why is it 42?"}


def test_selects_and_feedback_reach_the_app(page: Page, team: Team) -> None:
    ask(page)
    thread(page).get_by_role("combobox", name="Window").select_option("7 days")
    good = thread(page).get_by_role("button", name="Good answer")
    good.click()
    expect(good).to_have_attribute("aria-pressed", "true")
    expect(good).not_to_have_attribute("aria-busy", "true")
    actions = [body["actions"][0] for body in team.heard if "actions" in body][-2:]
    assert actions[0]["selected_option"]["value"] == "7d"
    assert (actions[1]["action_id"], actions[1]["value"]) == ("vote", "Good answer")


def test_an_uploaded_picture_is_shown_and_enlarged(page: Page, team: Team) -> None:
    from matplotlib.figure import Figure

    picture = BytesIO()
    Figure(figsize=(3, 2)).savefig(picture, format="png")
    uploaded = team.client.files_upload_v2(content=picture.getvalue(), filename="chart.png", title="A chart")
    block = {"type": "image", "slack_file": {"id": uploaded["file"]["id"]}, "alt_text": "p95 rises at 14:06"}
    team.client.chat_postMessage(channel=team.channel("general"), text="A chart", blocks=[block])
    shown = page.get_by_role("article").last.get_by_role("img", name="p95 rises at 14:06")
    expect(shown).to_be_visible()
    expect(shown).to_have_js_property("naturalWidth", 300)
    shown.click()
    box = page.get_by_role("dialog", name="p95 rises at 14:06")
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)


def test_a_markdown_file_is_read_as_a_document(page: Page, team: Team) -> None:
    text = f"# What we learned\n\n| metric | query |\n|---|---|\n| errors | [open][E1] |\n\n{EVIL}\n\n[E1]: https://p/g?a=1\n"
    general = team.channel("general")
    team.client.files_upload_v2(content=text, filename="learned.md", title="Learned", channel=general)
    page.get_by_role("button", name="Read Learned").click()
    document = page.get_by_role("dialog", name="Learned")
    expect(document.get_by_role("heading", name="What we learned")).to_be_visible()
    expect(document.get_by_role("cell", name="errors")).to_be_visible()
    expect(document.get_by_role("link", name="open")).to_have_attribute("href", "https://p/g?a=1")
    expect(document).to_contain_text("<script>alert(1)</script>")
    expect(document.locator("script, img")).to_have_count(0)
    assert "[E1]" not in document.inner_text()
    document.get_by_role("button", name="Close document").click()
    expect(document).to_have_count(0)


def test_a_command_is_completed_and_answered_for_me_only(page: Page) -> None:
    composer(page).type("/o")
    expect(page.get_by_role("option", name="/oracle")).to_be_visible()
    composer(page).press("Tab")
    expect(composer(page)).to_have_value("/oracle ")
    composer(page).type("help")
    composer(page).press("Enter")
    message = page.get_by_role("article").last
    expect(message).to_contain_text("You typed help")
    expect(message).to_contain_text("Only visible to you")
    message.hover()
    message.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("You typed help")).to_have_count(0)


def test_an_unknown_command_is_refused_and_kept(page: Page) -> None:
    composer(page).fill("/nothing here")
    composer(page).press("Enter")
    expect(page.get_by_role("alert").filter(has_text="/nothing is not a valid command")).to_be_visible()
    expect(composer(page)).to_have_value("/nothing here")


def test_the_app_is_invited_as_in_slack(page: Page, team: Team) -> None:
    channel = team.client.conversations_create(name="inc-page")["channel"]["id"]
    team.client.conversations_leave(channel=channel)
    page.goto(f"{team.url}#/{channel}")
    box = composer(page, "Message #inc-page")
    box.type("/inv")
    expect(page.get_by_role("option", name="/invite")).to_be_visible()
    box.press("Tab")
    expect(box).to_have_value("/invite ")
    for typed, refused in (("", "Say whom to add, as in /invite @oracle"), ("@nobody", "nobody called @nobody")):
        box.fill(f"/invite {typed}")
        box.press("Enter")
        expect(page.get_by_role("alert").filter(has_text=refused)).to_be_visible()
    box.fill("/invite @oracle ")
    box.press("Enter")
    expect(box).to_have_value("")
    assert team.client.conversations_info(channel=channel)["channel"]["is_member"]
    box.fill("/invite @oracle ")
    box.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="@oracle is in this channel already.")).to_be_visible()


def test_people_are_completed_with_the_app_first(page: Page) -> None:
    composer(page).type("hello @")
    expect(page.get_by_role("option").first).to_have_accessible_name("oracle")
    composer(page).press("ArrowDown")
    composer(page).press("Enter")
    expect(composer(page)).to_have_value("hello @maya ")


def test_the_app_edits_deletes_and_reacts_live(page: Page, team: Team) -> None:
    channel = team.channel("general")
    ts = team.client.chat_postMessage(channel=channel, text="working on it")["ts"]
    message = page.locator(f"[data-ts='{ts}']")
    expect(message).to_contain_text("working on it")
    team.client.chat_update(channel=channel, ts=ts, text="finished")
    expect(message).to_contain_text("finished (edited)")
    team.client.reactions_add(channel=channel, timestamp=ts, name="white_check_mark")
    expect(message.get_by_role("button", name="white_check_mark: 1 reaction")).to_be_visible()
    team.client.chat_delete(channel=channel, ts=ts)
    expect(message).to_have_count(0)


def test_my_own_message_is_edited_reacted_to_and_deleted(page: Page) -> None:
    composer(page).fill("a mistkae")
    composer(page).press("Enter")
    message = page.get_by_role("article").last
    expect(message).to_contain_text("a mistkae")
    composer(page).press("ArrowUp")
    page.get_by_role("textbox", name="Edit message").fill("no mistake")
    page.keyboard.press("Enter")
    expect(message).to_contain_text("no mistake (edited)")
    message.hover()
    message.get_by_role("button", name="Add a reaction").click()
    page.get_by_role("dialog", name="Add a reaction").get_by_role("button", name="eyes").click()
    mine = message.get_by_role("button", name="eyes: 1 reaction")
    expect(mine).to_have_attribute("aria-pressed", "true")
    mine.click()
    expect(mine).to_have_count(0)
    message.hover()
    message.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Delete message").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("no mistake")).to_have_count(0)


def test_status_shows_until_the_reply(page: Page, team: Team) -> None:
    channel = team.channel("general")
    composer(page).fill("hello")
    composer(page).press("Enter")
    message = page.get_by_role("article").last
    expect(message).to_contain_text("hello")
    ts = str(message.get_attribute("data-ts"))
    team.client.assistant_threads_setStatus(channel_id=channel, thread_ts=ts, status="is checking the metrics…")
    expect(page.get_by_text("oracle is checking the metrics…")).to_be_visible()
    team.client.chat_postMessage(channel=channel, thread_ts=ts, text="done")
    expect(thread(page).get_by_text("done")).to_be_visible()
    expect(page.get_by_text("oracle is checking the metrics…")).to_have_count(0)


def test_unread_channels_are_marked(page: Page, team: Team) -> None:
    me = next(user["id"] for user in team.client.users_list()["members"] if user["name"] == "you")
    team.client.chat_postMessage(channel=team.channel("payments"), text=f"<@{me}> look")
    row = page.get_by_role("navigation").get_by_role("button", name="payments, 1 unread")
    expect(row).to_be_visible()
    expect(page).to_have_title(re.compile(r"^\(1\)"))
    row.click()
    expect(page.get_by_role("separator", name="New")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_role("button", name="payments", exact=True)).to_be_visible()


def test_the_home_tab_shows_what_the_app_published(page: Page) -> None:
    go(page, "Direct message with oracle")
    page.get_by_role("tab", name="Home").click()
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()


def test_a_channel_without_the_app_says_so(page: Page) -> None:
    go(page, "random")
    expect(page.get_by_text("oracle is not a member")).to_be_visible()


def test_blocks_are_rendered_by_their_kind(page: Page, team: Team) -> None:
    task = {"type": "task_card", "task_id": "1", "title": "Query p95", "status": "complete"}
    code = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x = 1"}], "language": "python"}
    row = [{"type": "raw_text", "text": "Endpoint"}, {"type": "raw_text", "text": "p95"}]
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Report"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*Owner*"}, {"type": "mrkdwn", "text": "search"}]},
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "_req_ `7f3a`"}]},
        {"type": "rich_text", "elements": [code]},
        {"type": "table", "rows": [row, row]},
        {"type": "plan", "title": "Looking", "tasks": [task]},
        {"type": "alert", "level": "warning", "text": {"type": "mrkdwn", "text": "Plain wording"}},
    ]
    team.client.chat_postMessage(channel=team.channel("general"), text="report", blocks=blocks)
    message = page.get_by_role("article").last
    expect(message.get_by_role("heading", name="Report")).to_be_visible()
    expect(message.get_by_role("columnheader", name="Endpoint")).to_be_visible()
    expect(message.get_by_role("img", name="Done")).to_be_visible()
    expect(message.get_by_role("note")).to_contain_text("Plain wording")
    expect(message.locator("pre")).to_have_text("x = 1")
    expect(message.locator(".unknown-block")).to_have_count(0)


def test_the_stream_connects_again(own_page: Page, team: Team) -> None:
    sockets: list[Any] = []

    def connected(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    own_page.route_web_socket("**/client/stream", connected)
    with own_page.expect_websocket():
        own_page.reload()
    expect(composer(own_page)).to_be_visible()
    own_page.evaluate("Promise.resolve()")
    sockets[0].close()
    expect(own_page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    team.client.chat_postMessage(channel=team.channel("general"), text="said meanwhile")
    expect(own_page.get_by_text("said meanwhile")).to_be_visible()
    expect(own_page.get_by_text("Connection lost. Reconnecting…")).to_be_hidden()


LATE_STREAM = """
  const Real = window.WebSocket;
  window.WebSocket = class extends EventTarget {
    constructor(address) {
      super();
      window.connectStream = () => {
        const socket = new Real(address);
        for (const kind of ["open", "message", "close"])
          socket.addEventListener(kind, (event) => this.dispatchEvent(new event.constructor(kind, event)));
      };
    }
  };
"""


def test_nothing_is_missed_before_the_stream_is_open(own_page: Page, team: Team) -> None:
    """Nor can anything be asked before: the thread would not open by itself."""
    own_page.add_init_script(LATE_STREAM)
    own_page.reload()
    own_page.wait_for_load_state("networkidle")
    expect(composer(own_page)).to_have_count(0)
    team.client.chat_postMessage(channel=team.channel("general"), text="said before the stream was open")
    own_page.evaluate("window.connectStream()")
    expect(own_page.get_by_role("article").last).to_contain_text("said before the stream was open")
    ask(own_page)


def test_on_a_phone_the_thread_covers_the_channel(phone: Page) -> None:
    ask(phone)
    box = thread(phone).bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, PHONE["width"])
    assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    phone.go_back()
    expect(thread(phone)).to_be_hidden()
    phone.get_by_role("button", name="Back to the list of channels").click()
    go(phone, "payments")
    expect(composer(phone, "Message #payments")).to_be_visible()


def test_messages_are_reached_by_keyboard(page: Page) -> None:
    composer(page).fill("first by keyboard")
    composer(page).press("Enter")
    composer(page).fill("second by keyboard")
    composer(page).press("Enter")
    last = page.get_by_role("article").last
    expect(last).to_contain_text("second by keyboard")
    last.focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("article").filter(has_text="first by keyboard")).to_be_focused()
    page.keyboard.press("Enter")
    expect(thread(page)).to_contain_text("first by keyboard")
    page.keyboard.press("Escape")
    expect(thread(page)).to_be_hidden()


TEXTS = st.lists(st.text(alphabet="ab1 *_~`<>|@#!:/[]()&;.-\\\n\"'=", max_size=60), min_size=20, max_size=40)
RENDER = """async (texts) => {
  const {renderMrkdwn} = await import("/page/mrkdwn.js");
  const {renderMarkdown} = await import("/page/markdown.js");
  const found = [];
  for (const text of texts) {
    for (const render of [renderMrkdwn, renderMarkdown]) {
      const box = document.createElement("div");
      box.append(...render(text));
      for (const node of box.querySelectorAll("*")) {
        found.push([node.tagName.toLowerCase(), node.getAttribute("href"), node.getAttributeNames()]);
      }
    }
  }
  return found;
}"""
TAGS = set(
    "a blockquote br button code del div em h2 h3 h4 h5 h6 hr input li ol p path pre span strong svg table tbody td th "
    "thead time tr ul".split()
)


@given(texts=TEXTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_makes_other_markup_or_unsafe_links(page: Page, texts: list[str]) -> None:
    for tag, href, attributes in page.evaluate(RENDER, texts):
        assert tag in TAGS
        assert href is None or re.match(r"https?://|mailto:|tel:|#/", href)
        assert not [name for name in attributes if name.startswith("on") or name == "style"]


def test_long_repetitions_are_rendered(page: Page) -> None:
    pieces = ("*", "_a_ ", "[", "![", "> ", "1. ", "`", "[a](", "<http://", "**a", "|-", "- a\n  ")
    count = f"async (texts) => (await ({RENDER})(texts)).length"
    for piece in pieces:
        assert page.evaluate(count, [(piece * 12000)[:12000]]) >= 0, piece
