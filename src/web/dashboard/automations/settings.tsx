import type { Context } from "hono";
import { Hono } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import {
  type AutomationOut,
  AutomationPatch,
  type Definition,
  type Entry,
  editAutomation,
} from "../../../audience/automations/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ErrorSummary, Field, Form, Layout, Select, VersionField } from "../../../http/ui/index.ts";
import { requireVersion, versionOf } from "../../../lib/form-version.ts";
import {
  CONDITION_FORM_BYTES,
  type ConditionChoices,
  ConditionFields,
  DefaultButton,
  type DraftGroup,
  parseDraft,
  readConditionChoices,
  readConditions,
  toDraft,
} from "../conditions/index.ts";
import { refusedAt } from "./refused-at.ts";
import { readAutomation } from "./step-routes.tsx";

const UPDATE = "PATCH /v1/automations/:automation_id";

/** Names of the fields with one text each. */
const TEXTS = [
  ...["name", "event", "mode", "period_days", "exit_events", "quiet_from", "quiet_to", "emails_per_day", "version"],
] as const;

/** The settings of an automation as its form has them. */
interface SettingsForm {
  values: Readonly<Record<string, string>>;
  filter: DraftGroup;
  exitWhen: DraftGroup;
}

/** The page that changes name, trigger and rules of entry. */
export const settingsPages = new Hono<AppEnv>()
  .get("/app/automations/:automation_id/settings", ...pageFor(UPDATE), (c) => show(c))
  .post("/app/automations/:automation_id/settings", ...pageFor(UPDATE), async (c) => {
    const fields = await readForm(c, CONDITION_FORM_BYTES);
    const values = Object.fromEntries(TEXTS.map((name) => [name, (fields.get(name) ?? "").trim()]));
    const [filter, exitWhen] = [readConditions(fields, "filter"), readConditions(fields, "exit_when")];
    const form: SettingsForm = { values, filter: filter.draft, exitWhen: exitWhen.draft };
    if (filter.isChanged || exitWhen.isChanged) return show(c, form);
    return submitForm(
      c,
      async () => {
        const conditions = {
          filter: parseDraft(form.filter, "filter"),
          exit_when: parseDraft(form.exitWhen, "exit_when"),
        };
        const { id } = await refusedAt(() => save(c, values, conditions), fieldOf);
        return `/app/automations/${id}?done=saved`;
      },
      (refusal) => show(c, form, refusal),
    );
  });

/** Returns the field of the page that an error of the API is about. */
function fieldOf([, field = "", inner]: readonly (string | number)[]): string {
  if (field !== "trigger" && field !== "entry") return field === "steps" ? "name" : String(field);
  return inner === "quiet_hours" ? "quiet_from" : String(inner ?? "mode");
}

type Conditions = Pick<Definition["trigger"], "filter"> & Pick<Entry, "exit_when">;

function save(c: Context<AppEnv>, values: SettingsForm["values"], conditions: Conditions) {
  const { name, event, version = "" } = values;
  const { filter } = conditions;
  const trigger = { event, ...(filter === undefined ? {} : { filter }) };
  const patch = parseFields(AutomationPatch, { name, trigger, entry: toEntry(values, conditions) });
  return editAutomation(c.get("caller"), c.req.param("automation_id") ?? "", (stored, _, storedName) => {
    const entered = { trigger: patch.trigger ?? stored.trigger, entry: patch.entry ?? stored.entry };
    requireVersion(version, shownOf(storedName, stored), shownOf(patch.name ?? storedName, entered));
    return patch;
  });
}

/** Returns the rules of entry of a form, which the schema checks. A field without a text is left out. */
function toEntry(values: SettingsForm["values"], { exit_when }: Conditions): Record<string, unknown> {
  const text = (field: string) => values[field] ?? "";
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

function formOf(automation: AutomationOut): SettingsForm {
  const { trigger, entry } = automation as unknown as Definition;
  const { mode, period_days, exit_events = [], quiet_hours, emails_per_day } = entry;
  return {
    values: {
      ...{ name: automation.name, event: trigger.event, mode, period_days: String(period_days ?? "") },
      ...{ exit_events: exit_events.join(", "), emails_per_day: String(emails_per_day ?? "") },
      ...{ quiet_from: quiet_hours?.from ?? "", quiet_to: quiet_hours?.to ?? "" },
      version: versionOf(shownOf(automation.name, { trigger, entry })),
    },
    filter: toDraft(trigger.filter),
    exitWhen: toDraft(entry.exit_when),
  };
}

async function show(c: Context<AppEnv>, submitted?: SettingsForm, refusal?: Refusal): Promise<Response> {
  const caller = c.get("caller");
  const [automation, choices] = await Promise.all([readAutomation(c), readConditionChoices(caller)]);
  const form = submitted ?? formOf(automation);
  const page = <SettingsPage {...{ caller, automation, choices, form, refusal }} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

interface SettingsProps {
  caller: CallerCtx;
  automation: AutomationOut;
  choices: ConditionChoices;
  form: SettingsForm;
  refusal?: Refusal | undefined;
}

const MODES = {
  once: "Once",
  once_per_period: "Once in a period",
  every: "With every event",
};

const SettingsPage = ({ caller, automation, choices, form, refusal }: SettingsProps) => {
  const errors = refusal?.errors;
  const field = (name: string, label: string, more: { hint?: string; required?: boolean; type?: "number" } = {}) => (
    <Field {...{ name, label, errors, required: false, value: form.values[name] ?? "", ...more }} maxlength={1_000} />
  );
  return (
    <Layout title="Settings of the automation" caller={caller} at="/app/automations">
      <Form class="form" action={`/app/automations/${automation.id}/settings`}>
        <DefaultButton />
        <ErrorSummary refusal={refusal} />
        <VersionField version={form.values.version ?? ""} refusal={refusal} />
        {field("name", "Name", { required: true })}
        {field("event", "Begins with the event", { required: true })}
        <ConditionFields
          {...{
            name: "filter",
            legend: "The event begins a run if",
            draft: form.filter,
            choices,
            errors,
            hasEvent: true,
          }}
          hint="Without a condition, every event of this name does."
        />
        <h2>Entry</h2>
        <Select
          {...{ name: "mode", label: "A person enters", errors, value: form.values.mode }}
          options={Object.entries(MODES).map(([value, label]) => ({ value, label }))}
        />
        {field("period_days", "Days of the period", { type: "number", hint: "For once in a period." })}
        {field("emails_per_day", "Emails to a person a day", {
          type: "number",
          hint: "At most, from all automations. Others wait until the next day.",
        })}
        {field("quiet_from", "Quiet hours from", {
          hint: "Such as 22:00, in the person's zone. Emails wait until they end.",
        })}
        {field("quiet_to", "Quiet hours to", { hint: "Such as 08:00." })}
        <ConditionFields
          {...{ name: "exit_when", legend: "A person leaves if", draft: form.exitWhen, choices, errors }}
          hint="Before the next step. Without a condition, a person leaves by an event below or at the end."
        />
        {field("exit_events", "Events by which a person leaves", { hint: "Names with commas, such as order.paid." })}
        <button type="submit">Save</button>
      </Form>
    </Layout>
  );
};
