// The blocks that agents use: plan, task_card, alert, card, carousel, container.

import { h, icon, link } from "./dom.js";
import { renderElement } from "./elements.js";
import { renderText } from "./mrkdwn.js";
import { picture } from "./pictures.js";
import { renderRichText } from "./richtext.js";

/** The node of one of these blocks, or null when it is another type. */
export function renderAgentBlock(block, blockId, context, renderBlocks) {
  const make = AGENT_BLOCKS[block.type];
  return make ? make(block, blockId, context, renderBlocks) : null;
}

const STATUS = { pending: "Waiting", in_progress: "In progress", complete: "Done", error: "Failed" };

function statusMark(status) {
  const mark = { complete: icon("check", 12), error: icon("close", 12) }[status];
  return h("span", { class: `status-mark ${status}`, role: "img", "aria-label": STATUS[status] ?? status }, mark);
}

const taskHead = (block) => [
  statusMark(block.status),
  h("span", { class: "task-title" }, renderText(block.title)),
];

function taskBody(block) {
  const sources = (block.sources ?? []).map((source) => link(source.url, icon("link", 12), source.text));
  return [
    block.details ? h("div", { class: "task-details" }, richOrText(block.details)) : null,
    block.output ? h("div", { class: "task-output" }, richOrText(block.output)) : null,
    sources.length ? h("div", { class: "sources" }, sources) : null,
  ].filter(Boolean);
}

// One step of a plan: what it found stands under it.
function planStep(block) {
  const body = taskBody(block);
  const rest = body.length ? h("div", { class: "task-body" }, body) : null;
  return h("div", { class: `task ${block.status}` }, h("div", { class: "task-head" }, taskHead(block)), rest);
}

function taskCard(block) {
  const [head, body] = [taskHead(block), taskBody(block)];
  if (!body.length) return h("div", { class: "task" }, h("div", { class: "task-head" }, head));
  const open = block.status === "in_progress" || block.status === "error";
  return h(
    "details",
    { class: "task", open },
    h("summary", { class: "task-head" }, head, icon("chevron", 14)),
    h("div", { class: "task-body" }, body),
  );
}

function richOrText(value) {
  return value.type === "rich_text" ? renderRichText(value) : renderText(value);
}

const folded = new Map(); // id of a plan -> whether the reader has closed or opened it

function plan(block, blockId) {
  const tasks = block.tasks ?? [];
  const done = tasks.filter((task) => task.status === "complete" || task.status === "error").length;
  const running = done < tasks.length;
  const progress = tasks.length ? h("span", { class: "quiet" }, `${done} of ${tasks.length}`) : null;
  const summary = h(
    "summary",
    {},
    icon("chevron", 14),
    h("span", { class: "plan-title" }, renderText(block.title)),
    progress,
  );
  const steps = h(
    "ol",
    { class: "plan-tasks" },
    tasks.map((task) => h("li", {}, planStep(task))),
  );
  const node = h("details", { open: folded.get(blockId) ?? (running || tasks.length <= 8) }, summary, steps);
  summary.addEventListener("click", () => folded.set(blockId, !node.open));
  return node;
}

const ALERT_ICONS = { error: "warning", warning: "warning", success: "check", info: "info", default: "info" };

function alert(block) {
  const level = block.level ?? "default";
  return h(
    "div",
    { class: `alert-${level}`, role: level === "error" ? "alert" : "note", "aria-label": `${level} notice` },
    icon(ALERT_ICONS[level] ?? "info"),
    h("div", { class: "mrkdwn" }, renderText(block.text)),
  );
}

function card(block, blockId, context) {
  const title = (value, className) =>
    value ? h("div", { class: `mrkdwn ${className}` }, renderText(value, { mrkdwn: true })) : null;
  return h(
    "div",
    { role: "group", "aria-label": block.title?.text ?? "Card" },
    block.hero_image ? picture(block.hero_image, "hero") : null,
    h(
      "div",
      { class: "card-head" },
      block.icon ? picture(block.icon, "card-icon") : null,
      h("div", {}, title(block.title, "card-title"), title(block.subtitle, "quiet")),
    ),
    title(block.body, "card-body"),
    block.actions
      ? h(
          "div",
          { class: "block-actions" },
          block.actions.map((element) => renderElement(element, blockId, context)),
        )
      : null,
  );
}

function carousel(block, blockId, context, renderBlocks) {
  return h(
    "div",
    { role: "group", "aria-label": "Cards", tabindex: 0 },
    renderBlocks(block.elements, context),
  );
}

function container(block, blockId, context, renderBlocks) {
  const title = block.rich_text_title ? renderRichText(block.rich_text_title) : h("span", {}, renderText(block.title));
  const subtitle = block.subtitle ? h("div", { class: "quiet mrkdwn" }, renderText(block.subtitle)) : null;
  const head = [
    block.icon ? picture(block.icon, "card-icon") : null,
    h("div", { class: "container-title" }, title, subtitle),
  ];
  const body = h("div", { class: "container-body" }, renderBlocks(block.child_blocks, context));
  const className = `width-${block.width ?? "standard"}`;
  if (block.is_collapsible)
    return h(
      "details",
      { class: className, open: !block.default_collapsed },
      h("summary", {}, icon("chevron", 14), head),
      body,
    );
  return h(
    "div",
    { class: className },
    h("div", { class: `container-head${block.has_header_divider ? " divided" : ""}` }, head),
    body,
  );
}

const AGENT_BLOCKS = { task_card: taskCard, plan, alert, card, carousel, container };
