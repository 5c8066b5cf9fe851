// The rich_text block: sections, lists, quotes, code.

import { h, link } from "./dom.js";
import { emojiNode } from "./emoji.js";
import { formatTokens } from "./format.js";
import { channelMention, codeBlock, userMention } from "./mentions.js";

/** {type: "rich_text", elements} -> node. */
export function renderRichText(block) {
  return h("div", { class: "rich-text" }, nestLists(block.elements ?? []));
}

// Slack writes nested lists as neighbours with a growing `indent`; a screen reader needs them inside each other.
function nestLists(elements) {
  const nodes = [];
  let open = [];
  for (const element of elements) {
    if (element.type !== "rich_text_list") {
      open = [];
      nodes.push(part(element));
      continue;
    }
    const indent = element.indent ?? 0;
    const node = list(element, indent);
    open = open.filter((entry) => entry.indent < indent);
    const parent = open.at(-1)?.node.lastElementChild;
    if (parent) parent.append(node);
    else nodes.push(node);
    open.push({ indent, node });
  }
  return nodes;
}

function list(element, indent) {
  const ordered = element.style === "ordered";
  const items = (element.elements ?? []).map((item) => h("li", {}, inlineParts(item.elements ?? [])));
  const className = `level-${indent % 3}${element.border ? " bordered" : ""}`;
  return h(
    ordered ? "ol" : "ul",
    { class: className, start: ordered && element.offset ? element.offset + 1 : null },
    items,
  );
}

function part(element) {
  const inner = element.elements ?? [];
  if (element.type === "rich_text_section") return h("div", { class: "rt-section" }, inlineParts(inner));
  if (element.type === "rich_text_quote") return h("blockquote", { class: "rt-quote" }, inlineParts(inner));
  if (element.type === "rich_text_preformatted")
    return codeBlock(inner.map((item) => item.text ?? item.url ?? "").join(""), element.language ?? "");
  return h("div", { class: "unknown-block" }, `Unknown rich text element: ${element.type}`);
}

function inlineParts(elements) {
  return elements.map((element) => styled(inlinePart(element), element.style ?? {}));
}

function inlinePart(element) {
  switch (element.type) {
    case "text":
      return element.text ?? "";
    case "link":
      return link(element.url, element.text || element.url);
    case "user":
      return userMention(element.user_id);
    case "channel":
      return channelMention(element.channel_id);
    case "emoji":
      return emojiNode(element.name ?? "", element.unicode);
    case "broadcast":
      return h("span", { class: "mention broadcast" }, `@${element.range}`);
    case "usergroup":
      return h("span", { class: "mention" }, `@${element.usergroup_id}`);
    case "team":
      return h("span", { class: "mention" }, element.team_id);
    case "date":
      return date(element);
    case "color":
      return color(element.value ?? "");
    default:
      return h("span", { class: "unknown-block" }, `[${element.type}]`);
  }
}

function date(element) {
  const text = element.format ? formatTokens(element.format, element.timestamp) : (element.fallback ?? "");
  return element.url ? link(element.url, text) : h("time", { title: element.fallback }, text);
}

function color(value) {
  const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
  if (/^#[0-9a-f]{3,8}$/i.test(value)) swatch.style.background = value;
  return h("span", {}, swatch, value);
}

function styled(node, style) {
  let result = node;
  if (style.code) result = h("code", {}, result);
  if (style.bold) result = h("strong", {}, result);
  if (style.italic) result = h("em", {}, result);
  if (style.strike) result = h("del", {}, result);
  if (style.underline) result = h("u", {}, result);
  return result;
}
