// A short notice at the bottom of the page.

import { h } from "./dom.js";

let box = null;

/** Say one sentence for a few seconds; screen readers hear it too. */
export function say(sentence) {
  if (!box) {
    box = h("div", { class: "toasts", role: "status" });
    document.body.append(box);
  }
  const toast = h("div", { class: "toast" }, sentence);
  box.append(toast);
  setTimeout(() => toast.remove(), 4000);
}
