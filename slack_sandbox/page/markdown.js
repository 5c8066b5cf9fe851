// Standard markdown for the markdown block: headings, lists, quotes, code, tables, links. HTML in it stays text.

import { h, link } from "./dom.js";
import { withEmoji } from "./emoji.js";
import { channelMention, codeBlock, userMention } from "./mentions.js";

const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*)|$)/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const QUOTE = /^ {0,3}>\s?/;

const DEEPEST = 12;

const DEFINITION = /^ {0,3}\[([^\[\]]+)\]:\s+<?(\S+?)>?\s*$/;

/** A whole document -> nodes: as renderMarkdown, with link references ([text][name], and [name]: address anywhere). */
export function renderDocument(text) {
  const lines = text.split(/\r?\n/);
  const known = new Map(lines.map((line) => DEFINITION.exec(line)).flatMap((found) => (found ? [found.slice(1)] : [])));
  const rest = lines.filter((line) => !DEFINITION.test(line)).join("\n");
  const reference = (all, words, name) => (known.has(name) ? `[${words}](${known.get(name)})` : all);
  return renderMarkdown(rest.replace(/\[([^\[\]]+)\]\[([^\[\]]+)\]/g, reference));
}

/** markdown -> nodes. Lists and quotes deeper than twelve levels stay text. */
export function renderMarkdown(text, depth = 0) {
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n");
  const nodes = [];
  for (let at = 0; at < lines.length;) {
    const [node, next] = block(lines, at, depth);
    if (node) nodes.push(node);
    at = next;
  }
  return nodes;
}

function block(lines, at, depth) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading)
    return [
      h(`h${Math.min(6, heading[1].length + 1)}`, { class: `md-h${heading[1].length}` }, inline(heading[2])),
      at + 1,
    ];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (QUOTE.test(line) && depth < DEEPEST) return quote(lines, at, depth);
  if (ITEM.test(line) && depth < DEEPEST) return list(lines, at, depth);
  if (isTable(lines, at)) return table(lines, at);
  return paragraph(lines, at);
}

function fenced(lines, at, [, indent, mark, language]) {
  const close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !close.test(lines[end])) end += 1;
  const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  return [codeBlock(code.join("\n"), language), end + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [h("blockquote", {}, renderMarkdown(inner.join("\n"), depth + 1)), end];
}

function list(lines, at, depth) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length > indent.length + 1 || item[1].length < indent.length || /\d/.test(item[2]) !== ordered)
      break;
    const [node, next] = listItem(lines, end, item, depth);
    items.push(node);
    end = next;
    if (end < lines.length && !lines[end].trim() && end + 1 < lines.length && ITEM.test(lines[end + 1])) end += 1;
  }
  const attributes = ordered ? { start: Number.parseInt(mark, 10) } : {};
  return [h(ordered ? "ol" : "ul", attributes, items), Math.max(end, at + 1)];
}

// The item's own lines: everything indented further, and the lines that simply go on.
function listItem(lines, at, [, indent, mark, first = ""], depth) {
  const body = [first];
  const width = indent.length + mark.length + 1;
  let end = at + 1;
  while (end < lines.length) {
    const column = lines[end].search(/\S/);
    const goesOn =
      column < 0
        ? nextColumn(lines, end) >= width
        : column > indent.length + 1 || (lines[end - 1].trim() && !startsBlock(lines, end));
    if (!goesOn) break;
    body.push(column < 0 ? "" : lines[end].slice(Math.min(column, width)));
    end += 1;
  }
  const task = /^\[([ xX])\]\s+/.exec(body[0]);
  if (task) body[0] = body[0].slice(task[0].length);
  const box = task
    ? h("input", {
        type: "checkbox",
        disabled: true,
        checked: task[1] !== " ",
        "aria-label": task[1] === " " ? "To do" : "Done",
      })
    : null;
  return [h("li", { class: task ? "task" : null }, box, tight(renderMarkdown(body.join("\n"), depth + 1))), end];
}

function nextColumn(lines, at) {
  const next = lines.slice(at).find((line) => line.trim());
  return next === undefined ? -1 : next.search(/\S/);
}

