import { type AppContext, clientOf, newRoutes } from "../../http/env.ts";
import { isMultipart } from "../../http/fields.ts";
import { readMultipartForm } from "../../http/file-body.ts";
import { needs } from "../../http/needs.ts";
import { respondBrokenLink, respondPage } from "../../http/page.tsx";
import { attempt, readForm } from "../../http/page-routes.ts";
import { Field, Form, Layout, TextPage, useTexts } from "../../http/ui/index.ts";
import { readBrand } from "../../platform/brands/brand.ts";
import { preferredLanguage } from "../../platform/recipient-texts/index.ts";
import type { FormRow } from "./queries.ts";
import { type FormField, HONEYPOT, limits } from "./rules.ts";
import { findOpenForm, type OpenForm, submitForm } from "./submit.ts";

/**
 * The hosted pages of forms. The signed token is the only credential. A form of another site may be submitted too: no cookie
 * authenticates it, and the person confirms by email.
 */
export const formPages = newRoutes()
  .get("/f/:token", needs("public"), async (c) => {
    const open = await findOpenForm(c.get("ctx"), c.req.param("token"));
    if (!open) return respondBrokenLink(c);
    return showForm(c, open);
  })
  .post("/f/:token", needs("public"), async (c) => {
    const values = await (isMultipart(c) ? readMultipartForm(c) : readForm(c));
    const open = await findOpenForm(c.get("ctx"), c.req.param("token"));
    if (!open) return respondBrokenLink(c);
    const { redirectUrl } = open.form;
    const show = () => showForm(c, open);
    return attempt(c, show, async () => {
      await submitForm(open, values, {
        ...clientOf(c),
        language: preferredLanguage(c.req.header("Accept-Language") ?? ""),
      });
      const brand = await readBrand(c.get("ctx"), open.form.workspace);
      const address = values.get("email")?.trim();
      const { title, successMessage } = open.form;
      return redirectUrl ?? respondPage(c, <TextPage of={() => [title, successMessage]} />, { brand, address });
    });
  });

const showForm = async (c: AppContext, { form, fields }: OpenForm) =>
  respondPage(c, <FormPage form={form} fields={fields} />, {
    ...targetsOf(form.redirectUrl),
    brand: await readBrand(c.get("ctx"), form.workspace),
  });

/** The browser lets a form redirect only to origins that its page names. */
const targetsOf = (redirectUrl: string | null) =>
  redirectUrl === null ? {} : { formTargets: [new URL(redirectUrl).origin] };

/** The hosted page of a form. It works without scripts, and shows nothing of the workspace but what the form says. */
const FormPage = ({ form, fields }: { form: FormRow; fields: readonly FormField[] }) => (
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
