import type { Context } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import type { Refusal } from "../../../http/page-form.ts";
import { getTemplate, toTemplate } from "../../../sending/templates/index.ts";
import { readSamples, type Samples } from "../sample-values.ts";
import { listSenders } from "../senders.ts";
import { CONTACT, contactValues } from "./contact-values.ts";
import { type BlocksChange, type TemplateForm, toForm } from "./form.ts";
import { TemplatePage } from "./page.tsx";

export const notices: Readonly<Record<string, string>> = {
  saved: "The template is saved.",
  duplicated: "This is the copy.",
  deleted: "The template is deleted.",
  html: "The blocks are deleted. The template is HTML now.",
};

interface Submitted {
  refusal?: Refusal;
  /** Default: what is stored. */
  form?: TemplateForm;
  samples?: Samples;
  /** Address of the contact of the preview. */
  contact?: string;
  /** The change of blocks that was made and is not saved yet. */
  change?: BlocksChange;
}

/** Returns the page of a new template. */
export function showNew(c: Context<AppEnv>, { form, refusal, change }: Submitted & { form: TemplateForm }) {
  const props = {
    caller: c.get("caller"),
    template: null,
    samples: new Map(),
    contact: "",
    hasContact: true,
    senders: [],
    form,
    refusal,
    change,
  };
  return respondPage(c, <TemplatePage {...props} />, { status: refusal?.status ?? 200, frames: true });
}

/** Returns the page of a stored template. Throws 404. */
export async function showTemplate(c: Context<AppEnv>, submitted: Submitted = {}) {
  const caller = c.get("caller");
  const [row, senders] = await Promise.all([
    getTemplate(caller, c.req.param("template_id") ?? ""),
    listSenders(caller),
  ]);
  const template = toTemplate(row);
  const samples = submitted.samples ?? readSamples(new URL(c.req.url).searchParams);
  const form = submitted.form ?? toForm(template);
  const notice = submitted.refusal || submitted.change ? undefined : notices[c.req.query("done") ?? ""];
  const contact = submitted.contact ?? c.req.query(CONTACT) ?? "";
  const hasContact = contact === "" || (await contactValues(caller, contact)) !== null;
  const { refusal, change } = submitted;
  const page = (
    <TemplatePage {...{ caller, template, form, samples, contact, hasContact, senders, change, notice, refusal }} />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200, frames: true });
}
