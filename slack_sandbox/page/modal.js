// Modals: views that the app opens. The newest of a stack is shown.

import { post } from "./api.js";
import { h, iconButton } from "./dom.js";
import { renderBlocks } from "./blocks.js";
import { renderText } from "./mrkdwn.js";
import { readInputs, viewContext } from "./surfaces.js";

const stack = []; // [{view, values}]: what was entered when it was last shown
let dialog = null;
let shown = null; // {id, inputs}: the view on the screen

/** Show a view: a known one is redrawn and keeps what was typed, a pushed one goes on top, an opened one replaces all. */
export function showView(view) {
  keepEntered();
  const index = stack.findIndex((entry) => entry.view.id === view.id);
  const entry = { view, values: { ...view.state?.values, ...stack[index]?.values } };
  if (index >= 0) stack[index] = entry;
  else if (view.previous_view_id) stack.push(entry);
  else stack.splice(0, stack.length, entry);
  draw();
}

/** Take a view away; without an id, all of them. */
export function removeView(id = null) {
  const left = id ? stack.filter((entry) => entry.view.id !== id) : [];
  if (left.length === stack.length) return;
  stack.splice(0, stack.length, ...left);
  draw();
}

// What stands in the inputs now, for when the view is drawn again.
function keepEntered() {
  const entry = stack.find(({ view }) => view.id === shown?.id);
  if (entry) entry.values = readInputs(shown.inputs);
}

function draw() {
  keepEntered();
  const entry = stack.at(-1);
  if (!entry) {
    shown = null;
    dialog?.close();
    return;
  }
  if (!dialog) {
    dialog = h("dialog", { class: "modal", "aria-labelledby": "modal-title" });
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      dismiss();
    });
    dialog.addEventListener("close", () => {
      dialog?.remove();
      dialog = null;
    });
    document.body.append(dialog);
  }
  const here = whereFocus();
  const context = viewContext(entry.view, entry.values);
  dialog.replaceChildren(form(entry.view, context));
  shown = { id: entry.view.id, inputs: context.inputs };
  if (!dialog.open) dialog.showModal();
  if (here?.view === entry.view.id && restoreFocus(here)) return;
  (
    dialog.querySelector("[autofocus]") ??
    dialog.querySelector(".modal-body input, .modal-body textarea, .modal-body select")
  )?.focus();
}

// A view that is redrawn while someone types keeps the cursor where it was.
function whereFocus() {
  const control = dialog.querySelector(":focus");
  const view = dialog.querySelector("form")?.dataset.view;
  if (!control?.dataset.actionId) return null;
  const block = control.closest("[data-block-id]")?.dataset.blockId;
  const { selectionStart: from = null, selectionEnd: to = null } = control;
  const top = dialog.querySelector(".modal-body").scrollTop;
  return { view, block, action: control.dataset.actionId, from, to, top };
}

function restoreFocus({ block, action, from, to, top }) {
  const within = block ? `[data-block-id="${CSS.escape(block)}"] ` : "";
  const control = dialog.querySelector(`${within}[data-action-id="${CSS.escape(action)}"]`);
  if (!control) return false;
  dialog.querySelector(".modal-body").scrollTop = top;
  control.focus();
  if (from !== null) control.setSelectionRange(from, to);
  return true;
}

function form(view, context) {
  const hasInput = view.blocks.some((block) => block.type === "input");
  const body = h("div", { class: "modal-body" }, renderBlocks(view.blocks, context));
  const submit =
    view.submit || hasInput
      ? h(
          "button",
          { type: "submit", class: "button primary" },
          h("span", { class: "label" }, view.submit ? renderText(view.submit) : "Submit"),
          h("span", { class: "spinner", "aria-hidden": "true" }),
        )
      : null;
  const error = h("div", { class: "field-error", role: "alert" });
  const cancel = h(
    "button",
    { type: "button", class: "button", onclick: dismiss },
    view.close ? renderText(view.close) : submit ? "Cancel" : "Close",
  );
  const node = h(
    "form",
    { novalidate: true, "data-view": view.id },
    h(
      "header",
      { class: "modal-head" },
      h("h2", { id: "modal-title" }, renderText(view.title)),
      iconButton("close", "Close", dismiss),
    ),
    body,
    h("footer", { class: "dialog-foot" }, error, cancel, submit),
  );
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) node.requestSubmit();
  });
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    submitView(view, context, node, submit, error);
  });
  return node;
}

async function submitView(view, context, node, button, error) {
  const invalid = missing(node);
  showErrors(node, invalid);
  error.textContent = "";
  if (Object.keys(invalid).length || button?.getAttribute("aria-busy")) return;
  button?.setAttribute("aria-busy", "true");
  const answer = await post("view", { view_id: view.id, state: { values: readInputs(context.inputs) } });
  button?.removeAttribute("aria-busy");
  if (answer.errors) error.textContent = showErrors(node, answer.errors).join(" ");
  else if (!answer.ok) error.textContent = `The app did not accept this: ${answer.error}`;
  else if (answer.response_action === "clear") removeView();
  else if (!answer.response_action) removeView(view.id); // updated and pushed views come over the stream
}

function missing(node) {
  const errors = {};
  for (const control of node.querySelectorAll(".block-input input, .block-input textarea, .block-input select")) {
    const block = control.closest("[data-block-id]");
    if (!control.checkValidity())
      errors[block.dataset.blockId] = control.value
        ? control.validationMessage
        : "Please complete this required field.";
  }
  return errors;
}

// Returns what belongs to no block of the view, in words.
function showErrors(node, errors) {
  const homeless = new Set(Object.keys(errors));
  for (const block of node.querySelectorAll("[data-block-id]")) {
    const sentence = errors[block.dataset.blockId];
    const place = block.querySelector(".field-error");
    if (place) {
      place.textContent = sentence ?? "";
      homeless.delete(block.dataset.blockId);
    }
    const control = block.querySelector(".input, .select, .options");
    if (sentence) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
  }
  node.querySelector("[aria-invalid]")?.focus();
  return [...homeless].map((id) => `The app named “${id}”, which is no input here: ${errors[id]}`);
}

function dismiss() {
  const top = stack.at(-1);
  if (!top) return;
  removeView(top.view.id);
  post("view", { view_id: top.view.id, close: true });
}
