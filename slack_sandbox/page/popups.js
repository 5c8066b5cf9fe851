// Small things that open over the page: a menu, a question to confirm, the emoji picker.

import { h, safeUrl } from "./dom.js";
import { EMOJI, emojiNode, QUICK } from "./emoji.js";
import { renderText } from "./mrkdwn.js";

let closeCurrent = null;

// One popup at a time; it closes on Escape, on a press elsewhere and when the focus leaves it.
function openPopup(anchor, node) {
  closeCurrent?.(false);
  const close = (refocus = true) => {
    document.removeEventListener("pointerdown", outside, true);
    node.remove();
    anchor.setAttribute("aria-expanded", "false");
    if (closeCurrent === close) closeCurrent = null;
    if (refocus) anchor.focus();
  };
  const outside = (event) => !node.contains(event.target) && close(false);
  closeCurrent = close;
  document.addEventListener("pointerdown", outside, true);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" && event.key !== "Tab") return;
    if (event.key === "Tab" && node.getAttribute("role") !== "menu") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  (anchor.closest("dialog") ?? document.body).append(node);
  anchor.setAttribute("aria-expanded", "true");
  place(node, anchor.getBoundingClientRect());
  return close;
}

function place(node, at) {
  const { width, height } = node.getBoundingClientRect();
  const below = at.bottom + 4 + height < window.innerHeight;
  node.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - height - 4)}px`;
  node.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - width - 8))}px`;
}

function moveFocus(event, items, columns) {
  const jump = { Home: 0, End: items.length - 1 }[event.key];
  if (jump !== undefined) {
    event.preventDefault();
    items[jump]?.focus();
    return;
  }
  const step = { ArrowDown: columns, ArrowUp: -columns, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = items.indexOf(document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}

/** items[{label, run, note?, href?, danger?}] in a menu under `anchor`. */
export function openMenu(anchor, items) {
  let close = null;
  const nodes = items.map((item) => {
    const href = item.href ? safeUrl(item.href) : null;
    const attributes = { role: "menuitem", class: item.danger ? "danger" : null };
    const onclick = () => {
      close();
      item.run();
    };
    return href
      ? h("a", { ...attributes, href, target: "_blank", rel: "noopener noreferrer", onclick }, item.label)
      : h("button", { ...attributes, type: "button", onclick }, item.label, note(item));
  });
  const menu = h("div", { class: "popup menu", role: "menu", onkeydown: (event) => moveFocus(event, nodes, 1) }, nodes);
  close = openPopup(anchor, menu);
  nodes[0]?.focus();
}

const note = (item) => (item.note ? h("span", { class: "quiet" }, item.note) : null);

/** A picker under `anchor`; calls `choose(name)`. */
export function openEmojiPicker(anchor, choose) {
  const grid = h("div", { class: "emoji-grid" });
  const search = h("input", {
    class: "input",
    type: "search",
    placeholder: "Search emoji",
    "aria-label": "Search emoji",
  });
  const pick = (name) => {
    close();
    choose(name);
  };
  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    const names = wanted ? [...EMOJI.keys()].filter((name) => name.includes(wanted)).slice(0, 48) : QUICK;
    grid.replaceChildren(
      ...names.map((name) =>
        h(
          "button",
          { type: "button", class: "emoji-button", "aria-label": name, title: `:${name}:`, onclick: () => pick(name) },
          emojiNode(name),
        ),
      ),
    );
  };
  search.addEventListener("input", show);
  search.addEventListener("keydown", (event) => event.key === "Enter" && grid.firstElementChild?.click());
  show();
  const popup = h("div", { class: "popup picker", role: "dialog", "aria-label": "Add a reaction" }, search, grid);
  grid.addEventListener("keydown", (event) => moveFocus(event, [...grid.children], 8));
  const close = openPopup(anchor, popup);
  search.focus();
}

/** Ask before a destructive step: {title, text, confirm, deny, style} (text objects or strings) -> Promise of true or false. */
export function askToConfirm({ title, text, confirm, deny, style }) {
  return new Promise((resolve) => {
    const button = (value, label, className) =>
      h("button", { type: "submit", class: `button ${className}`, value }, renderText(label));
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id: "confirm-title" }, renderText(title)),
      h("div", { class: "mrkdwn" }, renderText(text)),
      h(
        "div",
        { class: "dialog-foot" },
        button("no", deny ?? "Cancel", ""),
        button("yes", confirm ?? "Yes", style ?? "primary"),
      ),
    );
    const dialog = h("dialog", { class: "modal small", "aria-labelledby": "confirm-title" }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
