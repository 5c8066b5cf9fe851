"""The page as people use it with an agent: plans, Stop, shortcuts, forms, prompts, several people, a phone."""

from __future__ import annotations

from base64 import b64decode
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import expect

from tests.support.real_servers import need
from tests.support.sandbox_bolt_app import label, over_socket_mode
from tests.support.sandbox_process import running_sandbox, until

pytestmark = pytest.mark.servers

STARTED = (
    "--command",
    "/ask=Ask|QUESTION",
    "--shortcut",
    "form=Fill in a form",
    "--message-shortcut",
    "about=Ask about it",
)
DESKTOP = {"width": 1280, "height": 900}
PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
PHONE = {"width": 390, "height": 844}


class House:
    """A sandbox with an app connected to it, and a browser."""

    def __init__(self, sandbox, seen, browser):
        self.sandbox, self.seen, self.browser = sandbox, seen, browser
        self.slack = sandbox.slack()
        self.me = sandbox.see("/client/boot")["me"]
        self.team = sandbox.see("/client/boot")["team"]["id"]

    def ask(self, text="@helper hello", **others):
        """A question in #search, as the place of its thread."""
        said = self.sandbox.do("/control/message", channel="search", text=text, **others)
        return {"channel": said["channel"], "thread_ts": said["ts"]}

    def heard(self, kind):
        return [body for name, body, _ in self.seen if name == kind]


@pytest.fixture(scope="module")
def house():
    from playwright.sync_api import sync_playwright

    seen = []
    (program,) = need("chromium")
    with (
        running_sandbox(*STARTED) as sandbox,
        over_socket_mode(sandbox.address, seen),
        sync_playwright() as playwright,
    ):
        sandbox.do("/control/limits", unlimited=True)
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield House(sandbox, seen, chromium)
        chromium.close()


@pytest.fixture(scope="module")
def tab(house):
    """A page that tests use one after the other."""
    with new_page(house) as page:
        yield page


@contextmanager
def new_page(house, size=DESKTOP, **options):
    context = house.browser.new_context(viewport=size, **options)
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


@pytest.fixture
def look(house, tab):
    """Opens the page at a place, as a person; an error in it fails the test."""
    errors = []

    def note_error(error):
        errors.append(error)

    def open_page(place="", who="", **options):
        page = stack.enter_context(new_page(house, **options)) if who or options else tab
        page.on("pageerror", note_error)
        stack.callback(page.remove_listener, "pageerror", note_error)
        page.goto("about:blank")
        page.goto(f"{house.sandbox.address['url']}{f'?as={who}' if who else ''}#/{place}")
        expect(page.locator("nav .whoami")).to_be_attached()
        return page

    with ExitStack() as stack:
        yield open_page
    assert errors == []


def task(number, status, **others):
    return {"type": "task_update", "id": number, "title": f"Step {number}", "status": status, **others}


