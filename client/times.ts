import { formatAgo, formatWhole, type TimeForm, textOfTime } from "../src/lib/local-time.ts";

const YEAR_SECONDS = 31_536_000;
/** How often the times that say how long ago they were are shown again, in ms. */
const REFRESH_MS = 30_000;

/** The clock of the server, since that of the device may be wrong: the time of the response, and how long ago that was. */
const servedAt = Number(document.body.dataset.now ?? Date.now()) - performance.now();
const now = () => new Date(servedAt + performance.now());

/**
 * Shows the times of a page in the zone of the browser when the server has used another one (`data-zone`), and tells the server
 * the zone by the cookie `tz`, so that it uses it from then on. A page without `data-zone` has the zone that the user has chosen.
 */
export function showLocalTimes(page: Document): void {
  const used = page.documentElement.dataset.zone;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (used === undefined || used === zone) {
    refreshTimes(page);
    return;
  }
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all supported browsers.
  document.cookie = `tz=${zone}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  for (const time of page.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    time.textContent = textOfTime((time.dataset.as ?? "relative") as TimeForm, at, zone, now());
    time.title = formatWhole(at, zone);
  }
}

/** Keeps the times of this page that say how long ago they were up to date. */
export function keepTimes(): void {
  setInterval(() => {
    if (!document.hidden) refreshTimes(document);
  }, REFRESH_MS);
}

/** Shows how long ago each time of a page was that says so. */
export function refreshTimes(page: Document): void {
  for (const time of page.querySelectorAll<HTMLTimeElement>("time:not([data-as])")) {
    const text = formatAgo(new Date(time.dateTime), now());
    if (text !== null && text !== time.textContent) time.textContent = text;
  }
}
