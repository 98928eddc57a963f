import { previewStep, StepTestIn, testStep } from "../../../audience/automations/index.ts";
import { inputOf } from "../../../http/form-input.ts";
import { change, get } from "../../../http/page-actions.tsx";
import { Field, Form, Submit, TextArea, useCaller } from "../../../http/ui/index.ts";
import { tryOr } from "../../../lib/try-or.ts";
import { CONTACT } from "../contact-values.ts";
import { PreviewAs, respondPart } from "../preview-as.tsx";
import { readJson } from "./step-fields.ts";

const STEP = "/app/automations/:automation_id/steps/:step";
const TEST = "POST /v1/automations/:automation_id/test";

/** The pages that show the stored email of a step as a contact gets it, and that mail it as a test. */
export const emailPreviewRoutes = [
  get(`${STEP}/html`, "POST /v1/automations/:automation_id/dry-run", async (c) => {
    const { contact: address = "", data: json = "" } = c.req.query();
    const data = tryOr(() => JSON.parse(json) as Record<string, unknown>, {});
    const { automation_id, step } = c.req.param();
    return respondPart(c, await previewStep(c.get("caller"), automation_id, { step, address, data }));
  }),
  change(`${STEP}/test`, TEST, {
    read: inputOf(StepTestIn, { to: (form) => form.getAll("to"), data: readJson }),
    run: (caller, id: string, _step: string, input: StepTestIn) => testStep(caller, id, input),
    done: { tested: "The test is on its way." },
  }),
];

/** The stored email of a step, as a contact gets it after an event, and the form that mails it. `path`: of the page of the step. */
export const EmailPreview = ({ path, at, query }: { path: string; at: string; query: URLSearchParams }) => {
  const data = (
    <TextArea
      name="data"
      label="After an event with this data"
      required={false}
      code
      rows={2}
      value={query.get("data") ?? ""}
      hint={
        <>
          JSON, such as <code>{'{"order_id": 7}'}</code>.
        </>
      }
    />
  );
  return (
    <>
      <h2>As a person gets it</h2>
      <PreviewAs src={`${path}/html`} page={path} query={query}>
        {data}
      </PreviewAs>
      <Form
        class="filter"
        action={`${path}/test`}
        fields={{ step: at, [CONTACT]: query.get(CONTACT) ?? "", data: query.get("data") ?? "" }}
      >
        <Field name="to" label="Send a test to" type="email" value={useCaller().actor.email} />
        <Submit label="Send test" kind="quiet" />
      </Form>
    </>
  );
};
