import { formatWhole, type TimeForm, textOfTime } from "../../lib/local-time.ts";
import { useViewer } from "./viewer.tsx";

interface TimeProps {
  /** In ms since 1970, or ISO 8601. Nothing is shown for another text. */
  at: number | string;
  /** Default `relative`, such as "2 min ago", which the script keeps up to date. */
  as?: TimeForm;
}

/** A time as the viewer reads it. Its title has the whole time, in the zone of the viewer and in UTC. */
export function Time({ at, as = "relative" }: TimeProps) {
  const { zone, now } = useViewer();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={formatWhole(date, zone)} data-as={as === "relative" ? undefined : as}>
      {textOfTime(as, date, zone, new Date(now))}
    </time>
  );
}
