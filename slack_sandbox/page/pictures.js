// Pictures in messages, and one picture in full size.

import { h, iconButton, link, safeUrl } from "./dom.js";

/** Show a picture over the page; Escape, the cross or a click beside it closes it. */
export function openPicture(src, alt, title) {
  const close = () => dialog.close();
  const img = h("img", { src, alt });
  const bar = h(
    "div",
    { class: "lightbox-bar" },
    h("span", {}, title || alt),
    link(src, "Open in a new tab"),
    iconButton("close", "Close picture", close),
  );
  const dialog = h(
    "dialog",
    { class: "lightbox", "aria-label": title || alt || "Picture" },
    bar,
    h("div", { class: "lightbox-body" }, img),
  );
  dialog.addEventListener("click", (event) => event.target !== img && !event.target.closest("a") && close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Where the page gets a file of the workspace: {id, name?} or {url}; its own address is for the app alone. */
export function fileAddress({ id, url, name }) {
  const known = id ?? /\/files\/(\w+)\//.exec(url)?.[1] ?? "unknown";
  return `/client/files/${encodeURIComponent(known)}/${encodeURIComponent(name ?? "file")}`;
}

/** Where an image element or block comes from: its address or its uploaded file. */
export function source(image) {
  return safeUrl(image.slack_file ? fileAddress(image.slack_file) : (image.image_url ?? ""));
}

/** An image element or block as a button that enlarges it; a picture that fails to load says so. */
export function picture(image, className = "", title = "") {
  const alt = image.alt_text ?? "";
  const src = source(image);
  const img = h("img", { src, alt, width: image.image_width, height: image.image_height });
  const node = h(
    "button",
    {
      type: "button",
      class: `picture ${className}`,
      "aria-label": `Enlarge picture: ${title || alt || "no description"}`,
    },
    img,
  );
  node.addEventListener("click", () => openPicture(src, alt, title));
  img.addEventListener("error", () =>
    node.replaceWith(h("div", { class: "unknown-block" }, `The picture could not be loaded: ${alt}`)),
  );
  return node;
}
