import { element } from "./elements.ts";

/** Shows the form of a `details` with `data-dialog` as a modal dialog, also a refused one, which is open when the page is loaded. */
export function openDialogs(): void {
  document.addEventListener("click", (event) => {
    const summary = (event.target as Element).closest("details[data-dialog] > summary");
    if (!(summary?.parentElement instanceof HTMLDetailsElement)) return;
    event.preventDefault();
    show(summary.parentElement);
  });
  const open = document.querySelector<HTMLDetailsElement>("details[data-dialog][open]");
  if (open) show(open);
}

function show(details: HTMLDetailsElement): void {
  const sheet = details.querySelector<HTMLElement>(".sheet");
  if (!sheet) return;
  details.open = false;
  const close = element("button", { type: "button", className: "bare close", textContent: "×", ariaLabel: "Close" });
  const dialog = element("dialog", {}, sheet, close);
  dialog.setAttribute("aria-label", sheet.querySelector("h2")?.textContent ?? "");
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    details.append(sheet);
    dialog.remove();
  });
  document.getElementById("main")?.append(dialog);
  dialog.showModal();
  (
    sheet.querySelector<HTMLElement>("[aria-invalid]") ?? sheet.querySelector<HTMLElement>("input:not([type=hidden])")
  )?.focus();
}