function tight(nodes) {
  return nodes[0]?.tagName === "P" ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes;
}

function isTable(lines, at) {
  return (
    lines[at].includes("|") &&
    at + 1 < lines.length &&
    lines[at + 1].includes("-") &&
    lines[at + 1].includes("|") &&
    TABLE_RULE.test(lines[at + 1])
  );
}

function cells(line) {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(lines, at) {
  const head = cells(lines[at]);
  const align = cells(lines[at + 1]).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left",
  );
  let end = at + 2;
  const rows = [];
  while (end < lines.length && lines[end].trim() && lines[end].includes("|")) rows.push(cells(lines[end++]));
  const row = (tag, values) =>
    h(
      "tr",
      {},
      head.map((_, i) => h(tag, { class: `align-${align[i] ?? "left"}` }, inline(values[i] ?? ""))),
    );
  const body = h(
    "tbody",
    {},
    rows.map((values) => row("td", values)),
  );
  return [
    h(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Table" },
      h("table", {}, h("thead", {}, row("th", head)), body),
    ),
    end,
  ];
}

function startsBlock(lines, at) {
  const line = lines[at];
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    ITEM.test(line) ||
    isTable(lines, at)
  );
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines, end)) end += 1;
  const text = lines.slice(at, end).map((line) => line.trimStart());
  return [
    h(
      "p",
      {},
      text.flatMap((line, i) => (i ? [h("br"), ...inline(line)] : inline(line))),
    ),
    end,
  ];
}

const INLINE = new RegExp(
  [
    "\\\\([!-/:-@[-`{-~])", // 1 escape
    "(`+)(?!`)([\\s\\S]*?[^`])\\2(?!`)", // 2, 3 code
    "!?\\[((?:\\[[^\\[\\]]*\\]|[^\\[\\]])*)\\]\\(\\s*<?([^\\s()<>]+(?:\\([^\\s()]*\\)[^\\s()<>]*)*)>?(?:\\s+[\"'][^\"']*[\"'])?\\s*\\)", // 4, 5 link
    "<(https?:\\/\\/[^\\s<>|]+|mailto:[^\\s<>|]+)(?:\\|([^<>]*))?>", // 6, 7 autolink
    "<([@#])([A-Z0-9]+)(?:\\|([^<>]*))?>", // 8, 9, 10 mention
    "(\\*\\*|__)(?=\\S)([\\s\\S]*?\\S)\\11(?![\\p{L}\\p{N}])", // 11, 12 strong
    "(?<![\\p{L}\\p{N}])(_)(?=[^\\s_])([\\s\\S]*?[^\\s_])_(?![\\p{L}\\p{N}])", // 13, 14 emphasis
    "\\*(?=[^\\s*])((?:\\*\\*[\\s\\S]*?\\*\\*|[^*])*?[^\\s])\\*(?!\\*)", // 15 emphasis
    "~~(?=\\S)([\\s\\S]*?\\S)~~", // 16 strike
    "(https?:\\/\\/[^\\s<>|\\\\]+[^\\s<>|\\\\.,;:!?)\\]'\"*_~`])", // 17 bare address
  ].join("|"),
  "u",
);

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    nodes.push(...withEmoji(entities(rest.slice(0, match.index))), span(match));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...nodes, ...withEmoji(entities(rest))];
}

function span(match) {
  if (match[1]) return match[1];
  if (match[2]) return h("code", {}, /^ .*\S.* $/.test(match[3]) ? match[3].slice(1, -1) : match[3]);
  if (match[5]) return link(entities(match[5]), ...(match[4] ? inline(match[4]) : [match[5]]));
  if (match[6]) return link(entities(match[6]), match[7] || match[6].replace(/^mailto:/, ""));
  if (match[8]) return (match[8] === "@" ? userMention : channelMention)(match[9], match[10]);
  if (match[11]) return h("strong", {}, inline(match[12]));
  if (match[13]) return h("em", {}, inline(match[14]));
  if (match[15]) return h("em", {}, inline(match[15]));
  if (match[16]) return h("del", {}, inline(match[16]));
  return link(match[17], match[17]);
}

function entities(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
