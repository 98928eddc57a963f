import { element } from "./elements.ts";

/** For how long a message is shown, and one with a button that undoes something, in ms. */
const [SHOWN_MS, UNDO_MS] = [8_000, 30_000];

/** Removes the message about what was just done after some seconds, unless the pointer or the focus is in it, or by its button. */
export function showToast(): void {
  const toast = document.querySelector<HTMLElement>("[data-toast]");
  if (!toast) return;
  const url = new URL(location.href);
  // Otherwise the message is shown again when the page is reloaded.
  for (const name of ["done", "n", "to", "undo"]) url.searchParams.delete(name);
  history.replaceState(history.state, "", url);
  const close = element("button", { type: "button", className: "bare", textContent: "×", ariaLabel: "Close" });
  close.addEventListener("click", () => toast.remove());
  toast.append(close);
  let timer = 0;
  const start = () => {
    timer = setTimeout(() => toast.remove(), toast.querySelector("form") ? UNDO_MS : SHOWN_MS);
  };
  for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, start);
  start();
}
