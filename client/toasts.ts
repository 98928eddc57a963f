import { element } from "./elements.ts";

/** For how long a message is shown, and one with a button that undoes something, in ms. */
const [SHOWN_MS, UNDO_MS] = [8_000, 30_000];

/**
 * Removes the message about what was just done by its button, and after some seconds unless the pointer or the focus is in it. A
 * message with a time stays until then.
 */
export function showToast(): void {
  const toast = document.querySelector<HTMLElement>("[data-toast]");
  if (!toast) return;
  const url = new URL(location.href);
  const until = Date.parse(toast.dataset.toast ?? "");
  // Otherwise the message is shown again when the page is reloaded.
  const shown = ["done", "n", "to", "undo", "sign", ...(Number.isNaN(until) ? ["sent"] : [])];
  for (const name of shown) url.searchParams.delete(name);
  history.replaceState(history.state, "", url);
  const close = element("button", { type: "button", className: "bare", textContent: "×", ariaLabel: "Close" });
  close.addEventListener("click", () => toast.remove());
  toast.append(close);
  let timer = 0;
  const start = () => {
    const shownMs = toast.querySelector("form") ? UNDO_MS : SHOWN_MS;
    timer = setTimeout(() => toast.remove(), Number.isNaN(until) ? shownMs : until - Date.now());
  };
  for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, start);
  start();
}
