import type Squire from "squire-rte";
import { element } from "./elements.ts";

/** Asks in a dialog where the selected text leads, or the link at the cursor. */
export function askForLink(editor: Squire): void {
  const known = linkAt(editor)?.getAttribute("href") ?? "";
  const input = element("input", { id: "link-address", type: "text", value: known, required: true, autofocus: true });
  input.placeholder = "example.com or ada@example.org";
  const label = element("label", { htmlFor: input.id, textContent: "Web or email address" });
  const insert = element("button", { type: "submit", textContent: known === "" ? "Add link" : "Change link" });
  const remove = element("button", { type: "button", className: "quiet", textContent: "Remove link" });
  const cancel = element("button", { type: "button", className: "quiet", textContent: "Cancel" });
  const actions = element("div", { className: "actions" }, insert, ...(known === "" ? [] : [remove]), cancel);
  const field = element("div", { className: "field" }, label, input);
  const form = element("form", { method: "dialog" }, field, actions);
  const dialog = element("dialog", { ariaLabel: "Link" }, form);
  const close = (change: () => unknown) => {
    dialog.close();
    editor.focus();
    change();
  };
  input.addEventListener("input", () => input.setCustomValidity(""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const url = toUrl(input.value);
    if (url !== null) return close(() => addLink(editor, url));
    input.setCustomValidity("Enter an address such as example.com or ada@example.org");
    input.reportValidity();
  });
  remove.addEventListener("click", () => close(() => editor.removeLink()));
  cancel.addEventListener("click", () => close(() => null));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Makes a link of the selected text, or inserts one; what is typed then does not replace it. */
function addLink(editor: Squire, url: string): void {
  const isInserted = editor.getSelection().collapsed && !linkAt(editor);
  editor.makeLink(url);
  const range = editor.getSelection();
  if (isInserted) range.collapse(false);
  editor.setSelection(range);
}

function linkAt(editor: Squire): Element | null {
  const node = editor.getSelection().startContainer;
  return (node instanceof Element ? node : node.parentElement)?.closest("a") ?? null;
}

/** Returns the address of a link as a URL, or null when it is none: of a web page, or of a person. */
function toUrl(text: string): string | null {
  const address = text.trim();
  if (/^[^\s@:/]+@[^\s@]+\.[^\s@]+$/.test(address)) return `mailto:${address}`;
  const url = /^(?:https?:\/\/|mailto:)/i.test(address) ? address : `https://${address}`;
  return /\s/.test(url) || !(url.startsWith("mailto:") || url.includes(".")) || !URL.canParse(url) ? null : url;
}
