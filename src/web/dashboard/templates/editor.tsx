import type { Refusal } from "../../../http/page-form.ts";
import { ErrorSummary, Field, type FieldErrors, Form, Select, TextArea, VersionField } from "../../../http/ui/index.ts";
import { LANGUAGES } from "../languages.ts";
import { SAMPLE, type Samples } from "../sample-values.ts";
import { Blocks } from "./blocks.tsx";
import { CONTACT } from "./contact-values.ts";
import type { BlocksChange, TemplateForm } from "./form.ts";

interface EditorProps {
  path: string;
  form: TemplateForm;
  samples: Samples;
  /** Address of the contact of the preview. */
  contact: string;
  /** The change of blocks that was made and is not saved yet. */
  change: BlocksChange | undefined;
  refusal: Refusal | undefined;
}

/**
 * The form of a template, of HTML or of blocks. With scripts a change of blocks replaces only them (client/editing.ts). Its button
 * "Update preview" shows it in the frame named `preview`.
 */
export function Editor({ path, form, samples, contact, change, refusal }: EditorProps) {
  const errors = refusal?.errors;
  const isUnsaved = change !== undefined || refusal !== undefined;
  return (
    <Form action={path} data-previewed={isUnsaved ? "now" : ""} data-editor="" once={form.idempotencyKey}>
      {/* Enter in a field presses the first button of the form. */}
      <button type="submit" name="action" value="save" hidden>
        Save
      </button>
      <ErrorSummary refusal={refusal} />
      <VersionField version={form.version} refusal={refusal} />
      {[...samples].map(([name, value]) => (
        <input type="hidden" name={SAMPLE + name} value={value} />
      ))}
      {contact === "" ? null : <input type="hidden" name={CONTACT} value={contact} />}
      <Field name="name" label="Name" value={form.name} errors={errors} />
      <Field name="subject" label="Subject" required={false} value={form.subject} errors={errors} />
      <Select
        name="language"
        label="Language"
        options={LANGUAGES}
        value={form.language}
        errors={errors}
        {...(form.blocks === null
          ? {}
          : { hint: "Conditions, parts and texts with tags are Liquid, whatever is chosen." })}
      />
      {form.blocks === null ? <Html {...{ form, errors }} /> : <Blocks {...{ blocks: form.blocks, change, errors }} />}
      <p class="hidden" role="status" data-said-here="" />
      <div class="actions">
        <button type="submit" name="action" value="save">
          Save
        </button>
        <button
          class="quiet update"
          type="submit"
          formaction="/app/templates/preview"
          formtarget="preview"
          formnovalidate
        >
          Update preview
        </button>
      </div>
    </Form>
  );
}

const Html = ({ form, errors }: { form: TemplateForm; errors: FieldErrors | undefined }) => (
  <>
    <TextArea
      name="html_body"
      label="HTML"
      required={false}
      rows={14}
      code
      hint="Values such as {{name}} are filled in by each email."
      value={form.html_body}
      errors={errors}
    />
    <TextArea name="text_body" label="Text" required={false} value={form.text_body} errors={errors} />
  </>
);
