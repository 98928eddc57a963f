import { element } from "./elements.ts";

/**
 * Asks in a dialog before a form is submitted whose button, chosen option or own element has `data-confirm`. A confirmed form
 * says so by the field `confirmed`; without it the server asks on a page.
 */
export function confirmForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const button = event.submitter as HTMLButtonElement | null;
    const chosen = form.querySelector<HTMLOptionElement>("option[data-confirm]:checked");
    const question =
      button?.dataset.confirm ?? (button?.name ? undefined : chosen?.dataset.confirm) ?? form.dataset.confirm;
    if (!question || form.elements.namedItem("confirmed")) return;
    event.preventDefault();
    ask(question, button?.dataset.confirmed ?? "Delete for good", () => {
      form.append(element("input", { type: "hidden", name: "confirmed", value: "yes" }));
      form.requestSubmit(button);
    });
  });
}

function ask(question: string, label: string, run: () => void): void {
  const yes = element("button", { type: "submit", className: "danger final", value: "yes", textContent: label });
  const no = element("button", {
    type: "submit",
    className: "quiet",
    value: "no",
    textContent: "Cancel",
    autofocus: true,
  });
  const actions = element("form", { method: "dialog", className: "actions" }, yes, no);
  const text = element("p", { id: "question", textContent: question });
  const dialog = element("dialog", {}, text, actions);
  dialog.setAttribute("aria-labelledby", "question");
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue === "yes") run();
  });
  document.body.append(dialog);
  dialog.showModal();
}
