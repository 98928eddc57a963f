import { addCopyButtons } from "./copying.ts";
import { formPageOf } from "./elements.ts";
import { refreshTimes, showLocalTimes } from "./times.ts";

/** How often a page with `data-poll` is read again while it is visible, in ms. */
const POLL_MS = 5_000;

/** When the read began that is shown, in ms since the page began. */
let shown = 0;

/**
 * Reads the page again and replaces what has changed in its elements with `data-live`. Rows are told apart by their ids, so
 * scroll position, focus and checked boxes stay. With `data-live="rows"` rows only come and go. A response that arrives after that of
 * a later read is dropped, since it would take back what is shown. Returns whether the page could be read: not after the session has
 * ended, and not after another tab has switched to another workspace.
 */
export async function refreshPage(): Promise<boolean> {
  const at = performance.now();
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!response?.ok || response.redirected) return false;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  // Another tab has switched: the page is that of another workspace than its header and its forms.
  if (workspaceOf(fresh) !== workspaceOf(document)) return false;
  if (at < shown) return true;
  shown = at;
  // Both at the same time, so that rows whose times are only older stay.
  showLocalTimes(fresh);
  refreshTimes(document);
  for (const element of document.querySelectorAll("[data-live][id]")) {
    const replacement = fresh.getElementById(element.id);
    if (replacement) update(element, replacement);
  }
  document.title = fresh.title;
  document.dispatchEvent(new Event("refreshed"));
  return true;
}

const workspaceOf = (page: Document) => formPageOf(page).split(" ")[0];

let isPolling = false;

/** Polls for as long as the page is open, when it asks for that. */
export function pollPage(): void {
  if (isPolling || !document.querySelector("[data-poll]")) return;
  isPolling = true;
  setInterval(() => {
    // Nothing is left to poll once the page shows an end state.
    if (!document.hidden && document.querySelector("[data-poll]")) void refreshPage();
  }, POLL_MS);
}

function update(old: Element, fresh: Element): void {
  const rows = [...fresh.children];
  if (old.tagName !== fresh.tagName || !hasIds(rows) || !hasIds([...old.children])) {
    keepKeys(old, fresh);
    if (!old.isEqualNode(fresh)) replace(old, fresh);
    return;
  }
  const known = new Map([...old.children].map((row) => [row.id, row]));
  for (const [index, row] of rows.entries()) {
    const same = known.get(row.id);
    known.delete(row.id);
    const at = old.children[index] ?? null;
    if (!same) old.insertBefore(document.adoptNode(row), at);
    else {
      if (same !== at) old.insertBefore(same, at);
      if (old instanceof HTMLElement && old.dataset.live !== "rows") update(same, row);
    }
  }
  for (const row of known.values()) row.remove();
}

/** Each form keeps its Idempotency-Key, which is another one in each response. */
function keepKeys(old: Element, fresh: Element): void {
  for (const field of fresh.querySelectorAll<HTMLInputElement>("form[action] [name=idempotency_key]")) {
    const action = CSS.escape(field.form?.getAttribute("action") ?? "");
    const kept = old.querySelector(`form[action="${action}"] [name=idempotency_key]`);
    if (kept) field.setAttribute("value", kept.getAttribute("value") ?? "");
  }
}

const hasIds = (rows: readonly Element[]) => rows.length > 0 && rows.every(({ id }) => id);

const keyOf = (field: Element) =>
  field instanceof HTMLAnchorElement
    ? field.getAttribute("href")
    : `${field.tagName} ${field.getAttribute("value")} ${field.getAttribute("aria-label") ?? field.textContent}`;

function replace(old: Element, fresh: Element): void {
  const checked = [...old.querySelectorAll<HTMLInputElement>("input:checked")].map(keyOf);
  const focused = document.activeElement && old.contains(document.activeElement) ? keyOf(document.activeElement) : null;
  const adopted = document.adoptNode(fresh);
  old.replaceWith(adopted);
  for (const field of adopted.querySelectorAll<HTMLElement>("a, button, input")) {
    if (field instanceof HTMLInputElement && checked.includes(keyOf(field))) field.checked = true;
    if (focused !== null && keyOf(field) === focused) field.focus({ preventScroll: true });
  }
  addCopyButtons(adopted);
}
