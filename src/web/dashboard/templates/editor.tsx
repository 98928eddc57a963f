import {
  ErrorSummary,
  Field,
  Form,
  Submit,
  submittedTo,
  UpdatePreview,
  useViewer,
  VersionField,
} from "../../../http/ui/index.ts";
import { type BlocksChange, ContentFields } from "../blocks/index.ts";
import { CONTACT } from "../contact-values.ts";
import { SAMPLE, type Samples } from "../sample-values.ts";
import type { TemplateForm } from "./form.ts";

interface EditorProps {
  path: string;
  form: TemplateForm;
  samples: Samples;
  contact: string;
  change: BlocksChange | undefined;
}

/** The form of a template, of HTML or of blocks. With scripts a change of blocks replaces only them (client/editing.ts). */
export function Editor({ path, form, samples, contact, change }: EditorProps) {
  const isUnsaved = submittedTo(useViewer(), path) !== undefined;
  return (
    <Form action={path} data-previewed={isUnsaved ? "now" : ""} data-editor="" once refills={false}>
      {/* Enter in a field presses the first button of the form. */}
      <Submit label="Save" action="save" hidden />
      <ErrorSummary />
      <VersionField version={form.version} />
      {[...samples].map(([name, value]) => (
        <input type="hidden" name={SAMPLE + name} value={value} />
      ))}
      {contact === "" ? null : <input type="hidden" name={CONTACT} value={contact} />}
      <Field name="name" label="Name" value={form.name} />
      <Field name="subject" label="Subject" required={false} value={form.subject} />
      <ContentFields content={form} change={change} hint="Values such as {{name}} are filled in by each email." />
      <div class="actions">
        <Submit label="Save" action="save" />
        <UpdatePreview to="/app/templates/preview" />
      </div>
    </Form>
  );
}
