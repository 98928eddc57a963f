import { formatShortTime, formatTime } from "../src/lib/local-time.ts";

const YEAR_SECONDS = 31_536_000;

/**
 * Shows the times of a page in the zone of the browser when the server has used another one (`data-zone`), and tells the server
 * the zone by the cookie `tz`, so that it uses it from then on. A page without `data-zone` has the zone that the user has chosen.
 */
export function showLocalTimes(page: Document, now = new Date()): void {
  const used = page.documentElement.dataset.zone;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (used === undefined || used === zone) return;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all supported browsers.
  document.cookie = `tz=${zone}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  for (const time of page.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    time.textContent = time.dataset.short === undefined ? formatTime(at, zone) : formatShortTime(at, zone, now);
  }
}
