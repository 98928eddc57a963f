import type { Context } from "hono";
import { Hono } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import {
  type AutomationOut,
  DryRunIn,
  type DryRunOut,
  dryRun,
  stepNumber,
} from "../../../audience/automations/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, toRefusal } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { Field, Form, Layout, List, TextArea, Time } from "../../../http/ui/index.ts";
import { parseJson } from "./step-fields.ts";
import { readAutomation } from "./step-routes.tsx";

const DRY_RUN = "POST /v1/automations/:automation_id/dry-run";

interface DryRunForm {
  email: string;
  data: string;
  events: string;
}

interface Shown {
  form: DryRunForm;
  result?: DryRunOut;
  refusal?: Refusal;
}

/** The page that shows what an automation would do for one person. */
export const dryRunPages = new Hono<AppEnv>()
  .get("/app/automations/:automation_id/dry-run", ...pageFor(DRY_RUN), (c) =>
    show(c, { form: { email: "", data: "", events: "" } }),
  )
  .post("/app/automations/:automation_id/dry-run", ...pageFor(DRY_RUN), async (c) => {
    const fields = await readForm(c);
    const textOf = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
    const form: DryRunForm = { email: textOf("email").trim(), data: textOf("data"), events: textOf("events") };
    try {
      const values = { email: form.email, data: parseJson(form.data), events: parseJson(form.events) };
      const input = parseFields(DryRunIn, values);
      return await show(c, { form, result: await dryRun(c.get("caller"), c.req.param("automation_id"), input) });
    } catch (error) {
      return show(c, { form, refusal: toRefusal(error) });
    }
  });

async function show(c: Context<AppEnv>, shown: Shown): Promise<Response> {
  const caller = c.get("caller");
  const automation = await readAutomation(c);
  const page = <DryRunPage {...{ caller, automation, ...shown }} />;
  return respondPage(c, page, { status: shown.refusal?.status ?? 200 });
}

const DryRunPage = (props: Shown & { caller: CallerCtx; automation: AutomationOut }) => {
  const { caller, automation, form, result, refusal } = props;
  const path = `/app/automations/${automation.id}`;
  return (
    <Layout title="Try the automation" caller={caller} at="/app/automations">
      <p class="soft">
        What <a href={path}>{automation.name}</a> would do for one person. Nothing is sent or changed.
      </p>
      <Form class="form" action={`${path}/dry-run`} refusal={refusal}>
        <Field
          name="email"
          label="Address of a contact"
          value={form.email}
          errors={refusal?.errors}
          maxlength={1_000}
        />
        <TextArea
          {...{ name: "data", label: "Data of the event that begins the run", value: form.data }}
          {...{ required: false, code: true, errors: refusal?.errors }}
          hint={'JSON, such as {"plan": "gold"}.'}
        />
        <TextArea
          {...{ name: "events", label: "Events that come meanwhile", value: form.events }}
          {...{ required: false, code: true, errors: refusal?.errors }}
          hint={'JSON, such as [{"name": "order.paid", "at": "2030-01-01T09:00:00Z"}].'}
        />
        <button type="submit">Try it</button>
      </Form>
      {result ? <Result of={result} /> : null}
    </Layout>
  );
};

const Result = ({ of: { enters, history, emails, ends_at } }: { of: DryRunOut }) =>
  enters ? (
    <>
      <h2>Path</h2>
      <List
        caption="Path"
        columns={["Time", "Step", "What would happen"]}
        rows={history.map(({ at, step, text }) => [<Time at={at} />, step === null ? "" : stepNumber(step), text])}
      />
      <h2>Emails</h2>
      {emails.length === 0 ? <p class="soft">No email.</p> : null}
      <ul>
        {emails.map(({ at, step, subject }) => (
          <li>
            {subject ?? `The template of step ${stepNumber(step)}`}, <Time at={at} />
          </li>
        ))}
      </ul>
      {ends_at === null ? null : (
        <p>
          The run ends <Time at={ends_at} />.
        </p>
      )}
    </>
  ) : (
    <p>The person does not enter: the filter of the trigger does not hold.</p>
  );
