/**
 * Asks before a page is left whose form was changed and not submitted, or was submitted and refused. Forms that are saved while
 * they are written ask themselves.
 */
export function askBeforeLeaving(): void {
  let isSubmitted = false;
  // After those that stop a form to ask first.
  document.addEventListener("submit", (event) => {
    const target = (event.submitter as HTMLButtonElement | null)?.formTarget ?? "";
    if (!event.defaultPrevented && target === "") isSubmitted = true;
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isSubmitted && [...document.forms].some(isUnsaved)) event.preventDefault();
  });
  // A page that the browser keeps and shows again.
  window.addEventListener("pageshow", () => {
    isSubmitted = false;
  });
}

function isUnsaved(form: HTMLFormElement): boolean {
  if (form.method !== "post" || form.dataset.autosave !== undefined) return false;
  if (form.dataset.changed !== undefined) return true;
  const texts = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];
  return texts.some((field) => field.ariaInvalid === "true" || (isText(field) && field.value !== field.defaultValue));
}

const isText = ({ type }: { type: string }) =>
  ["text", "textarea", "email", "number", "search", "datetime-local"].includes(type);
