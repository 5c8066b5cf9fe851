// Slack's own text format: *bold* _italic_ ~strike~ `code` ```block``` > quote, <url|label>, <@U…>, <#C…>, <!here>, :emoji:.

import { h, link } from "./dom.js";
import { withEmoji } from "./emoji.js";
import { formatTokens } from "./format.js";
import { channelMention, codeBlock, userMention } from "./mentions.js";

/** Slack's three escapes undone. */
export function unescape(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** mrkdwn -> nodes. */
export function renderMrkdwn(text) {
  return text.split(/(```[\s\S]*?```)/).flatMap((part) => {
    if (part.length >= 6 && part.startsWith("```") && part.endsWith("```"))
      return [codeBlock(codeText(part.slice(3, -3)))];
    return renderLines(part.replace(/^\n|\n$/g, ""));
  });
}

function codeText(text) {
  const bare = text.replace(/<([^<>|]+)(?:\|([^<>]+))?>/g, (_, target, label) => label ?? target);
  return unescape(bare.replace(/^\n/, "").replace(/\n$/, ""));
}

const QUOTE = /^(?:>|&gt;) ?/;
const BULLET = /^(\s*)([•◦▪‣⁃–-]|\d{1,3}[.)])\s+(?=\S)/;

function renderLines(text) {
  const nodes = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i += 1) {
    const everything = /^(?:>>>|&gt;&gt;&gt;) ?/.exec(lines[i]);
    if (everything) {
      const rest = [lines[i].slice(everything[0].length), ...lines.slice(i + 1)].join("\n");
      nodes.push(h("blockquote", {}, renderLines(rest)));
      return nodes;
    }
    if (QUOTE.test(lines[i])) {
      const from = i;
      while (i + 1 < lines.length && QUOTE.test(lines[i + 1])) i += 1;
      nodes.push(
        h(
          "blockquote",
          {},
          lines.slice(from, i + 1).map((line) => renderLine(line.replace(QUOTE, ""))),
        ),
      );
    } else nodes.push(renderLine(lines[i]));
  }
  return nodes;
}

// A line that starts like a list item hangs under its text; the mark itself stays as it was written.
function renderLine(line) {
  const bullet = BULLET.exec(line);
  if (!bullet) return h("div", { class: line.trim() ? "line" : "line empty" }, renderInline(line));
  const depth = Math.min(4, Math.floor(bullet[1].length / 2));
  return h(
    "div",
    { class: `line item depth-${depth}` },
    h("span", { class: "mark" }, bullet[2]),
    h("span", {}, renderInline(line.slice(bullet[0].length))),
  );
}

const TAGS = { "*": "strong", _: "em", "~": "del" };
const TOKEN =
  /`([^`\n]+)`|<([^<>\n]+)>|(?<![\p{L}\p{N}*_~`])([*_~])(?=\S)([^\n]*?\S)\3(?![\p{L}\p{N}])|(https?:\/\/[^\s<>|]+[^\s<>|.,;:!?)\]'"*_~])/u;

/** One line of mrkdwn -> nodes. */
export function renderInline(text) {
  const nodes = [];
  let rest = text;
  for (let match = TOKEN.exec(rest); match; match = TOKEN.exec(rest)) {
    nodes.push(...withEmoji(unescape(rest.slice(0, match.index))), token(match));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...nodes, ...withEmoji(unescape(rest))];
}

function token([, code, angle, mark, inner, url]) {
  if (code !== undefined)
    return h("code", {}, unescape(code.replace(/<([^<>|]+)(?:\|([^<>]+))?>/g, (_, target, label) => label ?? target)));
  if (angle !== undefined) return angleToken(angle);
  if (mark) return h(TAGS[mark], {}, renderInline(inner));
  return link(unescape(url), unescape(url));
}

function angleToken(content) {
  const bar = content.indexOf("|");
  const target = bar < 0 ? content : content.slice(0, bar);
  const label = bar < 0 ? "" : content.slice(bar + 1);
  if (target.startsWith("@")) return userMention(target.slice(1), unescape(label));
  if (target.startsWith("#")) return channelMention(target.slice(1), unescape(label));
  if (target.startsWith("!")) return special(target.slice(1), unescape(label));
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(target)) return unescape(`<${content}>`);
  const shown = label ? renderInline(label.replace(/[<>]/g, "")) : [unescape(target.replace(/^mailto:/, ""))];
  return link(unescape(target), ...shown);
}

function special(command, label) {
  const [name, ...rest] = command.split("^");
  if (name === "date") {
    const text = rest[1] ? formatTokens(unescape(rest[1]), Number(rest[0])) : label;
    return rest[2] ? link(unescape(rest[2]), text) : h("time", { title: label }, text);
  }
  if (name === "subteam") return h("span", { class: "mention" }, label || `@${rest[0] ?? "group"}`);
  return h("span", { class: "mention broadcast" }, label ? `@${label.replace(/^@/, "")}` : `@${name}`);
}

/** A text object {type: "plain_text" | "mrkdwn", text} or a bare string -> nodes. */
export function renderText(object, { mrkdwn = false } = {}) {
  if (object === null || object === undefined) return [];
  if (typeof object === "string") return mrkdwn ? renderMrkdwn(object) : withEmoji(unescape(object));
  return object.type === "mrkdwn" ? renderMrkdwn(object.text ?? "") : withEmoji(unescape(object.text ?? ""));
}

/** mrkdwn as plain words, for labels and notifications. */
export function plainText(text) {
  return h("span", {}, renderMrkdwn(text ?? "")).textContent;
}
