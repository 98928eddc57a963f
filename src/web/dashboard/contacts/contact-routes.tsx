import type { Context } from "hono";
import { Hono } from "hono";
import {
  ContactPatch,
  getContact,
  getList,
  toContact,
  toList,
  updateContact,
} from "../../../audience/contacts/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import { choosePersonTopics, getPersonTopics, PersonTopicsIn } from "../../../sending/topics/index.ts";
import { type ContactForm, ContactPage, toContactForm, valuesOf } from "./contact-page.tsx";
import { fieldOfTopic } from "./person-topics.tsx";

const UPDATE = "PATCH /v1/contacts/:list_id/contacts/:contact_id";
/** Greatest body of the form, in bytes: percent-encoding triples the 64 KiB of details. */
const MAX_FORM_BYTES = 250_000;

/** The page that changes a contact. */
export const contactEditPages = new Hono<AppEnv>()
  .get("/app/contacts/:list_id/contacts/:contact_id", ...pageFor(UPDATE), (c) => showContact(c))
  .post("/app/contacts/:list_id/contacts/:contact_id", ...pageFor(UPDATE), async (c) => {
    const { list_id, contact_id } = c.req.param();
    const fields = await readForm(c, MAX_FORM_BYTES);
    const field = (name: string) => fields.get(name) ?? "";
    const form: ContactForm = {
      ...{ email: field("email"), name: field("name"), metadata: field("metadata") },
      version: field("version"),
    };
    return submitForm(
      c,
      async () => {
        const request = { email: form.email.trim(), name: textOf(fields, "name"), metadata: parseDetails(form) };
        const patch = parseFields(ContactPatch, request);
        const stored = toContactForm(toContact(await getContact(c.get("caller"), list_id, contact_id)));
        requireVersion(form.version, valuesOf(stored), valuesOf(form));
        await updateContact(c.get("caller"), list_id, contact_id, patch);
        return `/app/contacts/${list_id}?done=changed`;
      },
      (refusal) => showContact(c, { form, refusal }),
    );
  })
  .post("/app/contacts/:list_id/contacts/:contact_id/topics", ...pageFor("PUT /v1/people/:email/topics"), async (c) => {
    const { list_id, contact_id } = c.req.param();
    const caller = c.get("caller");
    const [fields, { email }] = [await readForm(c), await getContact(caller, list_id, contact_id)];
    const { topics } = await getPersonTopics(caller, email);
    const chosen = topics.flatMap(({ id }) => {
      const choice = fields.get(fieldOfTopic(id));
      return choice === null ? [] : [{ id, choice: choice || null }];
    });
    await choosePersonTopics(caller, email, parseFields(PersonTopicsIn, { topics: chosen }));
    return c.redirect(`/app/contacts/${list_id}?done=changed`, 303);
  });

function parseDetails({ metadata }: ContactForm): unknown {
  if (metadata.trim() === "") return null;
  try {
    return JSON.parse(metadata);
  } catch {
    throw unprocessable([{ loc: ["body", "metadata"], msg: "Details must be a JSON object", type: "json_invalid" }]);
  }
}

async function showContact(c: Context<AppEnv>, submitted?: { form: ContactForm; refusal: Refusal }) {
  const caller = c.get("caller");
  const [listId, contactId] = [c.req.param("list_id") ?? "", c.req.param("contact_id") ?? ""];
  const [list, row] = await Promise.all([getList(caller, listId), getContact(caller, listId, contactId)]);
  const contact = toContact(row);
  const person = await getPersonTopics(caller, contact.email);
  const form = submitted?.form ?? toContactForm(contact);
  const page = <ContactPage {...{ caller, contact, person, form }} list={toList(list)} refusal={submitted?.refusal} />;
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
