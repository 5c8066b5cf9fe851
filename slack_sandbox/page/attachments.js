// Slack's older attachments: a bar in a colour beside a title, a text, fields or blocks.

import { h, link, safeUrl } from "./dom.js";
import { renderBlocks } from "./blocks.js";
import { renderMrkdwn } from "./mrkdwn.js";

const COLORS = { good: "#2eb67d", warning: "#ecb22e", danger: "#e01e5a" };

/** attachments[] -> nodes. */
export function renderAttachments(attachments, context) {
  return (attachments ?? []).map((attachment) => {
    const node = h(
      "div",
      { class: "attachment" },
      attachment.blocks?.length ? renderBlocks(attachment.blocks, context) : parts(attachment),
    );
    const color =
      COLORS[attachment.color] ??
      (/^#?[0-9a-f]{6}$/i.test(attachment.color ?? "") ? `#${attachment.color.replace("#", "")}` : null);
    if (color) node.style.borderColor = color;
    return node;
  });
}

function parts(attachment) {
  const title = attachment.title_link ? link(attachment.title_link, attachment.title) : attachment.title;
  const field = (item) => h("div", { class: "mrkdwn" }, h("strong", {}, item.title), renderMrkdwn(item.value ?? ""));
  const image = attachment.image_url ? safeUrl(attachment.image_url) : null;
  return [
    attachment.pretext ? h("div", { class: "mrkdwn" }, renderMrkdwn(attachment.pretext)) : null,
    title ? h("div", { class: "attachment-title" }, title) : null,
    h("div", { class: "mrkdwn" }, renderMrkdwn(attachment.text ?? attachment.fallback ?? "")),
    attachment.fields?.length ? h("div", { class: "fields" }, attachment.fields.map(field)) : null,
    image ? h("img", { class: "attachment-image", src: image, alt: "" }) : null,
    attachment.footer ? h("div", { class: "quiet" }, attachment.footer) : null,
  ];
}
