import { formPageOf } from "./elements.ts";
import { refreshPage } from "./refreshing.ts";

/** Waits between two checks, in ms; the last one repeats. An hour has 70 of the 120 checks that a workspace may make. */
const WAITS_MS = [5_000, 5_000, 10_000, 10_000, 10_000, 10_000, 30_000, 60_000];

/** Runs the check of `data-check` while the page is visible, and shows its result, until the page no longer asks for it. */
export function watchRecords(): void {
  if (!document.querySelector("[data-check]")) return;
  void (async () => {
    for (let checks = 0; ; checks++) {
      const wait = WAITS_MS[Math.min(checks, WAITS_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait));
      const path = document.querySelector<HTMLElement>("[data-check]")?.dataset.check;
      if (path === undefined) return;
      if (document.hidden) continue;
      const body = new URLSearchParams({ form_page: formPageOf(document) });
      await fetch(path, { method: "POST", body, redirect: "manual" }).catch(() => null);
      if (!(await refreshPage())) return;
    }
  })();
}
