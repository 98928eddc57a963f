import {
  ErrorSummary,
  Field,
  Form,
  Select,
  Submit,
  submittedTo,
  TextArea,
  UpdatePreview,
  useViewer,
  VersionField,
} from "../../../http/ui/index.ts";
import { CONTACT } from "../contact-values.ts";
import { LANGUAGES } from "../languages.ts";
import { SAMPLE, type Samples } from "../sample-values.ts";
import { Blocks } from "./blocks.tsx";
import type { BlocksChange, TemplateForm } from "./form.ts";

interface EditorProps {
  path: string;
  form: TemplateForm;
  samples: Samples;
  /** Address of the contact of the preview. */
  contact: string;
  /** The change of blocks that was made and is not saved yet. */
  change: BlocksChange | undefined;
}

/**
 * The form of a template, of HTML or of blocks. With scripts a change of blocks replaces only them (client/editing.ts). Its button
 * "Update preview" shows it in the frame named `preview`.
 */
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
      <Select
        name="language"
        label="Placeholders"
        options={LANGUAGES}
        value={form.language}
        hint={
          form.blocks === null ? undefined : "Conditions, parts and texts with tags are Liquid, whatever is chosen."
        }
      />
      {form.blocks === null ? <Html form={form} /> : <Blocks blocks={form.blocks} change={change} />}
      <p class="hidden" role="status" data-said-here="" />
      <div class="actions">
        <Submit label="Save" action="save" />
        <UpdatePreview to="/app/templates/preview" />
      </div>
    </Form>
  );
}

const Html = ({ form }: { form: TemplateForm }) => (
  <>
    <TextArea
      name="html_body"
      label="HTML"
      required={false}
      rows={14}
      code
      hint="Values such as {{name}} are filled in by each email."
      value={form.html_body}
    />
    <TextArea name="text_body" label="Text" required={false} value={form.text_body} />
  </>
);
