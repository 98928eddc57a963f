import type { BroadcastOut, VariantOut } from "../../../audience/broadcasts/index.ts";
import {
  ButtonLink,
  ErrorSummary,
  Field,
  Form,
  PreviewFrame,
  Select,
  Submit,
  useCaller,
} from "../../../http/ui/index.ts";
import { StepPage, type StepProps } from "./step-page.tsx";
import { pathOfStep } from "./steps.ts";

interface TestStepProps extends StepProps {
  variants: readonly VariantOut[];
}

/** The third step, which can be passed over: mails the broadcast to its author. */
export const TestStep = ({ broadcast, variants, done }: TestStepProps) => (
  <StepPage step="test" broadcast={broadcast} done={done}>
    <div class="beside">
      <div>
        <ErrorSummary />
        <p>See it in your own mailbox before your readers do. A test counts for no result.</p>
        <TestForm broadcast={broadcast} variants={variants} />
        <div class="actions ends">
          <ButtonLink to={pathOfStep(broadcast.id, "content")} label="Back" kind="quiet" />
          <ButtonLink to={pathOfStep(broadcast.id, "review")} label="Continue" />
        </div>
      </div>
      <aside aria-label="Preview">
        <ContentFrame broadcast={broadcast} />
      </aside>
    </div>
  </StepPage>
);

/** The stored content of a broadcast. */
export const ContentFrame = ({ broadcast }: { broadcast: BroadcastOut }) =>
  broadcast.html_body ? (
    <PreviewFrame src={`/app/broadcasts/${broadcast.id}/html`} />
  ) : (
    <pre>{broadcast.text_body ?? "No content yet."}</pre>
  );

type TestFormProps = Pick<TestStepProps, "broadcast" | "variants">;

/** The form that mails a broadcast, or one of its variants, to an address. */
const TestForm = ({ broadcast, variants }: TestFormProps) => (
  <Form class="filter" action={pathOfStep(broadcast.id, "test")}>
    <Field name="to" label="Send a test to" type="email" value={useCaller().actor.email} />
    {variants.length < 2 ? null : (
      <Select name="variant_id" label="Variant" options={variants.map(({ id, label }) => ({ value: id, label }))} />
    )}
    <Submit label="Send test" kind="quiet" />
  </Form>
);
