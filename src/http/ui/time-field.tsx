import { toLocalMinute } from "../../lib/local-time.ts";
import { Field, GivenValues } from "./form.tsx";
import { useViewer } from "./viewer.tsx";

interface TimeFieldProps {
  name: string;
  label: string;
  /** Says how an empty field is read. */
  hint: string;
  /** In ISO 8601. Empty, or a text that is no time: the field is empty. */
  at: string;
  /** Default: that of the viewer. */
  zone?: string | undefined;
}

/** An optional time in a zone. The form names the zone, which `readTime` reads with the field. */
export const TimeField = ({ name, label, hint, at, zone = useViewer().zone }: TimeFieldProps) => (
  <>
    <ZoneOf name={name} zone={zone} />
    {/* `at` is what was filled in, also when the zone of the viewer has changed since. */}
    <GivenValues>
      <Field
        name={name}
        label={label}
        type="datetime-local"
        required={false}
        hint={`${inZone(zone)}. ${hint}`}
        value={toFieldValue(at, zone)}
      />
    </GivenValues>
  </>
);

/** The same in a row of a list: required, and its label is for screen readers. */
export function ShortTimeField({ name, label, at }: Pick<TimeFieldProps, "name" | "label" | "at">) {
  const { zone } = useViewer();
  return (
    <>
      <ZoneOf name={name} zone={zone} />
      <label>
        <span class="hidden">{`${label}. ${inZone(zone)}`}</span>
        <input
          class="short"
          type="datetime-local"
          name={name}
          required
          title={inZone(zone)}
          value={toFieldValue(at, zone)}
        />
      </label>
    </>
  );
}

const ZoneOf = ({ name, zone }: { name: string; zone: string }) => (
  <input type="hidden" name={`${name}_zone`} value={zone} />
);

const inZone = (zone: string) => (zone === "UTC" ? "In UTC" : `In the time of ${zone}`);

function toFieldValue(at: string, zone: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : toLocalMinute(time, zone);
}
