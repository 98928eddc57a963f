import { formatWhole, type TimeForm, textOfTime } from "../../lib/local-time.ts";
import { useViewer } from "./viewer.tsx";

/**
 * A time, in ms since 1970 or ISO 8601, as the viewer reads it; nothing for another text. Its title has the whole time, in the zone of the
 * viewer and in UTC. The script keeps relative times, such as "2 min ago", up to date.
 */
export function Time({ at, as = "relative" }: { at: number | string; as?: TimeForm }) {
  const { zone, now } = useViewer();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={formatWhole(date, zone)} data-as={as === "relative" ? undefined : as}>
      {textOfTime(as, date, zone, new Date(now))}
    </time>
  );
}
