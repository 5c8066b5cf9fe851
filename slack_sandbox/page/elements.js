// Interactive block elements. Each reports a block action, and can be read for the state of its view or message.
//
// `context` is the surface the element stands on: {act(action) -> Promise, inputs: Map, dispatch: bool, initial}.
// `context.inputs` maps "block_id\naction_id" to a function that reads the element's state value.

import { h, icon, safeUrl } from "./dom.js";
import { externalSelect } from "./external_select.js";
import { askToConfirm, openMenu } from "./popups.js";
import { choices, optionLabel } from "./options.js";
import { renderInline } from "./mrkdwn.js";
import { source } from "./pictures.js";
import { state } from "./state.js";

/** A block element -> node; an element that the page does not know shows its type. */
export function renderElement(element, blockId, context) {
  const make = ELEMENTS[element.type];
  if (!make) return h("span", { class: "unknown-block" }, `Unsupported element: ${element.type}`);
  return make(element, blockId, context);
}

// Shows at once that the element was used, and afterwards whether the app heard it.
async function act(node, element, blockId, context, values) {
  if (element.confirm && !(await askToConfirm(element.confirm))) return false;
  node.classList.remove("failed");
  node.classList.add("pressed");
  node.setAttribute("aria-busy", "true");
  const error = await context.act({ type: element.type, block_id: blockId, action_id: element.action_id, ...values });
  node.removeAttribute("aria-busy");
  node.classList.toggle("failed", Boolean(error));
  if (error) node.title = `The app did not accept this: ${error}`;
  return !error;
}

function register(element, blockId, context, read) {
  context.inputs.set(`${blockId}\n${element.action_id}`, () => ({ type: element.type, ...read() }));
}

function button(element, blockId, context) {
  const label = [
    h("span", { class: "label" }, optionLabel(element.text)),
    h("span", { class: "spinner", "aria-hidden": "true" }),
  ];
  const attributes = {
    class: `button ${element.style ?? ""}`,
    "aria-label": element.accessibility_label,
    "data-action-id": element.action_id,
  };
  const href = element.url ? safeUrl(element.url) : null;
  const node = href
    ? h("a", { ...attributes, href, target: "_blank", rel: "noopener noreferrer" }, label, icon("open", 13))
    : h("button", { ...attributes, type: "button" }, label);
  node.addEventListener("click", () => {
    if (node.getAttribute("aria-busy") !== "true")
      act(node, element, blockId, context, { value: element.value, text: element.text });
  });
  return node;
}

function select(element, blockId, context) {
  const list = choices(element);
  const placeholder = element.placeholder?.text ?? "Choose…";
  const initial = list.initial(context.initial(blockId, element.action_id));
  const options = [];
  list.items.forEach((item, i) => {
    const option = h("option", { value: String(i), selected: item.value === initial[0] }, item.text);
    if (!item.group) options.push(option);
    else if (options.at(-1)?.label === item.group) options.at(-1).append(option);
    else options.push(h("optgroup", { label: item.group }, option));
  });
  const node = h(
    "select",
    {
      class: "select",
      "aria-label": placeholder,
      "data-action-id": element.action_id,
      autofocus: element.focus_on_load,
    },
    h("option", { value: "", selected: !initial.length }, placeholder),
    options,
  );
  const read = () => list.write(node.value === "" ? [] : [list.items[Number(node.value)]]);
  register(element, blockId, context, read);
  node.addEventListener(
    "change",
    () => context.dispatch && node.value !== "" && act(node, element, blockId, context, read()),
  );
  return node;
}

function external(element, blockId, context) {
  const many = element.type.startsWith("multi_");
  const kept = context.initial(blockId, element.action_id);
  const first = many
    ? (kept?.selected_options ?? element.initial_options ?? [])
    : [kept?.selected_option ?? element.initial_option].filter(Boolean);
  let chosen = first;
  const read = () => (many ? { selected_options: chosen } : { selected_option: chosen[0] ?? null });
  register(element, blockId, context, read);
  return externalSelect(
    element,
    first,
    (value) => context.suggest({ block_id: blockId, action_id: element.action_id, value }),
    (node, options) => {
      chosen = options;
      if (context.dispatch && (many || options.length)) act(node, element, blockId, context, read());
    },
  );
}

function multiSelect(element, blockId, context) {
  const list = choices(element);
  return boxes(element, blockId, context, list, "checkbox", "multi-select");
}

function boxes(element, blockId, context, list, type, className = "") {
  const name = `${blockId}-${element.action_id}-${Math.random().toString(36).slice(2)}`;
  const initial = new Set(list.initial(context.initial(blockId, element.action_id)));
  const inputs = list.items.map((item) => h("input", { type, name, checked: initial.has(item.value) }));
  const rows = list.items.map((item, i) => {
    const description = item.description ? h("span", { class: "option-description" }, item.description) : null;
    return h("label", { class: "option" }, inputs[i], h("span", {}, item.node ?? item.text, description));
  });
  const role = type === "radio" ? "radiogroup" : "group";
  const node = h(
    "div",
    {
      class: `options ${className}`,
      role,
      "aria-label": element.placeholder?.text ?? element.action_id,
      "data-action-id": element.action_id,
    },
    rows,
  );
  const read = () => list.write(list.items.filter((_, i) => inputs[i].checked));
  register(element, blockId, context, read);
  node.addEventListener("change", () => context.dispatch && act(node, element, blockId, context, read()));
  return node;
}

