import { element } from "./elements.ts";
import { pollPage, refreshPage } from "./refreshing.ts";
import { upload } from "./uploading.ts";

/** How often the number of contacts is read again while a file is imported, in ms. */
const REFRESH_MS = 5_000;

/** Shows the columns of a CSV file that is chosen for an import, and the progress of each import. */
export function prepareImports(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-import]");
  const field = form?.querySelector<HTMLInputElement>("input[type=file]");
  if (!form || !field) return;
  field.addEventListener("change", () => void showColumns(form, field));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(form);
  });
  if (field.files?.length) void showColumns(form, field);
}

/** Bytes of the start of a file, in which its columns and first rows are, and one more if it has further ones. */
const START_BYTES = 262_145;

/** Sends the start of the file that was chosen, and shows what the page of the response says about its columns. */
async function showColumns(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  const place = form.querySelector<HTMLElement>("[data-rows]");
  const file = field.files?.[0];
  place?.replaceChildren();
  if (!place || !file) return;
  if (file.size > Number(field.dataset.max))
    return place.replaceChildren(issueNotice("The file is larger than 24 MiB"));
  const fields = new FormData(form);
  fields.set(field.name, file.slice(0, START_BYTES), file.name);
  const response = await fetch(place.dataset.rows ?? "", { method: "POST", body: fields }).catch(() => null);
  // Another file was chosen meanwhile.
  if (!response || field.files?.[0] !== file) return;
  if (response.redirected) return location.assign(response.url);
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const shown = fresh.querySelector(response.ok ? "[data-rows]" : ".notice.bad");
  place.replaceChildren(...(response.ok ? (shown?.childNodes ?? []) : shown ? [shown] : []));
}

function issueNotice(issue: string): HTMLElement {
  const notice = element("p", { className: "notice bad", textContent: `${issue}.` });
  notice.setAttribute("role", "alert");
  return notice;
}

/** Submits the form and shows how much of it has arrived. Of the response, the page takes over its main element. */
async function submit(form: HTMLFormElement): Promise<void> {
  const status = form.querySelector("[data-status]");
  const button = form.querySelector("button");
  const bar = element("progress", { max: 1, value: 0 });
  bar.setAttribute("aria-label", "Progress");
  const text = element("p", { textContent: "Uploading" });
  const show = (...shown: Node[]) => status?.replaceChildren(...shown);
  show(text, bar);
  if (button) button.disabled = true;
  let timer = 0;
  const request = await upload(form.action, new FormData(form), (progress, share) => {
    if (share < 1) {
      text.textContent = progress;
      bar.value = share;
      return;
    }
    text.textContent = form.dataset.import ?? "";
    bar.removeAttribute("value");
    timer ||= setInterval(() => void refreshPage(), REFRESH_MS);
  });
  clearInterval(timer);
  if (button) button.disabled = false;
  if (request.status === 0)
    return show(issueNotice("The connection broke. Import the file again: what is there already is skipped"));
  if (new URL(request.responseURL).pathname !== new URL(form.action).pathname)
    return location.assign(request.responseURL);
  takeOver(new DOMParser().parseFromString(request.responseText, "text/html"));
}

function takeOver(fresh: Document): void {
  const main = fresh.querySelector("main");
  if (!main) return;
  document.querySelector("main")?.replaceWith(document.adoptNode(main));
  document.title = fresh.title;
  const response = main.querySelector<HTMLElement>(".notice");
  if (response) response.tabIndex = -1;
  response?.focus();
  prepareImports();
  pollPage();
}
