import type { BroadcastOut, VariantOut } from "../../../audience/broadcasts/index.ts";
import {
  Field,
  Form,
  Notice,
  PreviewFrame,
  Submit,
  UpdatePreview,
  useCaller,
  useViewer,
  VersionField,
} from "../../../http/ui/index.ts";
import type { TemplateName } from "../../../sending/templates/index.ts";
import { type BlocksChange, ContentFields, EditorChoice, type WrittenContent } from "../blocks/index.ts";
import { CONTACT, mayReadContacts } from "../contact-values.ts";
import { PicturesLink } from "../picture-upload.tsx";
import { TemplatePicker } from "../template-list.tsx";
import { fieldOfVariant, newLabels, type StepForm } from "./step-form.tsx";
import { ContinueByEnter, StepButtons, StepPage, type StepProps } from "./step-page.tsx";

interface ContentStepProps extends StepProps {
  broadcast: BroadcastOut;
  form: StepForm;
  variants: readonly VariantOut[];
  templates: readonly TemplateName[];
  /** Name of the template that the form was filled in from, and that is not saved yet. */
  filledFrom?: string | undefined;
  content: WrittenContent;
  change: BlocksChange | undefined;
}

/** Id of the form, which the buttons of the dialog with the templates submit. */
const FORM = "content";

/** The second step: subject, content and variants, beside a preview of what is filled in. */
export function ContentStep(props: ContentStepProps) {
  const { broadcast, form, variants, templates, filledFrom, content, change, done } = props;
  const { subject = "", preheader = "" } = form.values;
  const { submitted } = useViewer();
  const isStored = filledFrom === undefined && submitted === undefined;
  const picker = (
    <>
      <PicturesLink />
      <TemplatePicker templates={templates} form={FORM} />
    </>
  );
  return (
    <StepPage step="content" actions={picker} broadcast={broadcast} done={done}>
      <EditorChoice stored={broadcast} blocks={content.blocks} to={(editor) => `?editor=${editor}`} />
      <div class="beside">
        <Form id={FORM} data-previewed={isStored ? "" : "now"} data-editor="" once refills={false}>
          <ContinueByEnter />
          {filledFrom === undefined ? null : (
            <Notice kind="warn">The content is that of {filledFrom}. It is saved by Continue.</Notice>
          )}
          <VersionField version={form.version} />
          <Field
            name="subject"
            label="Subject"
            hint="May have values such as {{name}}."
            required={variants.length === 0}
            value={subject}
          />
          <Field
            name="preheader"
            label="Preview text"
            required={false}
            hint="Mail programs show it after the subject."
            value={preheader}
          />
          <ContentFields content={content} change={change} hint="Link to {{unsubscribe_url}}, or a link is added." />
          <VariantFields form={form} variants={variants} />
          {mayReadContacts(useCaller()) ? (
            <Field
              name={CONTACT}
              label="Preview as this contact"
              type="email"
              required={false}
              value={submitted?.fields?.get(CONTACT) ?? ""}
              hint="The address of a contact whose values the preview shows."
            />
          ) : null}
          <StepButtons>
            <UpdatePreview to="/app/broadcasts/preview" />
          </StepButtons>
        </Form>
        <aside aria-label="Preview">
          <PreviewFrame src={broadcast.html_body ? `/app/broadcasts/${broadcast.id}/html` : undefined} />
        </aside>
      </div>
    </StepPage>
  );
}

/** The variants of an A/B test, and fields for more. Their style shows the size of the sample once there is one to choose. */
function VariantFields({ form, variants }: { form: StepForm; variants: readonly VariantOut[] }) {
  const { ab_test_pct: sample = "", ab_auto_promote: hours = "", ab_min_lift: lead = "" } = form.values;
  const labels = [...new Set([...newLabels(variants), ...form.variants.keys()])];
  return (
    <details class="variants" open={variants.length > 0 || form.variants.size > 0 || sample !== ""}>
      <summary>Compare subjects in an A/B test</summary>
      <p class="hint">Each variant has the content above, with a subject of its own.</p>
      {variants.map(({ id, label, subject }) => (
        <div class="variant">
          <p>
            <strong>{label}</strong> {subject}
          </p>
          <Submit label="Delete" kind="danger" action={`remove:${id}`} name={`Delete variant ${label}`} isUnchecked />
        </div>
      ))}
      <div class="new">
        {labels.map((label) => (
          <Field
            name={fieldOfVariant(label)}
            label={`Subject of ${label}`}
            required={false}
            placeholder="Another subject"
            value={form.variants.get(label) ?? ""}
          />
        ))}
      </div>
      <div class={variants.length > 0 || sample !== "" ? "sample shown" : "sample"}>
        <Field
          name="ab_test_pct"
          label="Sample in percent"
          inputmode="numeric"
          required={false}
          hint="Mailed first, from 5 to 90; the winner then goes to the rest. Empty: everybody gets a variant at once."
          value={sample}
        />
        <Field
          name="ab_auto_promote"
          label="Hours until the winner is sent"
          inputmode="numeric"
          required={false}
          hint="From 1 to 168 after the sample was sent. The variant that surely has the most clicks wins, else the first. Empty: you choose the winner."
          value={hours}
        />
        <Field
          name="ab_min_lift"
          label="Least lead in percentage points"
          required={false}
          hint="By how much its share of clicks must surely be higher. Empty: by anything."
          value={lead}
        />
      </div>
      {variants.length === 0 ? null : <Submit label="Add variant" kind="quiet" action="save" />}
    </details>
  );
}
