import { toLocalMinute } from "../lib/local-time.ts";
import { type Faults, Field } from "./form.tsx";
import { useViewer } from "./viewer.tsx";

interface TimeFieldProps {
  name: string;
  label: string;
  /** What an empty field means. */
  hint: string;
  /** In ISO 8601. Empty, or a text that is no time: the field is empty. */
  at: string;
  faults?: Faults | undefined;
}

/** An optional time in the zone of the viewer. The form names the zone, which `readTime` reads with the field. */
export function TimeField({ name, label, hint, at, faults }: TimeFieldProps) {
  const { zone } = useViewer();
  return (
    <>
      <input type="hidden" name={`${name}_zone`} value={zone} />
      <Field
        {...{ name, label, faults }}
        type="datetime-local"
        required={false}
        hint={`${zone === "UTC" ? "In UTC" : `In the time of ${zone}`}. ${hint}`}
        value={toFieldValue(at, zone)}
      />
    </>
  );
}

/** Returns the value of a field for date and time; empty for a text that is no time. */
export function toFieldValue(at: string, zone: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : toLocalMinute(time, zone);
}