const radio = (element, blockId, context) => boxes(element, blockId, context, choices(element), "radio");
const checkboxes = (element, blockId, context) => boxes(element, blockId, context, choices(element), "checkbox");

function overflow(element, blockId, context) {
  const node = h(
    "button",
    { type: "button", class: "icon-button overflow", "aria-label": "More actions", "aria-haspopup": "menu" },
    icon("more"),
  );
  const items = (element.options ?? []).map((option) => ({
    label: optionLabel(option.text),
    href: option.url,
    run: () => act(node, element, blockId, context, { selected_option: option }),
  }));
  node.addEventListener("click", () => openMenu(node, items));
  return node;
}

// type of the element -> [type of the native input, key of its value]
const NATIVE = {
  datepicker: ["date", "selected_date", "initial_date"],
  timepicker: ["time", "selected_time", "initial_time"],
  datetimepicker: ["datetime-local", "selected_date_time", "initial_date_time"],
  plain_text_input: ["text", "value", "initial_value"],
  email_text_input: ["email", "value", "initial_value"],
  url_text_input: ["url", "value", "initial_value"],
  number_input: ["number", "value", "initial_value"],
};

function native(element, blockId, context) {
  const [type, key, initialKey] = NATIVE[element.type];
  const kept = context.initial(blockId, element.action_id)?.[key];
  const node = h(element.multiline ? "textarea" : "input", {
    class: "input",
    type: element.multiline ? null : type,
    rows: element.multiline ? 4 : null,
    value: toInput(element.type, kept ?? element[initialKey] ?? ""),
    placeholder: element.placeholder?.text,
    "aria-label": element.placeholder?.text ?? element.action_id,
    "data-action-id": element.action_id,
    maxlength: element.max_length,
    minlength: element.min_length,
    min: element.min_value,
    max: element.max_value,
    step: element.is_decimal_allowed ? "any" : null,
    autofocus: element.focus_on_load,
  });
  const read = () => ({ [key]: fromInput(element.type, node.value) });
  register(element, blockId, context, read);
  node.addEventListener("change", () => context.dispatch && act(node, element, blockId, context, read()));
  return node;
}

function toInput(type, value) {
  if (type !== "datetimepicker" || !value) return String(value);
  const date = new Date(value * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

function fromInput(type, value) {
  if (value === "") return null;
  return type === "datetimepicker" ? Math.floor(new Date(value).getTime() / 1000) : value;
}

function richTextInput(element, blockId, context) {
  const node = h("textarea", {
    class: "input",
    rows: 4,
    "aria-label": element.placeholder?.text ?? element.action_id,
    placeholder: element.placeholder?.text,
  });
  const wrap = (text) => ({
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  });
  register(element, blockId, context, () => ({ rich_text_value: node.value ? wrap(node.value) : null }));
  return node;
}

function feedback(element, blockId, context) {
  const nodes = ["positive_button", "negative_button"].map((key, i) => {
    const side = element[key];
    const label = side.accessibility_label ?? side.text?.text ?? (i ? "Bad response" : "Good response");
    const node = h(
      "button",
      {
        type: "button",
        class: "icon-button feedback",
        "aria-label": label,
        title: side.text?.text ?? label,
        "aria-pressed": "false",
        "data-action-id": element.action_id,
      },
      icon(i ? "down" : "up"),
    );
    node.addEventListener("click", async () => {
      for (const other of nodes) other.setAttribute("aria-pressed", String(other === node));
      const heard = await act(node, element, blockId, context, { value: side.value, text: side.text });
      if (!heard) node.setAttribute("aria-pressed", "false");
    });
    return node;
  });
  return h("span", { class: "feedback-pair", role: "group", "aria-label": "Feedback" }, nodes);
}

function iconAction(element, blockId, context) {
  const visible = element.visible_to_user_ids;
  if (visible?.length && !visible.includes(state.me.id)) return null;
  const label = element.accessibility_label ?? optionLabel(element.text);
  const node = h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, "data-action-id": element.action_id },
    icon(element.icon === "trash" ? "trash" : "more"),
  );
  node.addEventListener("click", () =>
    act(node, element, blockId, context, { value: element.value, text: element.text }),
  );
  return node;
}

function image(element) {
  return h("img", {
    class: "thumbnail",
    src: source(element),
    alt: element.alt_text ?? "",
    loading: "lazy",
  });
}

const ELEMENTS = {
  button,
  workflow_button: button,
  static_select: select,
  external_select: external,
  multi_external_select: external,
  users_select: select,
  conversations_select: select,
  channels_select: select,
  multi_static_select: multiSelect,
  multi_users_select: multiSelect,
  multi_conversations_select: multiSelect,
  multi_channels_select: multiSelect,
  radio_buttons: radio,
  checkboxes,
  overflow,
  ...Object.fromEntries(Object.keys(NATIVE).map((type) => [type, native])),
  rich_text_input: richTextInput,
  feedback_buttons: feedback,
  icon_button: iconAction,
  image,
  mrkdwn: (element) => h("span", {}, renderInline(element.text ?? "")),
  plain_text: (element) => h("span", {}, optionLabel(element)),
};
