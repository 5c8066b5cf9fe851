// A select whose options the app gives while one types.

import { h } from "./dom.js";
import { optionLabel } from "./options.js";

const WAIT_MS = 250;

/** An external select -> node; `chosen(node, options[])` is called when the choice changes. Several keep what was chosen. */
export function externalSelect(element, initial, suggest, chosen) {
  const many = element.type.startsWith("multi_");
  const label = element.placeholder?.text ?? "Search…";
  const search = h("input", { class: "input", type: "search", placeholder: label, "aria-label": `Search: ${label}` });
  const list = h("select", { class: "select", "aria-label": label, "data-action-id": element.action_id, multiple: many });
  let options = initial;
  let timer = null;
  const picked = () => [...list.selectedOptions].filter((row) => row.value !== "").map((row) => options[Number(row.value)]);
  const draw = (selected) => {
    const rows = options.map((option, i) => h("option", { value: String(i) }, optionLabel(option.text)));
    const hint = h("option", { value: "", disabled: many }, options.length ? "Choose…" : "Nothing found yet");
    list.replaceChildren(hint, ...rows);
    rows.forEach((row, i) => (row.selected = selected.includes(options[i])));
    if (!many && !selected.length) list.value = "";
  };
  const load = async () => {
    if (search.value.length < (element.min_query_length ?? 3)) return;
    const answer = await suggest(search.value);
    const found = answer.options ?? (answer.option_groups ?? []).flatMap((group) => group.options);
    const before = many ? picked() : [];
    options = [...before, ...found.filter(({ value }) => !before.some((option) => option.value === value))];
    draw(before);
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(load, WAIT_MS);
  });
  search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  list.addEventListener("change", () => chosen(node, picked()));
  const node = h("div", { class: "external-select", role: "group", "aria-label": label }, search, list);
  draw(initial);
  load();
  return node;
}
