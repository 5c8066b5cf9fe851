// Elements are made here and nowhere else: text always becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** h("a", {class: "x", onclick: f}, "text", child, [children]) -> HTMLElement; null, undefined and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  append(element, children);
  return element;
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "value") element.value = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Append strings (as text nodes), nodes and nested arrays of both. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Make `parent` hold exactly `nodes`, moving as little as possible, so that focus and scrolling survive. */
export function reconcile(parent, nodes) {
  const wanted = new Set(nodes);
  let current = parent.firstChild;
  for (const node of nodes) {
    while (current && !wanted.has(current)) current = removeAndNext(current);
    if (node === current) current = current.nextSibling;
    else parent.insertBefore(node, current);
  }
  while (current) current = removeAndNext(current);
}

function removeAndNext(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** The address when it is safe to open, else null: script and data addresses never become links. */
export function safeUrl(address) {
  try {
    const url = new URL(address, location.href);
    return ["http:", "https:", "mailto:", "tel:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A link in a new tab, or its label as plain text when the address is not safe to open. */
export function link(address, ...label) {
  const href = safeUrl(address);
  if (!href) return h("span", {}, ...label);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...label);
}

const PATHS = {
  hash: "M5 9h14M5 15h14M10 4 8 20M16 4l-2 16",
  reply: "M20 15a3 3 0 0 1-3 3H9l-5 4V7a3 3 0 0 1 3-3h10a3 3 0 0 1 3 3z",
  react:
    "M12 21a9 9 0 1 1 5.6-16M8.500 14.500s1.200 2 3.500 2 3.500-2 3.500-2M9 9.500h.01M15 9.500h.01M20 3v5M17.500 5.500h5",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.500 14.500s1.200 2 3.500 2 3.500-2 3.500-2M9 9.500h.01M15 9.500h.01",
  edit: "M4 20h4L19 9a2.800 2.800 0 0 0-4-4L4 16zM13.500 6.500l4 4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  close: "M6 6l12 12M18 6 6 18",
  menu: "M4 6h16M4 12h16M4 18h16",
  send: "M4 12 3.500 4.500 21 12 3.500 19.500zM4 12h9",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  up: "M7 11v9H4v-9zM7 11l4-8a2.500 2.500 0 0 1 2.500 2.500V9H19a2 2 0 0 1 2 2.300l-1.200 7A2 2 0 0 1 17.800 20H7",
  down: "M17 13V4h3v9zM17 13l-4 8a2.500 2.500 0 0 1-2.500-2.500V15H5a2 2 0 0 1-2-2.300l1.200-7A2 2 0 0 1 6.200 4H17",
  check: "M5 12.500l4.500 4.500L19 7.500",
  chevron: "M9 6l6 6-6 6",
  more: "M5.700 12a.7.7 0 1 1-1.400 0 .7.7 0 0 1 1.400 0zM12.700 12a.7.7 0 1 1-1.400 0 .7.7 0 0 1 1.400 0zM19.700 12a.7.7 0 1 1-1.400 0 .7.7 0 0 1 1.400 0z",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01",
  warning: "M12 4 2.500 20h19zM12 10v4M12 17h.01",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  at: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM16 8v5a2.500 2.500 0 0 0 5 0v-1a9 9 0 1 0-4 7.500",
  slash: "M8.500 20l7-16",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  bolt: "M13 3 5 13.500h6L10 21l9-11h-6.500z",
  stop: "M7 7h10v10H7z",
  spark: "M12 4l1.800 5.200L19 11l-5.200 1.800L12 18l-1.800-5.200L5 11l5.200-1.800zM19 16v4M17 18h4",
  back: "M15 5l-7 7 7 7",
  plus: "M12 5v14M5 12h14",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  link: "M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1",
  pin: "M9 4h6l-1 6 4 4H6l4-4zM12 14v7",
  people:
    "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14.500a6.500 6.500 0 0 1 3.500 5.500",
};

/** An icon drawn with lines in the current text colour; decorative, so hidden from screen readers. */
export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, "svg");
  const attributes = { viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true", class: "icon" };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A round button that shows an icon only; `label` is its accessible name and its tooltip. */
export function iconButton(name, label, onclick, className = "") {
  return h(
    "button",
    { type: "button", class: `icon-button ${className}`, "aria-label": label, title: label, onclick },
    icon(name),
  );
}
