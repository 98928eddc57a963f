import type { BroadcastOut, BroadcastPreview, VariantOut } from "../../../audience/broadcasts/index.ts";
import { ButtonLink, ErrorSummary, Field, Form, Select, Submit, useCaller } from "../../../http/ui/index.ts";
import { CONTACT } from "../contact-values.ts";
import { PreviewAs } from "../preview-as.tsx";
import { StepPage, type StepProps } from "./step-page.tsx";
import { pathOfStep, type Step } from "./steps.ts";

interface TestStepProps extends StepProps, Omit<ContentFrameProps, "step" | "broadcast"> {}

/** The third step, which can be passed over: mails the broadcast to its author. */
export const TestStep = ({ broadcast, done, ...content }: TestStepProps) => (
  <StepPage step="test" broadcast={broadcast} done={done}>
    <div class="beside">
      <div>
        <ErrorSummary />
        <p>See it in your own mailbox before your readers do. A test counts for no result.</p>
        <TestForm broadcast={broadcast} preview={content.preview} query={content.query} />
        <div class="actions ends">
          <ButtonLink to={pathOfStep(broadcast.id, "content")} label="Back" kind="quiet" />
          <ButtonLink to={pathOfStep(broadcast.id, "review")} label="Continue" />
        </div>
      </div>
      <aside aria-label="Preview">
        <ContentFrame step="test" broadcast={broadcast} {...content} />
      </aside>
    </div>
  </StepPage>
);

interface ContentFrameProps {
  step: Step;
  broadcast: BroadcastOut;
  variants: readonly VariantOut[];
  preview: BroadcastPreview;
  /** Fields of the preview: contact, variant and part. */
  query: URLSearchParams;
}

/** The stored content of a broadcast, as a contact gets it. */
export const ContentFrame = ({ step, broadcast, variants, preview, query }: ContentFrameProps) => (
  <PreviewAs
    src={`/app/broadcasts/${broadcast.id}/html`}
    page={pathOfStep(broadcast.id, step)}
    query={query}
    shown={preview.contact?.email ?? null}
  >
    {variants.length < 2 ? null : (
      <Select
        name="variant_id"
        label="Variant"
        options={variants.map(({ id, label }) => ({ value: id, label }))}
        value={query.get("variant_id") ?? ""}
      />
    )}
  </PreviewAs>
);

/** The form that mails a broadcast to an address as the preview shows it: a variant, with the values of a contact. */
const TestForm = ({ broadcast, preview, query }: Pick<ContentFrameProps, "broadcast" | "preview" | "query">) => (
  <Form
    class="filter"
    action={pathOfStep(broadcast.id, "test")}
    fields={{ variant_id: query.get("variant_id") ?? "", [CONTACT]: preview.contact?.email ?? "" }}
  >
    <Field
      name="to"
      label="Send a test to"
      type="email"
      value={useCaller().actor.email}
      hint="The email that the preview shows."
    />
    <Submit label="Send test" kind="quiet" />
  </Form>
);
