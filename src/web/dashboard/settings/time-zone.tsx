import { Form, Select, Submit, Time, useCaller, useViewer } from "../../../http/ui/index.ts";
import { timeZones } from "../../../lib/local-time.ts";

/** Choice of a time zone, with the present time in the one that is in use. */
export function TimeZoneForm() {
  const { actor } = useCaller();
  const { zone, isAutomatic, now } = useViewer();
  const chosen = isAutomatic || actor.kind !== "session" ? "" : (actor.timeZone ?? "");
  return (
    <Form class="form" action="/app/settings/time-zone">
      <h2>Your time zone</h2>
      <p>
        It is <Time at={now} as="whole" /> in {zone}. Point at a time to see it in UTC.
      </p>
      <Select
        name="time_zone"
        label="Time zone"
        required={false}
        none={isAutomatic ? `Automatic: ${zone}` : "Automatic: that of the browser"}
        options={timeZones()}
        value={chosen}
      />
      <Submit label="Save time zone" kind="quiet" />
    </Form>
  );
}
