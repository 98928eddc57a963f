const locale = navigator.languages.find((language) => /^en\b/.test(language)) ?? "en-GB";
const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
const clock = format({ hour: "2-digit", minute: "2-digit" });
const day = format({ day: "numeric", month: "short" });
const date = format({ day: "numeric", month: "short", year: "numeric" });
const full = format({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/**
 * Writes the times below an element in the zone of the viewer, with the text of the server, which is in UTC, as their title. In
 * a list (`data-short`) a time of today has no date, and one of this year no year. Safe to repeat.
 */
export function showLocalTimes(root: ParentNode, now = new Date()): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[datetime]:not([title])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = time.textContent ?? "";
    time.textContent = time.dataset.short === undefined ? full.format(at) : short(at, now);
  }
}

function short(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return (at.getFullYear() === now.getFullYear() ? day : date).format(at);
}
