// The message box: Enter sends, Shift+Enter starts a new line, @ # / and : complete.

import { append, h, icon, iconButton } from "./dom.js";
import { suggestionsFor } from "./complete.js";
import { openEmojiPicker } from "./popups.js";
import { EMOJI } from "./emoji.js";
import { shortcutButton } from "./shortcuts.js";
import { state } from "./state.js";

let lastId = 0;

/**
 * A message box. `send(text)` answers null, or the sentence that says why it failed: then the text stays.
 * Returns {node, focus, insert(text), isEmpty, setPlaceholder(text)}.
 */
export function makeComposer({ id, label, placeholder, send, commands = true, onUpInEmpty = () => {} }) {
  const listId = `suggestions-${(lastId += 1)}`;
  const area = h("textarea", {
    id,
    rows: 1,
    placeholder,
    "aria-label": label,
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": listId,
    autocomplete: "off",
    spellcheck: "true",
  });
  const list = h("div", {
    class: "suggestions",
    role: "listbox",
    id: listId,
    "aria-label": "Suggestions",
    hidden: true,
  });
  const hint = h("div", { class: "composer-hint" });
  const error = h("div", { class: "composer-error", role: "alert" });
  const sendButton = h(
    "button",
    { type: "button", class: "send", "aria-label": "Send message", title: "Send (Enter)", disabled: true },
    icon("send"),
  );
  const completion = makeCompletion(area, list, { commands });
  const insert = (text) => insertText(area, text);

  const submit = async () => {
    const text = area.value.trimEnd();
    if (!text.trim()) return;
    area.value = "";
    area.dispatchEvent(new Event("input"));
    const problem = await send(text);
    if (problem && !area.value) insert(text);
    error.textContent = problem ?? "";
  };
  const onInput = () => {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, window.innerHeight * 0.4)}px`;
    sendButton.disabled = !area.value.trim();
    if (area.value) error.textContent = "";
    showHint(hint, area.value);
    completion.update();
  };
  area.addEventListener("input", onInput);
  area.addEventListener("keydown", (event) => {
    if (completion.handle(event) || event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowUp" && !area.value) onUpInEmpty();
  });
  area.addEventListener("click", () => completion.update());
  area.addEventListener("blur", () => completion.close());
  sendButton.addEventListener("click", () => {
    submit();
    area.focus();
  });
  const tool = (name, title, sign) => iconButton(name, title, () => startWord(insert, area, sign));
  const emojiTool = iconButton("smile", "Insert emoji", () =>
    openEmojiPicker(emojiTool, (name) => insert(`${EMOJI.get(name) ?? `:${name}:`} `)),
  );
  const tools = h(
    "div",
    { class: "composer-tools" },
    tool("at", "Mention someone", "@"),
    emojiTool,
    commands ? tool("slash", "Run a command", "/") : null,
    shortcutButton(),
    hint,
    sendButton,
  );
  const node = h("div", { class: "composer" }, list, h("div", { class: "composer-box" }, area, tools), error);
  return {
    node,
    insert,
    focus: () => area.focus(),
    isEmpty: () => !area.value.trim(),
    setPlaceholder: (text) => area.setAttribute("placeholder", text),
  };
}

function insertText(area, text) {
  const { selectionStart: from, selectionEnd: to } = area;
  area.value = area.value.slice(0, from) + text + area.value.slice(to);
  area.selectionStart = area.selectionEnd = from + text.length;
  area.focus();
  area.dispatchEvent(new Event("input"));
}

function startWord(insert, area, sign) {
  if (sign === "/") {
    if (!area.value) insert("/");
    else area.focus();
    return;
  }
  const before = area.value.slice(0, area.selectionStart);
  insert(!before || /\s$/.test(before) ? sign : ` ${sign}`);
}

function showHint(node, text) {
  const command = state.commands.find((item) => text === item.command || text.startsWith(`${item.command} `));
  const usage = command ? `${command.command} ${command.usage_hint ?? ""}` : "";
  node.textContent = command ? usage : text.length > 1 ? "Shift + Enter for a new line" : "";
}

// The list over the box. The focus stays in the box; aria-activedescendant tells which entry Enter would take.
function makeCompletion(area, list, options) {
  let current = null;
  let selected = 0;
  const close = () => {
    current = null;
    list.hidden = true;
    area.setAttribute("aria-expanded", "false");
    area.removeAttribute("aria-activedescendant");
  };
  const mark = () => {
    [...list.children].forEach((child, i) => child.setAttribute("aria-selected", String(i === selected)));
    area.setAttribute("aria-activedescendant", `${list.id}-${selected}`);
    list.children[selected]?.scrollIntoView({ block: "nearest" });
  };
  const take = (item) => {
    const rest = area.value.slice(area.selectionStart).replace(/^\s/, "");
    const start = area.value.slice(0, current.from) + item.insert;
    area.value = start + rest;
    area.selectionStart = area.selectionEnd = start.length;
    close();
    area.focus();
    area.dispatchEvent(new Event("input"));
  };
  const update = () => {
    current =
      area.selectionStart === area.selectionEnd
        ? suggestionsFor(area.value.slice(0, area.selectionStart), options)
        : null;
    if (!current) return close();
    selected = 0;
    list.replaceChildren(
      ...current.items.map((item, i) => {
        const row = h("div", { role: "option", id: `${list.id}-${i}`, "aria-label": item.label, class: "suggestion" });
        row.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(item);
        });
        return append(row, item.node);
      }),
    );
    list.hidden = false;
    area.setAttribute("aria-expanded", "true");
    return mark();
  };
  const handle = (event) => {
    if (!current) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) selected = (selected + step + current.items.length) % current.items.length;
    if (step) mark();
    else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") take(current.items[selected]);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { update, close, handle };
}
