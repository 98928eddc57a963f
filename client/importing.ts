import type { CsvPreview } from "../src/lib/csv/preview.ts";
import { element } from "./elements.ts";
import { pollPage, refreshPage } from "./refreshing.ts";
import { upload } from "./uploading.ts";

/** How often the number of contacts is read again while a file is imported, in ms. */
const REFRESH_MS = 5_000;

/** Shows the first rows of a CSV file that is chosen for an import, and the progress of each import. */
export function prepareImports(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-import]");
  const field = form?.querySelector<HTMLInputElement>("input[type=file]");
  if (!form || !field) return;
  field.addEventListener("change", () => void showFirstRows(form, field));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(form);
  });
  if (field.files?.length) void showFirstRows(form, field);
}

async function showFirstRows(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  const place = form.querySelector<HTMLElement>("[data-rows]");
  const file = field.files?.[0];
  place?.replaceChildren();
  if (!place || !file) return;
  const reader = await loadReader(place.dataset.rows ?? "");
  if (!reader) return;
  const { PREVIEW_BYTES, previewFile } = reader;
  const start = await file.slice(0, PREVIEW_BYTES).arrayBuffer();
  // Another file was chosen meanwhile.
  if (field.files?.[0] !== file) return;
  const isTooLarge = file.size > Number(field.dataset.max);
  const preview = isTooLarge
    ? { issue: "The file is larger than 24 MiB" }
    : previewFile(new Uint8Array(start), file.size <= PREVIEW_BYTES);
  place.replaceChildren(...("issue" in preview ? [issueNotice(preview.issue)] : tableOf(preview)));
}

/** Loads the reader of first rows, which only the pages of imports need. Without it they show none. */
const loadReader = (script: string): Promise<typeof import("../src/lib/csv/preview.ts") | null> =>
  import(script).catch(() => null);

function issueNotice(issue: string): HTMLElement {
  const notice = element("p", { className: "notice bad", textContent: `${issue}.` });
  notice.setAttribute("role", "alert");
  return notice;
}

function tableOf({ columns, rows }: CsvPreview): HTMLElement[] {
  const cells = (name: "td" | "th", texts: readonly string[]) =>
    texts.map((textContent) => element(name, { textContent, ...(name === "th" ? { scope: "col" } : {}) }));
  const head = element("thead", {}, element("tr", {}, ...cells("th", ["Row", ...columns])));
  const body = element("tbody");
  for (const { row, values } of rows) {
    const refused = element("td", { colSpan: columns.length, textContent: "Is not valid CSV and will be refused." });
    body.append(element("tr", {}, ...cells("td", [String(row)]), ...(values ? cells("td", values) : [refused])));
  }
  const table = element("section", { className: "table", tabIndex: 0 }, element("table", {}, head, body));
  table.setAttribute("aria-label", "First rows of the file");
  const text = rows.length === 0 ? "The first row is too long to be shown." : "These are the first rows of the file:";
  return [element("p", { textContent: text }), ...(rows.length === 0 ? [] : [table])];
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
