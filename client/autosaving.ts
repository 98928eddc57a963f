import { element } from "./elements.ts";
import { upload } from "./uploading.ts";

/** Quiet time before a draft is saved, in ms; with many bytes of files, which each save stores again, it is longer. */
const [DELAY_MS, DELAY_WITH_FILES_MS, MANY_BYTES] = [2_000, 20_000, 1_000_000];

/**
 * Saves the form that writes a message as a draft when it has changed, and uploads files when they are chosen or dropped on it. The response is the
 * same page, of which the id of the draft and the list of files are taken over. Leaving with unsaved text asks first.
 */
export function autosave(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-autosave]");
  const status = form?.querySelector("[data-save-status]");
  if (!form || !status) return;
  let timer = 0;
  let isChanged = false;
  let saving: Promise<void> | null = null;
  const say = (text: string, share?: number) => {
    status.textContent = text;
    if (share !== undefined) status.append(" ", element("progress", { value: share, ariaLabel: "Upload" }));
  };

  const save = async () => {
    isChanged = false;
    const fields = new FormData(form);
    fields.set("action", "autosave");
    const chosen = fileField(form);
    const hasFiles = (chosen?.files?.length ?? 0) > 0;
    say(hasFiles ? "Uploading…" : "Saving…");
    // Not `form.action`: that is the buttons of this name.
    const request = await upload(form.getAttribute("action") ?? "", fields, (progress, share) => {
      if (hasFiles) say(`${progress}…`, share);
    });
    const fresh = new DOMParser().parseFromString(request.responseText, "text/html");
    const draft = fresh.querySelector<HTMLInputElement>("form[data-autosave] [name=draft]")?.value ?? "";
    const refusal = fresh.querySelector(".notice.bad")?.textContent?.trim();
    if (request.status !== 200 || draft === "") {
      isChanged = true;
      if (hasFiles && chosen) chosen.value = "";
      const reason =
        request.status === 401 ? "Your session has ended: sign in in another tab." : "The service is out of reach.";
      return say(`Not saved. ${refusal ?? reason}`);
    }
    takeOver(form, fresh, draft);
    if (hasFiles && chosen) chosen.value = "";
    say(fresh.querySelector("[data-save-status]")?.textContent || "Draft saved.");
  };
  const start = () => {
    clearTimeout(timer);
    saving ??= save().finally(() => {
      saving = null;
      if (isChanged) schedule();
    });
  };
  const schedule = () => {
    isChanged = true;
    clearTimeout(timer);
    timer = setTimeout(start, bytesOf(form) > MANY_BYTES ? DELAY_WITH_FILES_MS : DELAY_MS);
  };

  form.addEventListener("input", (event) => {
    if (event.target !== fileField(form)) schedule();
  });
  form.addEventListener("change", (event) => {
    if (event.target !== fileField(form)) return;
    if (chosenBytes(form) + bytesOf(form) <= Number(fileField(form)?.dataset.max ?? 0))
      return saving ? schedule() : start();
    say("Not attached: the files are larger than 24 MiB together.");
    const field = fileField(form);
    if (field) field.value = "";
  });
  form.addEventListener("click", (event) => {
    const button = (event.target as Element).closest("#files button");
    if (!button) return;
    event.preventDefault();
    button.closest("li")?.remove();
    fileField(form)?.focus();
    schedule();
  });
  takeDrops(form);
  let isSubmitted = false;
  form.addEventListener("submit", async (event) => {
    clearTimeout(timer);
    isSubmitted = true;
    if (!saving) return;
    // The draft gets a new id when it is saved, which the form must have.
    event.preventDefault();
    const button = event.submitter as HTMLButtonElement | null;
    await saving;
    clearTimeout(timer);
    form.requestSubmit(button);
  });
  window.addEventListener("beforeunload", (event) => {
    if (isChanged && !isSubmitted) event.preventDefault();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.querySelector<HTMLButtonElement>(`button[value=${event.shiftKey ? "now" : "send"}]`)?.click();
  });
}

/** Chooses the files that are dropped on a form. */
function takeDrops(form: HTMLFormElement): void {
  const mark = (isOver: boolean) => form.toggleAttribute("data-dropping", isOver);
  form.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    mark(true);
  });
  form.addEventListener("dragleave", () => mark(false));
  form.addEventListener("drop", (event) => {
    mark(false);
    const field = fileField(form);
    if (!field || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

const fileField = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>("input[type=file]");
const chosenBytes = (form: HTMLFormElement) =>
  [...(fileField(form)?.files ?? [])].reduce((sum, { size }) => sum + size, 0);
const bytesOf = (form: HTMLFormElement) => Number(form.querySelector<HTMLElement>("#files")?.dataset.bytes ?? 0);

function takeOver(form: HTMLFormElement, fresh: Document, draft: string): void {
  const field = form.querySelector<HTMLInputElement>("[name=draft]");
  if (field) field.value = draft;
  const files = fresh.getElementById("files");
  if (files) form.querySelector("#files")?.replaceWith(document.adoptNode(files));
  const url = new URL(location.href);
  // The page that a sent message leads back to stays the same when this one is loaded again.
  const back = form.querySelector<HTMLInputElement>("[name=back]")?.value ?? "";
  url.search = `?${new URLSearchParams({ draft, ...(back === "" ? {} : { back }) })}`;
  history.replaceState(null, "", url);
}
