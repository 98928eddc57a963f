import { Field, Form, Layout, useTexts } from "../../http/ui/index.ts";
import type { FormRow } from "./queries.ts";
import { type FormField, HONEYPOT, limits } from "./rules.ts";

/** The hosted page of a form. It works without scripts, and shows nothing of the workspace but what the form says. */
export const FormPage = ({ form, fields }: { form: FormRow; fields: readonly FormField[] }) => (
  <Layout title={form.title}>
    <p>{form.text}</p>
    <Form>
      <Field name="email" label={useTexts().email} type="email" maxlength={254} />
      {fields.map(({ name, label, required }) => (
        <Field name={name} label={label} required={required} maxlength={limits.valueCharacters} />
      ))}
      <p hidden aria-hidden="true">
        <input name={HONEYPOT} tabindex={-1} autocomplete="off" />
      </p>
      <button type="submit" class="wide">
        {form.button}
      </button>
    </Form>
  </Layout>
);
