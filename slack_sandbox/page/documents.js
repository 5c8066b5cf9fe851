// Markdown files in messages: a card that opens the file as people read it.

import { h, icon, iconButton, link } from "./dom.js";
import { sizeOf } from "./format.js";
import { renderDocument } from "./markdown.js";
import { fileAddress } from "./pictures.js";
import { say } from "./toast.js";

/** Whether a file is Markdown. */
export const isDocument = (file) => /\.(md|markdown)$/i.test(file.name ?? "");

/** A Markdown file as a button that opens it. */
export function documentCard(file) {
  const title = file.title || file.name;
  const words = h(
    "span",
    {},
    h("strong", {}, title),
    h("span", { class: "quiet" }, ["Markdown", sizeOf(file.size), "press to read"].filter(Boolean).join(" · ")),
  );
  const open = { type: "button", class: "file-card", "aria-label": `Read ${title}`, onclick: () => show(file, title) };
  return h("div", { class: "file" }, h("button", open, icon("file", 22), words));
}

async function show(file, title) {
  const href = fileAddress(file);
  let text = null;
  try {
    const answer = await fetch(href);
    text = answer.ok ? await answer.text() : null;
  } catch {
    text = null;
  }
  if (text === null) {
    say("The file could not be read.");
    return;
  }
  const bar = h(
    "div",
    { class: "modal-head" },
    h("h2", {}, title),
    link(href, "As text"),
    iconButton("close", "Close document", () => dialog.close()),
  );
  const body = h("div", { class: "modal-body markdown", tabindex: 0 }, renderDocument(text));
  const dialog = h("dialog", { class: "modal document", "aria-label": title }, h("form", { method: "dialog" }, bar, body));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
