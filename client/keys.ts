import { element, isTyping } from "./elements.ts";

/** The keys and their meaning, as the dialog shows them. */
const KEYS: readonly [string, string][] = [
  ["j, k", "Next and previous message"],
  ["Enter, o", "Open the message"],
  ["u", "Back to the list"],
  ["x", "Select the message"],
  ["e", "Archive"],
  ["#", "Delete"],
  ["!", "Move to Spam"],
  ["s", "Add or remove the star"],
  ["l", "Labels"],
  ["r, a, f", "Reply, reply to all, forward"],
  ["c", "Write a message"],
  ["/", "Search"],
  ["Ctrl+Enter", "Send"],
  ["Ctrl+Shift+Enter", "Send without time to undo"],
  ["?", "This help"],
];

/** Name in the local storage under which `off` switches single keys off (WCAG 2.1.4). */
const SETTING = "webmail-keys";
const isOn = () => localStorage.getItem(SETTING) !== "off";

/**
 * Listens for keys: `j`, `k`, `o` and `x` act on the rows of a list, `?` shows the help, and any other key acts on the element
 * whose `data-key` it is. Adds a button that opens the help.
 */
export function listenForKeys(): void {
  const place = document.querySelector("[data-keys]");
  if (!place) return;
  const button = element("button", { type: "button", className: "link", textContent: "Keys" });
  button.addEventListener("click", showHelp);
  place.append(button);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!isOn() || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (act(event.key)) event.preventDefault();
  });
}

/** Does what a key means. Returns false when it means nothing here. */
function act(key: string): boolean {
  if (key === "?") return showHelp();
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  if (key === "o") return press(currentRow()?.querySelector("a"));
  if (key === "x") return press(currentRow()?.querySelector<HTMLElement>("input[type=checkbox]"));
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]:not([hidden])`);
  if (target instanceof HTMLOptionElement) return choose(target);
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
    target.focus();
    return true;
  }
  return press(target);
}

const rows = () => [...document.querySelectorAll<HTMLElement>("ul.messages > li")];
const currentRow = () => document.activeElement?.closest<HTMLElement>("ul.messages > li");

function step(by: number): boolean {
  const all = rows();
  const current = currentRow();
  const at = current ? all.indexOf(current) + by : 0;
  const row = all[Math.max(0, Math.min(at, all.length - 1))];
  row?.querySelector("a")?.focus();
  return row !== undefined;
}

function press(target: HTMLElement | null | undefined): boolean {
  target?.click();
  return Boolean(target);
}

/** Applies a bulk action to the selected rows, or to the one with the focus. */
function choose(option: HTMLOptionElement): boolean {
  const form = option.closest("form");
  const select = option.closest("select");
  const boxes = rows().flatMap((row) => [...row.querySelectorAll<HTMLInputElement>("input[type=checkbox]")]);
  if (!boxes.some((box) => box.checked)) {
    const box = currentRow()?.querySelector<HTMLInputElement>("input[type=checkbox]");
    if (!box) return false;
    box.checked = true;
  }
  if (select) select.value = option.value;
  form?.requestSubmit();
  return true;
}

function showHelp(): boolean {
  const list = element("dl", { className: "keys" });
  for (const [key, meaning] of KEYS)
    list.append(element("dt", {}, element("kbd", { textContent: key })), element("dd", { textContent: meaning }));
  const box = element("input", { type: "checkbox", checked: isOn() });
  box.addEventListener("change", () => localStorage.setItem(SETTING, box.checked ? "on" : "off"));
  const close = element("button", { type: "submit", className: "quiet", textContent: "Close", autofocus: true });
  const dialog = element(
    "dialog",
    {},
    element("h2", { id: "keys-title", textContent: "Keys" }),
    list,
    element("label", { className: "choice" }, box, "Use single keys"),
    element("form", { method: "dialog", className: "actions" }, close),
  );
  dialog.setAttribute("aria-labelledby", "keys-title");
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return true;
}
