import { Share } from "./charts.tsx";
import { useViewer } from "./viewer.tsx";

/** How much of a window of time has passed as a bar, and what is left of it in words. `until` and `of`: its end and length, in ms. */
export function TimeLeft({ until, of, what }: { until: number; of: number; what: string }) {
  const { now } = useViewer();
  const left = Math.max(0, until - now);
  return <Share of={1 - left / of} text={`${waitOf(left / 1_000)} left ${what}`} />;
}

/** Returns a wait in words: its largest unit, rounded down. */
export function waitOf(seconds: number): string {
  const units: [number, string][] = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
  ];
  for (const [size, name] of units) {
    const count = Math.floor(seconds / size);
    if (count > 0) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "less than a minute";
}
