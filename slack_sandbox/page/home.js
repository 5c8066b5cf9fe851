// The app's home tab.

import { get } from "./api.js";
import { h, reconcile } from "./dom.js";
import { renderBlocks } from "./blocks.js";
import { header } from "./channel_head.js";
import { avatar } from "./people.js";
import { changed, state } from "./state.js";
import { viewContext } from "./surfaces.js";

let pane = null;
let drawn = null;

/** The node of the home tab, drawn as it is now. */
export function homePane() {
  pane ??= make();
  if (drawn !== state.homeView) {
    drawn = state.homeView;
    reconcile(pane.body, drawn ? renderBlocks(drawn.blocks, viewContext(drawn, drawn.state?.values)) : [empty()]);
  }
  return pane.node;
}

/** Tell the server that the tab was opened, and show what the app has published. */
export async function openedHome() {
  const { view } = await get("home");
  if (view) state.homeView = view;
  changed();
}

function make() {
  const direct = [...state.channels.values()].find((channel) => channel.is_im);
  const body = h("div", { class: "home-body" }, empty());
  const node = h(
    "section",
    { class: "pane", "aria-label": `Home of ${state.app.name}` },
    h("div", { class: "head-slot" }, header(direct, "home")),
    h("div", { class: "scroller", tabindex: 0 }, body),
  );
  return { node, body };
}

function empty() {
  return h(
    "div",
    { class: "intro" },
    avatar({ id: state.app.user_id, name: state.app.name, isApp: true }, "large"),
    h("h2", {}, state.app.name),
    h("p", {}, `${state.app.name} has not published a home tab yet.`),
  );
}
