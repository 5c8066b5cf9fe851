// Slack's blocks. A block that the page does not know shows its type plainly instead of vanishing.

import { h, icon, safeUrl } from "./dom.js";
import { renderAgentBlock } from "./blocks_agent.js";
import { renderElement } from "./elements.js";
import { renderMarkdown } from "./markdown.js";
import { renderText } from "./mrkdwn.js";
import { picture, source } from "./pictures.js";
import { renderRichText } from "./richtext.js";

/** blocks[] -> nodes; `context` is described in elements.js. */
export function renderBlocks(blocks, context) {
  return (blocks ?? []).map((block) => {
    const node = renderBlock(block, block.block_id, context);
    node.classList.add("block", `block-${block.type}`);
    return node;
  });
}

function renderBlock(block, blockId, context) {
  const make = BLOCKS[block.type];
  if (make) return make(block, blockId, context);
  return (
    renderAgentBlock(block, blockId, context, renderBlocks) ??
    h("div", { class: "unknown-block" }, `Unsupported block: ${block.type ?? "without a type"}`)
  );
}

const LONG_TEXT = 700;

function section(block, blockId, context) {
  const body = h("div", { class: "section-text" });
  if (block.text) body.append(expandable(h("div", { class: "mrkdwn" }, renderText(block.text)), block));
  if (block.fields)
    body.append(
      h(
        "div",
        { class: "fields" },
        block.fields.map((field) => h("div", { class: "mrkdwn" }, renderText(field))),
      ),
    );
  const accessory = block.accessory
    ? h("div", { class: "accessory" }, sectionElement(block.accessory, blockId, context))
    : null;
  return h("div", {}, body, accessory);
}

function sectionElement(element, blockId, context) {
  return element.type === "image" ? picture(element, "accessory-image") : renderElement(element, blockId, context);
}

// Slack folds long sections unless `expand` is set.
function expandable(node, block) {
  if (block.expand || (block.text.text ?? "").length <= LONG_TEXT) return node;
  const button = h("button", { type: "button", class: "link-button", "aria-expanded": "false" }, "Show more");
  node.classList.add("folded");
  const watch = new ResizeObserver(() => {
    const fits = node.scrollHeight <= node.clientHeight + 2;
    button.hidden = node.classList.contains("folded") && fits;
    node.classList.toggle("fits", fits);
  });
  watch.observe(node);
  button.addEventListener("click", () => {
    const folded = node.classList.toggle("folded");
    button.textContent = folded ? "Show more" : "Show less";
    button.setAttribute("aria-expanded", String(!folded));
  });
  return h("div", {}, node, button);
}

function context(block, blockId, surface) {
  return h(
    "div",
    {},
    (block.elements ?? []).map((element) => {
      if (element.type === "image")
        return h("img", { class: "context-image", src: source(element), alt: element.alt_text ?? "" });
      if (element.type === "mrkdwn" || element.type === "plain_text")
        return h("div", { class: "mrkdwn" }, renderText(element));
      return renderElement(element, blockId, surface);
    }),
  );
}

function image(block) {
  const title = block.title?.text ?? "";
  const body = picture(block, "", title);
  if (!title) return h("figure", {}, body);
  return h(
    "figure",
    {},
    h("details", { open: true }, h("summary", {}, icon("chevron", 14), h("span", {}, renderText(block.title))), body),
  );
}

function actions(block, blockId, surface) {
  return h(
    "div",
    { role: "group", "aria-label": "Actions" },
    (block.elements ?? []).map((element) => renderElement(element, blockId, surface)),
  );
}

function input(block, blockId, surface) {
  const own = { ...surface, dispatch: Boolean(block.dispatch_action) };
  const control = renderElement(block.element, blockId, own);
  const id = `input-${blockId}-${Math.random().toString(36).slice(2)}`;
  const label = [renderText(block.label), block.optional ? h("span", { class: "optional" }, " (optional)") : null];
  const hint = block.hint ? h("div", { class: "hint", id: `${id}-hint` }, renderText(block.hint)) : null;
  const error = h("div", { class: "field-error", id: `${id}-error`, role: "alert" });
  control.id = id;
  control.removeAttribute("aria-label");
  control.setAttribute("aria-describedby", `${id}-hint ${id}-error`);
  if (!block.optional && "required" in control) control.required = true;
  const named = control.matches("input, textarea, select");
  const labelNode = h(
    named ? "label" : "div",
    { class: "input-label", for: named ? id : null, id: `${id}-label` },
    label,
  );
  if (!named) control.setAttribute("aria-labelledby", `${id}-label`);
  return h("div", { "data-block-id": blockId }, labelNode, control, hint, error);
}

function table(block) {
  const settings = block.column_settings ?? [];
  const cell = (tag, value, column) => {
    const number = value?.type === "raw_number";
    const kind = `align-${settings[column]?.align ?? (number ? "right" : "left")} ${settings[column]?.is_wrapped ? "wrapped" : ""}`;
    const content = value?.type === "rich_text" ? renderRichText(value) : renderText(value?.text ?? "");
    return h(tag, { class: kind, scope: tag === "th" ? "col" : null }, content);
  };
  const [head = [], ...rows] = block.rows ?? [];
  return h(
    "div",
    { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((value, i) => cell("th", value, i)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((value, i) => cell("td", value, i)),
          ),
        ),
      ),
    ),
  );
}

function video(block) {
  const href = safeUrl(block.title_url ?? block.video_url ?? "");
  return h(
    "div",
    {},
    h("a", { href, target: "_blank", rel: "noopener noreferrer" }, renderText(block.title)),
    h("div", { class: "quiet" }, renderText(block.description)),
  );
}

const BLOCKS = {
  section,
  context,
  image,
  actions,
  input,
  table,
  video,
  context_actions: actions,
  header: (block) => h("h3", { class: "header" }, renderText(block.text)),
  divider: () => h("hr"),
  rich_text: renderRichText,
  markdown: (block) => h("div", { class: "markdown" }, renderMarkdown(block.text ?? "")),
  file: (block) => h("div", { class: "quiet" }, `File ${block.external_id ?? ""}`),
};