def test_a_plan_grows_and_stop_ends_it(house, look):
    place = house.ask("why?", user="you")
    house.slack.agents_sessions_setStatus(
        channel_id=place["channel"], thread_ts=place["thread_ts"], status="processing", title="Why is it slow?"
    )
    recipient = {"recipient_team_id": house.team, "recipient_user_id": house.me}
    chunks = [{"type": "plan_update", "title": "Looking"}, task("1", "in_progress"), task("2", "pending")]
    ts = house.slack.chat_startStream(**place, **recipient, task_display_mode="plan", chunks=chunks)["ts"]
    page = look(f"{place['channel']}/{place['thread_ts']}")
    plan = page.locator(f".thread [data-ts='{ts}']")
    expect(plan.get_by_role("img", name="In progress")).to_be_visible()
    expect(page.get_by_role("heading", name="Thread")).to_contain_text("Why is it slow?")
    sources = [{"type": "url", "url": "https://example.com/p95", "text": "p95"}]
    found = [task("1", "complete", output="p95 is 2 s", sources=sources), task("2", "error", details="no answer")]
    house.slack.chat_appendStream(channel=place["channel"], ts=ts, chunks=found)
    expect(plan).to_contain_text("p95 is 2 s")
    expect(plan.get_by_role("link", name="p95")).to_have_attribute("href", "https://example.com/p95")
    expect(plan.get_by_role("img", name="Failed")).to_be_visible()
    expect(plan).to_contain_text("2 of 2")
    expect(page.get_by_text("helper is working…")).to_be_visible()
    page.get_by_role("button", name="Stop").press("Enter")
    expect(page.get_by_text("I have stopped.")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert house.heard("event_callback")[-1]["event"]["type"] in {"agent_session_stopped", "message"}
    stopped = [body["event"] for body in house.heard("event_callback") if body["event"]["type"].startswith("agent")]
    assert stopped[-1]["streaming_message_ts"] == [ts]


def test_a_plan_that_was_folded_stays_folded(house, look):
    place = house.ask("why?", user="you")
    recipient = {"recipient_team_id": house.team, "recipient_user_id": house.me}
    chunks = [{"type": "plan_update", "title": "Looking"}, task("1", "in_progress")]
    ts = house.slack.chat_startStream(**place, **recipient, task_display_mode="plan", chunks=chunks)["ts"]
    page = look(f"{place['channel']}/{place['thread_ts']}")
    plan = page.locator(f".thread [data-ts='{ts}']")
    plan.get_by_text("Looking").click()
    expect(plan.get_by_text("Step 1")).to_be_hidden()
    house.slack.chat_appendStream(channel=place["channel"], ts=ts, chunks=[task("1", "complete")])
    expect(plan).to_contain_text("1 of 1")
    expect(plan.get_by_text("Step 1")).to_be_hidden()


def test_a_message_shortcut_is_reached_and_its_form_sent_by_keyboard(house, look):
    place = house.ask("look at this", user="maya")
    page = look(place["channel"])
    message = page.locator(f"[data-ts='{place['thread_ts']}']")
    message.focus()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(message.get_by_role("button", name="More actions")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Ask about it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(message.get_by_role("button", name="More actions")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    words = page.get_by_role("dialog", name="Form").get_by_role("textbox", name="Words")
    expect(words).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    body = house.heard("message_action")[-1]
    assert (body["callback_id"], body["message"]["text"]) == ("about", "look at this")


def test_every_kind_of_input_reaches_the_app(house, look):
    channel = house.sandbox.channel("search")["id"]
    page = look(channel)
    page.get_by_role("button", name="Shortcuts").click()
    page.get_by_role("menuitem", name="Fill in a form").click()
    form = page.get_by_role("dialog", name="Form")
    words = form.get_by_role("textbox", name="Words")
    expect(words).to_have_value("first line")
    words.press("End")
    words.press("Enter")
    words.type("second line")
    form.get_by_role("radio", name="two").check()
    form.get_by_role("checkbox", name="one").check()
    service = form.get_by_role("group", name="Service")
    service.get_by_role("searchbox").fill("ca")
    service.get_by_role("combobox").select_option(label="catalogue")
    form.get_by_role("combobox", name="Channel").select_option(label="#payments")
    form.get_by_role("combobox", name="Person").select_option(label="Maya Lindqvist")
    form.get_by_role("combobox", name="Where").select_option(label="#incidents")
    form.get_by_role("button", name="Send").click()
    expect(form).to_have_count(0)
    values = {
        name: actions["x"] for name, actions in house.heard("view_submission")[-1]["view"]["state"]["values"].items()
    }
    ids = {name: house.sandbox.channel(name)["id"] for name in ("payments", "incidents")}
    assert values["Words"]["value"] == "first line\nsecond line"
    assert values["Nothing"]["value"] is None
    assert values["Select"]["selected_option"]["value"] == "two"
    assert values["Radio"]["selected_option"]["value"] == "two"
    assert [option["value"] for option in values["Boxes"]["selected_options"]] == ["one", "two"]
    assert values["Service"]["selected_option"]["value"] == "catalogue"
    assert values["Channel"]["selected_channel"] == ids["payments"]
    assert values["Where"]["selected_conversation"] == ids["incidents"]
    assert values["Person"]["selected_user"].startswith("U")


def test_a_pushed_view_lies_on_top_and_a_redrawn_one_keeps_the_cursor(house, look):
    place = house.ask("x", user="maya")
    page = look(place["channel"])
    page.locator(f"[data-ts='{place['thread_ts']}']").hover()
    page.locator(f"[data-ts='{place['thread_ts']}']").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Ask about it").click()
    form = page.get_by_role("dialog", name="Form")
    words = form.get_by_role("textbox", name="Words")
    words.fill("half a sent")
    view = house.sandbox.see("/control/state")["views"][-1]
    again = {name: view[name] for name in ("type", "callback_id", "title", "submit", "blocks")}
    house.slack.views_update(view_id=view["id"], view=again | {"title": {"type": "plain_text", "text": "Form again"}})
    expect(page.get_by_role("dialog", name="Form again")).to_be_visible()
    page.keyboard.type("ence")
    expect(page.get_by_role("textbox", name="Words")).to_have_value("half a sentence")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("dialog", name="Order")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Form again")).to_be_visible()
    expect(page.get_by_role("textbox", name="Words")).to_have_value("half a sentence")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    (closed,) = until(lambda: house.heard("view_closed"))
    assert closed["view"]["callback_id"] == "order"


def test_a_suggested_prompt_is_sent_by_a_press(house, look):
    page = look(house.slack.conversations_open(users=house.me)["channel"]["id"])
    page.get_by_role("group", name="Try").get_by_role("button", name="Orders").click()
    expect(page.get_by_role("article").last).to_contain_text("what did I order?")


def test_someone_else_sees_and_presses_what_is_theirs(house, look):
    place = house.ask(user="you")
    maya = look(f"{place['channel']}/{place['thread_ts']}", who="maya")
    mine = look(f"{place['channel']}/{place['thread_ts']}")
    thread = maya.get_by_role("complementary", name="Thread")
    thread.get_by_role("button", name="More", exact=True).click()
    expect(thread).to_contain_text("more: 42")
    assert house.heard("block_actions")[-1]["user"]["name"] == "maya"
    user = next(item["id"] for item in house.sandbox.see("/client/boot")["users"] if item["name"] == "maya")
    house.slack.chat_postEphemeral(**place, user=user, text="for maya alone")
    expect(thread).to_contain_text("for maya alone")
    expect(mine.get_by_role("complementary", name="Thread")).to_contain_text("more: 42")
    expect(mine.get_by_text("for maya alone")).to_have_count(0)


def test_one_becomes_someone_else_and_back(house, look):
    channels = house.sandbox.see("/client/boot")["channels"]
    page = look(next(item["id"] for item in channels if item["name"] == "search"))
    expect(page.get_by_role("combobox", name="Message #search")).to_be_visible()
    page.get_by_role("button", name="Switch person, now You").click()
    page.get_by_role("menuitem", name="Be Priya Raman").click()
    expect(page.get_by_role("button", name="Switch person, now Priya Raman")).to_be_visible()
    page.get_by_role("combobox", name="Message #search").fill("this is Priya")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").last).to_contain_text("Priya Raman")
    page.get_by_role("button", name="Switch person").click()
    page.get_by_role("menuitem", name="Be You").click()
    expect(page.get_by_role("button", name="Switch person, now You")).to_be_visible()


def test_an_incident_channel_is_made_archived_and_left_by_the_app(house, look):
    page = look()
    page.get_by_role("button", name="Create a channel").click()
    dialog = page.get_by_role("dialog", name="Create a channel")
    dialog.get_by_label("Name").fill("général!")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("Small letters")
    dialog.get_by_label("Name").fill("Inc 12 checkout")
    dialog.get_by_role("checkbox", name="Private").check()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Welcome to #inc-12-checkout")).to_be_visible()
    channel = house.sandbox.channel("inc-12-checkout")
    until(lambda: [b for b in house.heard("event_callback") if b["event"].get("channel") == channel["id"]])
    assert channel["is_private"]
    menu = page.get_by_role("button", name="More about #inc-12-checkout")
    menu.click()
    page.get_by_role("menuitem", name="Remove helper").click()
    expect(page.get_by_text("helper is not a member")).to_be_visible()
    menu.click()
    page.get_by_role("menuitem", name="Archive").click()
    expect(page.get_by_text("This channel is archived.")).to_be_visible()
    expect(page.get_by_role("combobox", name="Message #inc-12-checkout")).to_be_hidden()
    page.get_by_role("button", name="Unarchive").click()
    expect(page.get_by_role("combobox", name="Message #inc-12-checkout")).to_be_visible()


def test_topic_bookmarks_and_pins_are_shown(house, look):
    channel = house.sandbox.channel("payments")["id"]
    page = look(channel)
    house.slack.conversations_setTopic(channel=channel, topic="SEV2 since 09:12")
    house.slack.bookmarks_add(channel_id=channel, title="Runbook", type="link", link="https://example.com/runbook")
    posted = house.slack.chat_postMessage(channel=channel, text="the summary")
    house.slack.pins_add(channel=channel, timestamp=posted["ts"])
    expect(page.locator(".pane-head .topic")).to_have_text("SEV2 since 09:12")
    expect(page.get_by_role("list", name="Bookmarks").get_by_role("link", name="Runbook")).to_be_visible()
    expect(page.locator(f"[data-ts='{posted['ts']}']")).to_contain_text("Pinned")


def test_a_phone_shows_one_pane_at_a_time(house, look):
    place = house.ask(user="you")
    page = look(f"{place['channel']}/{place['thread_ts']}", size=PHONE, has_touch=True)
    thread = page.get_by_role("complementary", name="Thread")
    expect(thread.get_by_role("button", name="Back to the channel")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    thread.get_by_role("button", name="Back to the channel").tap()
    expect(thread).to_be_hidden()
    page.get_by_role("button", name="Back to the list of channels").tap()
    channels = page.get_by_role("navigation", name="Channels and direct messages")
    box = channels.bounding_box()
    assert box is not None
    assert round(box["width"]) == PHONE["width"]
    channels.get_by_role("button", name="incidents").tap()
    expect(channels).to_be_hidden()
    expect(page.get_by_role("combobox", name="Message #incidents")).to_be_visible()


def test_a_reaction_or_a_reply_leaves_what_is_half_done(house, look):
    """Half-filled inputs, an open edit box and an unfolded container."""
    text = {"type": "plain_text_input", "action_id": "x"}
    box = {"type": "container", "title": label("Box"), "is_collapsible": True, "default_collapsed": True}
    blocks = [
        {"type": "input", "label": label("Words"), "element": text},
        box | {"child_blocks": [{"type": "divider"}]},
    ]
    own = house.ask("fro me", user="you")
    posted = house.slack.chat_postMessage(channel="search", text="form", blocks=blocks)
    page = look(posted["channel"])
    form, mine = (page.locator(f"#main [data-ts='{ts}']") for ts in (posted["ts"], own["thread_ts"]))
    mine.focus()
    page.keyboard.press("e")
    mine.get_by_role("textbox", name="Edit message").fill("from me")
    form.get_by_text("Box").click()
    form.locator("input").fill("half a sent")
    for ts in (posted["ts"], own["thread_ts"]):
        house.slack.reactions_add(channel=posted["channel"], timestamp=ts, name="eyes")
        house.slack.chat_postMessage(channel=posted["channel"], thread_ts=ts, text="a reply")
    for message in (form, mine):
        expect(message.get_by_role("button", name="eyes: 1 reaction")).to_be_visible()
        expect(message).to_contain_text("1 reply")
    expect(form.locator("details")).to_have_attribute("open", "")
    page.keyboard.type("ence")
    expect(form.locator("input")).to_have_value("half a sentence")
    expect(mine.get_by_role("textbox", name="Edit message")).to_have_value("from me")
    house.slack.chat_update(channel=posted["channel"], ts=posted["ts"], text="no form any more")
    expect(form).to_contain_text("no form any more")
    expect(form).to_contain_text("1 reply")


def test_a_picture_uploaded_by_the_app_is_shown(house, look):
    ticket = house.slack.files_getUploadURLExternal(filename="c.png", length=len(PNG))
    house.sandbox.http.post(ticket["upload_url"], content=PNG)
    (file,) = house.slack.files_completeUploadExternal(files=[{"id": ticket["file_id"]}])["files"]
    pictures = [{"id": file["id"]}, {"url": file["url_private"]}]
    blocks = [{"type": "image", "alt_text": f"chart {i}", "slack_file": each} for i, each in enumerate(pictures)]
    posted = house.slack.chat_postMessage(channel="search", text="x", blocks=blocks)
    page = look(posted["channel"])
    for i in range(2):
        picture = page.locator(f"[data-ts='{posted['ts']}']").get_by_role("img", name=f"chart {i}")
        until(lambda shown=picture: shown.evaluate("image => image.complete && image.naturalWidth") == 1)


def test_several_options_of_an_app_are_chosen(house, look):
    select = {"type": "multi_external_select", "action_id": "x", "min_query_length": 1}
    section = {"type": "section", "text": label("Services"), "accessory": select | {"placeholder": label("Service")}}
    posted = house.slack.chat_postMessage(channel="search", text="x", blocks=[section])
    group = look(posted["channel"]).locator(f"[data-ts='{posted['ts']}']").get_by_role("group", name="Service")
    for typed, chosen in (("check", ["checkout"]), ("cata", ["checkout", "catalogue"])):
        group.get_by_role("searchbox").fill(typed)
        expect(group.get_by_role("option", name=chosen[-1])).to_be_attached()
        group.get_by_role("listbox").select_option(label=chosen)
    options = until(lambda: [o for b in house.heard("block_actions") if len(o := picked(b)) == 2])[-1]
    assert options == ["checkout", "catalogue"]


def picked(body):
    return [option["value"] for option in body["actions"][0].get("selected_options") or []]


def test_an_error_that_fits_no_input_is_shown(house, look):
    page = look()
    page.get_by_role("button", name="Shortcuts").click()
    page.get_by_role("menuitem", name="Fill in a form").click()
    form = page.get_by_role("dialog", name="Form")
    form.get_by_role("textbox", name="Words").fill("wrong block")
    form.get_by_role("button", name="Send").click()
    expect(form.get_by_role("alert").filter(has_text="nowhere")).to_contain_text("Not there.")
