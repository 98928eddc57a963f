import { refreshPage } from "./refreshing.ts";

/** How long after the time the page is read again, in ms. */
const REFRESH_AFTER_MS = 2_000;

/** Shows how many seconds are left until each time with `data-countdown`, and reads the page again when it has come. */
export function countDown(): void {
  let next: number | null = null;
  const show = () => {
    const ends: number[] = [];
    for (const place of document.querySelectorAll<HTMLElement>("[data-countdown]")) {
      const left = Date.parse(place.dataset.countdown ?? "") - Date.now();
      if (left > 0) ends.push(left);
      place.textContent = left > 3_600_000 || Number.isNaN(left) ? "" : left > 0 ? toText(left) : "It leaves now.";
    }
    const soonest = ends.length > 0 ? Math.min(...ends) : null;
    if (next !== null && (soonest === null || soonest > next)) setTimeout(() => void refreshPage(), REFRESH_AFTER_MS);
    next = soonest;
  };
  if (!document.querySelector("[data-countdown]")) return;
  show();
  setInterval(show, 1_000);
}

const toText = (left: number) =>
  left >= 120_000 ? `${Math.round(left / 60_000)} minutes left` : `${Math.ceil(left / 1_000)} seconds left`;
