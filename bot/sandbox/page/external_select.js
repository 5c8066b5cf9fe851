// A select whose options the app gives while one types.

import { h } from "./dom.js";
import { optionLabel } from "./options.js";

const WAIT_MS = 250;

/** An external_select -> node; `chosen(option or null)` is called when the choice changes. */
export function externalSelect(element, initial, suggest, chosen) {
  const label = element.placeholder?.text ?? "Search…";
  const search = h("input", { class: "input", type: "search", placeholder: label, "aria-label": `Search: ${label}` });
  const list = h("select", { class: "select", "aria-label": label, "data-action-id": element.action_id });
  let options = initial ? [initial] : [];
  let timer = null;
  const draw = (selected) => {
    const rows = options.map((option, i) => h("option", { value: String(i) }, optionLabel(option.text)));
    list.replaceChildren(h("option", { value: "" }, options.length ? "Choose…" : "Nothing found yet"), ...rows);
    list.value = selected ? "0" : "";
  };
  const load = async () => {
    if (search.value.length < (element.min_query_length ?? 3)) return;
    const answer = await suggest(search.value);
    options = answer.options ?? (answer.option_groups ?? []).flatMap((group) => group.options);
    draw(null);
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(load, WAIT_MS);
  });
  search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  list.addEventListener("change", () => chosen(list.value === "" ? null : options[Number(list.value)]));
  draw(initial);
  load();
  return h("div", { class: "external-select", role: "group", "aria-label": label }, search, list);
}
