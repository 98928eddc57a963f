import { element, isTyping } from "./elements.ts";

/** The keys and their meaning, as the dialog shows them. */
const KEYS: readonly [string, string][] = [
  ["j, k", "Next and previous message"],
  ["Enter, o", "Open or fold the message"],
  ["u", "Back to the list"],
  ["x", "Select the message"],
  ["e", "Archive"],
  ["#", "Delete"],
  ["!", "Move to Spam"],
  ["v", "Move to a folder"],
  ["l", "Labels"],
  ["s", "Add or remove the star"],
  ["I, U", "Mark as read, mark as unread"],
  ["z", "Undo"],
  ["r, a, f", "Reply, reply to all, forward"],
  ["c", "Write a message"],
  ["/", "Search"],
  ["Ctrl+B, I, U, K", "Bold, italic, underline, link"],
  ["Ctrl+Enter", "Send"],
  ["Ctrl+Shift+Enter", "Send without time to undo"],
  ["?", "This help"],
];

/** Name in the local storage under which `off` switches single keys off (WCAG 2.1.4). */
const SETTING = "webmail-keys";
const isOn = () => localStorage.getItem(SETTING) !== "off";

/**
 * Listens for keys: `j`, `k`, `o` and `x` act on the rows of a list or the messages of a conversation, `?` shows the help, and any
 * other key acts on the element whose `data-key` it is. Adds a button that opens the help.
 */
export function listenForKeys(): void {
  document.querySelector("[data-key-help]")?.append(...helpOf());
  const place = document.querySelector("[data-keys]");
  if (!place) return;
  const button = element("button", { type: "button", className: "link", textContent: "Keyboard shortcuts" });
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
  if (key === "o") return press(opener(currentRow()));
  if (key === "x") return press(currentRow()?.querySelector<HTMLElement>("input[type=checkbox]"));
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]:not([hidden])`);
  if (target instanceof HTMLInputElement) {
    target.focus();
    return true;
  }
  if (target?.closest(".list-form") && !selectRow()) return false;
  return press(target) && focusMenu(target);
}

const ROWS = "ul.messages > li, .conversation > article";
const rows = () => [...document.querySelectorAll<HTMLElement>(ROWS)];
const currentRow = () => document.activeElement?.closest<HTMLElement>(ROWS);
/** Returns what opens a row: the link of a list, or the heading of a message, which also folds it. */
const opener = (row: HTMLElement | null | undefined) => row?.querySelector<HTMLElement>("summary, .what a");

function step(by: number): boolean {
  const all = rows();
  const current = currentRow();
  const at = current ? all.indexOf(current) + by : 0;
  const row = all[Math.max(0, Math.min(at, all.length - 1))];
  opener(row)?.focus();
  return row !== undefined;
}

function press(target: HTMLElement | null | undefined): boolean {
  target?.click();
  return Boolean(target);
}

/** Selects the row with the focus when none is selected. Returns false when none has it either. */
function selectRow(): boolean {
  if (document.querySelector("ul.messages input:checked")) return true;
  const box = currentRow()?.querySelector<HTMLInputElement>("input[type=checkbox]");
  box?.click();
  return box !== undefined && box !== null;
}

/** Moves the focus to the first action of the menu that a button has opened. */
function focusMenu(button: HTMLElement | null): boolean {
  if (button instanceof HTMLButtonElement)
    (button.popoverTargetElement as HTMLElement | null)?.querySelector<HTMLElement>("button, a")?.focus();
  return true;
}

/** Returns the list of the keys, and the box that switches single ones off. */
function helpOf(): HTMLElement[] {
  const list = element("dl", { className: "keys" });
  for (const [key, meaning] of KEYS)
    list.append(element("dt", {}, element("kbd", { textContent: key })), element("dd", { textContent: meaning }));
  const box = element("input", { type: "checkbox", checked: isOn() });
  box.addEventListener("change", () => localStorage.setItem(SETTING, box.checked ? "on" : "off"));
  return [list, element("label", { className: "choice" }, box, "Use single keys")];
}

function showHelp(): boolean {
  const close = element("button", { type: "submit", className: "quiet", textContent: "Close", autofocus: true });
  const dialog = element(
    "dialog",
    {},
    element("h2", { id: "keys-title", textContent: "Keyboard shortcuts" }),
    ...helpOf(),
    element("form", { method: "dialog", className: "actions" }, close),
  );
  dialog.setAttribute("aria-labelledby", "keys-title");
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return true;
}
