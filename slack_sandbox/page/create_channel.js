// The dialog that makes a channel.

import { post } from "./api.js";
import { h, iconButton } from "./dom.js";
import { openChannel } from "./route.js";
import { state } from "./state.js";

const REFUSED = {
  name_taken: "A channel with this name exists already.",
  invalid_name: "Small letters, digits, - and _ only.",
};

/** Ask for a name, and make the channel. */
export function askForChannel() {
  const field = h("input", { class: "input", id: "channel-name", required: true, maxlength: 80, autocomplete: "off" });
  const [isPrivate, withApp] = [h("input", { type: "checkbox" }), h("input", { type: "checkbox", checked: true })];
  const error = h("div", { class: "field-error", role: "alert" });
  const close = iconButton("close", "Close", () => dialog.close());
  const form = h(
    "form",
    { novalidate: true },
    h("header", { class: "modal-head" }, h("h2", { id: "create-title" }, "Create a channel"), close),
    h(
      "div",
      { class: "modal-body" },
      h("label", { class: "input-label", for: "channel-name" }, "Name"),
      field,
      h("div", { class: "hint" }, "For example inc-checkout-errors"),
      error,
      h(
        "div",
        { class: "options" },
        h("label", { class: "option" }, withApp, h("span", {}, `Add ${state.app.name}`)),
        h("label", { class: "option" }, isPrivate, h("span", {}, "Private: only who is added sees it")),
      ),
    ),
    h("footer", { class: "dialog-foot" }, h("button", { type: "submit", class: "button primary" }, "Create")),
  );
  const dialog = h("dialog", { class: "modal", "aria-labelledby": "create-title" }, form);
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = field.value.trim().toLowerCase().replace(/[\s.]+/g, "-").replace(/^#/, "");
    const guests = withApp.checked ? [state.app.user_id] : [];
    const answer = await post("channel", { name, is_private: isPrivate.checked, guests });
    error.textContent = answer.ok ? "" : (REFUSED[answer.error] ?? `Not made: ${answer.error}`);
    if (!answer.ok) return field.focus();
    dialog.close();
    return openWhenKnown(answer.channel);
  });
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
}

// The stream tells of the new channel, perhaps a moment later.
function openWhenKnown(id) {
  if (state.channels.has(id)) openChannel(id);
  else requestAnimationFrame(() => openWhenKnown(id));
}
