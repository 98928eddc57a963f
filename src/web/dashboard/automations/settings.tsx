import {
  type AutomationOut,
  AutomationPatch,
  type Definition,
  type Entry,
  editAutomation,
} from "../../../audience/automations/index.ts";
import type { Condition } from "../../../audience/conditions/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { page, post } from "../../../http/page-actions.tsx";
import { parseFields, refusedAt, submitForm } from "../../../http/page-routes.ts";
import { AppLayout, Field, Form, Select, VersionField } from "../../../http/ui/index.ts";
import { requireVersion, versionOf } from "../../../lib/form-version.ts";
import {
  CONDITION_FORM_BYTES,
  type ConditionChoices,
  ConditionFields,
  DefaultButton,
  type DraftGroup,
  KnownNames,
  parseDraft,
  readConditionChoices,
  readConditions,
  toDraft,
} from "../conditions/index.ts";
import { readAutomation } from "./step-routes.tsx";

const UPDATE = "PATCH /v1/automations/:automation_id";

/** The page that changes name, trigger and rules of entry. */
export const settingsRoutes = [
  page("/app/automations/:automation_id/settings", UPDATE, show),
  post("/app/automations/:automation_id/settings", UPDATE, (c) =>
    submitForm(c, { show, maxBytes: CONDITION_FORM_BYTES }, async (fields) => {
      const [filter, exitWhen] = [readConditions(fields, "filter"), readConditions(fields, "exit_when")];
      if (filter.isChanged || exitWhen.isChanged) return show(c);
      const conditions = {
        filter: parseDraft(filter.draft, "filter"),
        exit_when: parseDraft(exitWhen.draft, "exit_when"),
      };
      const { id } = await refusedAt(() => save(c, fields, conditions), fieldOf);
      return `/app/automations/${id}?done=saved`;
    }),
  ),
];

function fieldOf([, field = "", inner]: readonly (string | number)[]): string {
  if (field !== "trigger" && field !== "entry") return field === "steps" ? "name" : String(field);
  return inner === "quiet_hours" ? "quiet_from" : String(inner ?? "mode");
}

type Conditions = Pick<Definition["trigger"], "filter"> & Pick<Entry, "exit_when">;

function save(c: AppContext, fields: URLSearchParams, conditions: Conditions) {
  const text = (field: string) => (fields.get(field) ?? "").trim();
  const { filter } = conditions;
  const trigger = { event: text("event"), ...(filter === undefined ? {} : { filter }) };
  const patch = parseFields(AutomationPatch, { name: text("name"), trigger, entry: toEntry(text, conditions) });
  return editAutomation(c.get("caller"), c.req.param("automation_id") ?? "", (stored, _, storedName) => {
    const entered = { trigger: patch.trigger ?? stored.trigger, entry: patch.entry ?? stored.entry };
    requireVersion(text("version"), shownOf(storedName, stored), shownOf(patch.name ?? storedName, entered));
    return patch;
  });
}

/** Returns the rules of entry of a form, which the schema checks. A field without a text is left out. */
function toEntry(text: (field: string) => string, { exit_when }: Conditions): Record<string, unknown> {
  const number = (field: string) => (text(field) === "" ? {} : { [field]: Number(text(field)) });
  const events = text("exit_events")
    .split(/[\s,]+/)
    .filter((event) => event !== "");
  const hasHours = text("quiet_from") !== "" || text("quiet_to") !== "";
  return {
    mode: text("mode"),
    ...(text("mode") === "once_per_period" ? number("period_days") : {}),
    ...(exit_when === undefined ? {} : { exit_when }),
    ...(events.length === 0 ? {} : { exit_events: events }),
    ...(hasHours ? { quiet_hours: { from: text("quiet_from"), to: text("quiet_to") } } : {}),
    ...number("emails_per_day"),
  };
}

/** Values of the settings by label, for the version of the form. */
const shownOf = (name: string, { trigger, entry }: Pick<Definition, "trigger" | "entry">) => ({
  Name: name,
  "Begins with": JSON.stringify(trigger),
  "Rules of entry": JSON.stringify(entry),
});

async function show(c: AppContext): Promise<Response> {
  const [automation, choices] = await Promise.all([readAutomation(c), readConditionChoices(c.get("caller"))]);
  const { trigger, entry } = automation as unknown as Definition;
  const form = c.get("form");
  const draftOf = (name: string, stored: Condition | undefined) =>
    form ? readConditions(form, name).draft : toDraft(stored);
  const shown = (
    <SettingsPage
      automation={automation}
      choices={choices}
      filter={draftOf("filter", trigger.filter)}
      exitWhen={draftOf("exit_when", entry.exit_when)}
    />
  );
  return respondPage(c, shown);
}

interface SettingsProps {
  automation: AutomationOut;
  choices: ConditionChoices;
  filter: DraftGroup;
  exitWhen: DraftGroup;
}

const MODES = { once: "Once", once_per_period: "Once in a period", every: "At every event" };

const SettingsPage = ({ automation, choices, filter, exitWhen }: SettingsProps) => {
  const { trigger, entry } = automation as unknown as Definition;
  return (
    <AppLayout title="Settings of the automation">
      <Form class="form" action={`/app/automations/${automation.id}/settings`}>
        <DefaultButton />
        <VersionField version={versionOf(shownOf(automation.name, { trigger, entry }))} />
        <Field name="name" label="Name" value={automation.name} maxlength={1_000} />
        <KnownNames of={choices.known} />
        <Field name="event" label="Begins with the event" list="known-events" value={trigger.event} maxlength={1_000} />
        <ConditionFields
          name="filter"
          legend="The event begins a run if"
          draft={filter}
          choices={choices}
          hasEvent
          hint="Without a condition, every event of this name does."
        />
        <h2>Entry</h2>
        <Select name="mode" label="A person enters" value={entry.mode} options={MODES} />
        <EntryField
          name="period_days"
          label="Days of the period"
          type="number"
          hint="For once in a period."
          value={entry.period_days}
        />
        <EntryField
          name="emails_per_day"
          label="Emails to a person a day"
          type="number"
          hint="At most, from all automations. Others wait until the next day."
          value={entry.emails_per_day}
        />
        <EntryField
          name="quiet_from"
          label="Quiet hours from"
          hint="Such as 22:00, in the person's zone. Emails wait until they end."
          value={entry.quiet_hours?.from}
        />
        <EntryField name="quiet_to" label="Quiet hours to" hint="Such as 08:00." value={entry.quiet_hours?.to} />
        <ConditionFields
          name="exit_when"
          legend="A person leaves if"
          draft={exitWhen}
          choices={choices}
          hint="Before the next step. Without a condition, a person leaves by an event below or at the end."
        />
        <EntryField
          name="exit_events"
          label="Events by which a person leaves"
          hint="Names with commas, such as order.paid."
          value={entry.exit_events?.join(", ")}
        />
        <button type="submit">Save</button>
      </Form>
    </AppLayout>
  );
};

const EntryField = ({ value, ...field }: Omit<Parameters<typeof Field>[0], "value"> & { value: unknown }) => (
  <Field {...field} required={false} value={String(value ?? "")} maxlength={1_000} />
);
