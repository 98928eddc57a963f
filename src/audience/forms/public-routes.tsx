import { Hono } from "hono";
import { clientOf } from "../../http/client.ts";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { toRefusal } from "../../http/page-form.ts";
import { FormPage, MissingFormPage, SubmittedPage } from "./page.tsx";
import { findOpenForm, submitForm } from "./submit.ts";

/**
 * The hosted pages of forms. The signed token is the only credential. A form of another site may be submitted too: no cookie
 * authenticates it, and the person confirms by email.
 */
export const formPages = new Hono<AppEnv>()
  .get("/f/:token", needs("public"), async (c) => {
    const open = await findOpenForm(c.get("ctx"), c.req.param("token"));
    if (!open) return respondPage(c, <MissingFormPage />, { status: 404 });
    const page = <FormPage form={open.form} fields={open.fields} values={new URLSearchParams()} />;
    return respondPage(c, page, targetsOf(open.form.redirectUrl));
  })
  .post("/f/:token", needs("public"), async (c) => {
    const values = await readForm(c);
    const open = await findOpenForm(c.get("ctx"), c.req.param("token"));
    if (!open) return respondPage(c, <MissingFormPage />, { status: 404 });
    const { form, fields } = open;
    try {
      await submitForm(open, values, clientOf(c));
    } catch (error) {
      const refusal = toRefusal(error);
      const page = <FormPage form={form} fields={fields} values={values} refusal={refusal} />;
      return respondPage(c, page, { status: refusal.status, ...targetsOf(form.redirectUrl) });
    }
    return form.redirectUrl === null
      ? respondPage(c, <SubmittedPage form={form} />)
      : c.redirect(form.redirectUrl, 303);
  });

/** The browser lets a form redirect only to origins that its page names. */
const targetsOf = (redirectUrl: string | null) =>
  redirectUrl === null ? {} : { formTargets: [new URL(redirectUrl).origin] };
