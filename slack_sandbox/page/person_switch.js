// Who is looking: one person at the screen can be several, to see what the others see.

import { becomePerson } from "./api.js";
import { h, icon } from "./dom.js";
import { avatar } from "./people.js";
import { openMenu } from "./popups.js";
import { state } from "./state.js";

/** The button at the foot of the sidebar. */
export function personSwitch() {
  const name = nameOf(state.me);
  const button = h(
    "button",
    { type: "button", class: "whoami", "aria-haspopup": "menu", "aria-label": `Switch person, now ${name}` },
    avatar({ id: state.me.id, name, isApp: false }, "small"),
    h("span", { class: "whoami-name" }, name),
    h("span", { class: "presence" }),
    icon("people", 16),
  );
  button.addEventListener("click", () => openMenu(button, others()));
  return button;
}

function others() {
  const people = [...state.users.values()].filter((user) => !user.is_bot && user.id !== state.me.id);
  return people
    .filter((user) => user.id !== "USLACKBOT")
    .map((user) => ({ label: `Be ${nameOf(user)}`, run: () => becomePerson(user.id, sharedPlace()) }));
}

/** The hash of the channel that is open, where others see it too. */
function sharedPlace() {
  const channel = state.channels.get(location.hash.slice(2).split("/")[0]);
  return channel && !channel.is_im && !channel.is_private ? location.hash : "";
}

const nameOf = (user) => user.real_name || user.name;
