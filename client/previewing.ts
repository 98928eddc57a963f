/** Quiet time before a form is shown in its preview again, in ms. */
const DELAY_MS = 400;

/**
 * Shows what is filled in a form with `data-previewed` in the frame that one of its buttons has as its target: after each change, and at
 * once when the attribute is `now`, because the form is not what is stored.
 */
export function previewForms(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-previewed]");
  const button = form?.querySelector<HTMLButtonElement>("button[formtarget]");
  if (!form || !button) return;
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(form, button), DELAY_MS);
  });
  if (form.dataset.previewed === "now") show(form, button);
}

function show(form: HTMLFormElement, button: HTMLButtonElement): void {
  const old = document.querySelector<HTMLIFrameElement>(`iframe[name="${button.formTarget}"]`);
  if (!old) return;
  // A new frame, because each page in a frame that has one adds a step to the history of the window.
  const fresh = old.cloneNode() as HTMLIFrameElement;
  fresh.removeAttribute("src");
  old.replaceWith(fresh);
  form.requestSubmit(button);
}
