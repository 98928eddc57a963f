import { type Definition, DryRunIn, type DryRunOut, dryRun, stepNumber } from "../../../audience/automations/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { change, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, Field, Form, TextArea, Time } from "../../../http/ui/index.ts";
import type { Names } from "../conditions/index.ts";
import { namesOf } from "./choices.ts";
import { PersonPath } from "./person-path.tsx";
import { parseJson } from "./step-fields.ts";
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

function readJson(form: URLSearchParams, name: string) {
  return parseJson(form.get(name) ?? "");
}

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
          hint={'JSON, such as {"plan": "gold"}.'}
        />
        <TextArea
          name="events"
          label="Events that come meanwhile"
          required={false}
          code
          hint={'JSON, such as [{"name": "order.paid", "at": "2030-01-01T09:00:00Z"}].'}
        />
        <button type="submit">Try it</button>
      </Form>
      {result ? <Result of={result} definition={automation as unknown as Definition} names={namesOf(choices)} /> : null}
    </AppLayout>,
  );
}

interface ResultProps {
  of: DryRunOut;
  definition: Definition;
  names: Names;
}

const Result = ({ of: { enters, history, emails, ends_at }, definition, names }: ResultProps) =>
  enters ? (
    <PersonPath definition={definition} names={names} history={history} title="Path" column="What would happen">
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
    </PersonPath>
  ) : (
    <p>The person does not enter: the filter of the trigger does not hold.</p>
  );
