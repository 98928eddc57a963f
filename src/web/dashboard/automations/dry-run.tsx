import { type Definition, DryRunIn, type DryRunOut, dryRun } from "../../../audience/automations/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { change, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, Field, Form, TextArea, Time } from "../../../http/ui/index.ts";
import { namesOf } from "./choices.ts";
import { type PersonFlow, PersonPath } from "./person-path.tsx";
import { readJson } from "./step-fields.ts";
import { readAll } from "./step-routes.tsx";

const DRY_RUN = "POST /v1/automations/:automation_id/dry-run";

/** The page that shows what an automation would do for one person. */
export const dryRunPages = pagesOf(
  "automation",
  page("/app/automations/:automation_id/dry-run", DRY_RUN, (c) => show(c)),
  change("/app/automations/:automation_id/dry-run", DRY_RUN, {
    read: inputOf(DryRunIn, { data: readJson, events: readJson }),
    run: dryRun,
    to: (result, c) => show(c, result),
  }),
);

async function show(c: AppContext, result?: DryRunOut): Promise<Response> {
  const { automation, choices } = await readAll(c);
  const { id, name } = automation;
  const path = `/app/automations/${id}`;
  return respondPage(
    c,
    <AppLayout title="Try the automation">
      <p class="soft">
        What <a href={path}>{name}</a> would do for one person. Nothing is sent or changed.
      </p>
      <Form class="form" action={`${path}/dry-run`}>
        <Field name="email" label="Address of a contact" maxlength={1_000} />
        <TextArea
          name="data"
          label="Data of the event that begins the run"
          required={false}
          code
          hint={
            <>
              JSON, such as <code>{'{"plan": "gold"}'}</code>.
            </>
          }
        />
        <TextArea
          name="events"
          label="Events that come meanwhile"
          required={false}
          code
          hint={
            <>
              JSON, such as <code>{'[{"name": "order.paid", "at": "2030-01-01T09:00:00Z"}]'}</code>.
            </>
          }
        />
        <button type="submit">Try it</button>
      </Form>
      {result ? <Result of={result} definition={automation as unknown as Definition} names={namesOf(choices)} /> : null}
    </AppLayout>,
  );
}

const Result = ({ of: { enters, history, ends_at: end }, ...flow }: { of: DryRunOut } & PersonFlow) =>
  enters ? (
    <>
      <h2>Path</h2>
      {end === null ? null : (
        <p>
          The run ends <Time at={end} />.
        </p>
      )}
      <PersonPath {...flow} history={history} title="What would happen" />
    </>
  ) : (
    <p>The person does not enter: the filter of the trigger does not hold.</p>
  );
