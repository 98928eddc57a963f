import type { Refusal } from "../../../http/page-form.ts";
import { ErrorSummary, Field, type FieldErrors, Notice, TextArea, VersionField } from "../../../http/ui/index.ts";
import { BLOCK_TYPES, type Block } from "../../../sending/templates/index.ts";
import { fieldOf, type TemplateForm } from "./form.ts";
import { SAMPLE, type Samples } from "./preview.tsx";

interface EditorProps {
  path: string;
  form: TemplateForm;
  samples: Samples;
  /** Set after a block was added, moved or removed: the element that gets the focus. */
  focus: string | undefined;
  refusal: Refusal | undefined;
}

/** The form of a template, of HTML or of blocks. Its button "Update preview" shows it in the frame named `preview`. */
export function Editor({ path, form, samples, focus, refusal }: EditorProps) {
  const errors = refusal?.errors;
  return (
    <form method="post" action={path} data-previewed="">
      {/* Enter in a field presses the first button of the form. */}
      <button type="submit" name="action" value="save" hidden>
        Save
      </button>
      <ErrorSummary refusal={refusal} />
      {focus === undefined ? null : <Notice kind="warn">The blocks are changed, and not saved yet.</Notice>}
      <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
      <VersionField version={form.version} refusal={refusal} />
      {[...samples].map(([name, value]) => (
        <input type="hidden" name={SAMPLE + name} value={value} />
      ))}
      <Field name="name" label="Name" value={form.name} errors={errors} />
      <Field name="subject" label="Subject" required={false} value={form.subject} errors={errors} />
      {form.blocks === null ? <Html {...{ form, errors }} /> : <Blocks {...{ blocks: form.blocks, focus, errors }} />}
      <div class="actions">
        <button type="submit" name="action" value="save">
          Save
        </button>
        <button class="quiet" type="submit" formaction="/app/templates/preview" formtarget="preview" formnovalidate>
          Update preview
        </button>
      </div>
    </form>
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
      hint="Placeholders such as {{name}} are filled in by each email."
      value={form.html_body}
      errors={errors}
    />
    <TextArea name="text_body" label="Text" required={false} value={form.text_body} errors={errors} />
  </>
);

interface BlocksProps {
  blocks: readonly Block[];
  focus: string | undefined;
  errors: FieldErrors | undefined;
}

const Blocks = ({ blocks, focus, errors }: BlocksProps) => (
  <>
    <input type="hidden" name="editor" value="blocks" />
    <h2 id="blocks">Blocks</h2>
    <p class="hint">Placeholders such as {"{{name}}"} are filled in by each email.</p>
    {blocks.map((block, index) => (
      <fieldset>
        <legend>
          {index + 1}. {block.type}
        </legend>
        <input type="hidden" name={fieldOf(index, "type")} value={block.type} />
        <BlockFields {...{ block, index, focus, errors }} />
        <div class="actions">
          <ActionButton verb="up" label="Up" disabled={index === 0} {...{ block, index, focus }} />
          <ActionButton verb="down" label="Down" disabled={index === blocks.length - 1} {...{ block, index, focus }} />
          <ActionButton verb="remove" label="Remove" {...{ block, index, focus }} />
        </div>
      </fieldset>
    ))}
    <fieldset>
      <legend>Add a block</legend>
      <div class="actions">
        {BLOCK_TYPES.map((type) => (
          <button class="quiet" type="submit" name="action" value={`add:${type}`} formnovalidate>
            Add {type}
          </button>
        ))}
      </div>
    </fieldset>
  </>
);

interface BlockProps {
  block: Block;
  index: number;
  focus: string | undefined;
}

function BlockFields({
  block: { type, text, url },
  index,
  focus,
  errors,
}: BlockProps & { errors: FieldErrors | undefined }) {
  if (type === "divider") return null;
  const [textName, urlName] = [fieldOf(index, "text"), fieldOf(index, "url")];
  const textField = { name: textName, value: text, errors, autofocus: focus === textName };
  return (
    <>
      {type === "text" ? (
        <TextArea label="Text" rows={4} hint="An empty line begins a new paragraph." {...textField} />
      ) : (
        <Field label={type === "image" ? "Alternative text" : "Text"} required={type !== "image"} {...textField} />
      )}
      {type === "button" || type === "image" ? (
        <Field name={urlName} label="URL" placeholder="https://example.com/" value={url} errors={errors} />
      ) : null}
    </>
  );
}

interface ActionButtonProps extends BlockProps {
  verb: "up" | "down" | "remove";
  label: string;
  disabled?: boolean;
}

/** A button that moves or removes a block. The page is shown again with the change. */
function ActionButton({ verb, label, block, index, focus, disabled = false }: ActionButtonProps) {
  const value = `${verb}:${index}`;
  return (
    <button
      {...{ class: verb === "remove" ? "danger" : "quiet", type: "submit", name: "action", value, disabled }}
      {...{ formnovalidate: true, autofocus: focus === value }}
      aria-label={`${label}: block ${index + 1}, ${block.type}`}
    >
      {label}
    </button>
  );
}
