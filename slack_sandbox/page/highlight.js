// Colours for code: comments, strings, numbers and keywords, enough to read by. Nothing is run or interpreted.

import { h } from "./dom.js";

const KEYWORDS = {
  python:
    "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self",
  javascript:
    "async await break case catch class const continue default delete else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield interface type enum implements",
  go: "break case chan const continue default defer else fallthrough for func go goto if import interface map nil package range return select struct switch type var true false error string int bool",
  java: "abstract boolean break case catch class const continue default do double else enum extends final finally float for if implements import instanceof int interface long new null package private protected public return static super switch this throw throws true try void while",
  sql: "select from where and or not in is null as join left right inner outer on group by order having limit insert into values update set delete create table index unique primary key explain analyze desc asc distinct union with",
  shell: "if then else elif fi for in do done case esac while function return export local set echo cd sudo",
  yaml: "true false null yes no",
  rust: "as async await break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
};
const ALIASES = {
  py: "python",
  js: "javascript",
  ts: "javascript",
  typescript: "javascript",
  jsx: "javascript",
  tsx: "javascript",
  json: "javascript",
  golang: "go",
  kotlin: "java",
  scala: "java",
  c: "java",
  cpp: "java",
  csharp: "java",
  bash: "shell",
  sh: "shell",
  zsh: "shell",
  console: "shell",
  yml: "yaml",
  toml: "yaml",
  rs: "rust",
  promql: "sql",
  postgresql: "sql",
};
const COMMENTS = { python: "#.*", shell: "#.*", yaml: "#.*", sql: "--.*" };
const SLASHES = "\\/\\/.*|\\/\\*[\\s\\S]*?\\*\\/";
const STRING = '"""[\\s\\S]*?"""|"(?:\\\\.|[^"\\\\\\n])*"|\'(?:\\\\.|[^\'\\\\\\n])*\'';

/** Source text -> nodes; plain text when the language is unknown or the text is very long. */
export function highlight(text, language) {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase();
  if (name === "diff") return diff(text);
  if (!KEYWORDS[name] || text.length > 30000) return [text];
  const words = new Set(KEYWORDS[name].split(" "));
  const pattern = new RegExp(`(${COMMENTS[name] ?? SLASHES})|(${STRING})|\\b(\\d[\\d_.]*\\w*)\\b|([A-Za-z_]\\w*)`, "g");
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = kindOf(match, words, name);
    if (!kind) continue;
    nodes.push(text.slice(end, match.index), h("span", { class: `hl-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}

function kindOf([, comment, string, number, word], words, language) {
  if (comment) return "comment";
  if (string) return "string";
  if (number) return "number";
  return words.has(language === "sql" ? word.toLowerCase() : word) ? "keyword" : null;
}

function diff(text) {
  const kind = { "+": "added", "-": "removed", "@": "number" };
  return text
    .split(/(?<=\n)/)
    .map((line) => (kind[line[0]] ? h("span", { class: `hl-${kind[line[0]]}` }, line) : line));
}
