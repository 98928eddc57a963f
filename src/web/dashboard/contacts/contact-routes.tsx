import {
  ContactPatch,
  getContact,
  getList,
  toContact,
  toList,
  updateContact,
} from "../../../audience/contacts/index.ts";
import { respondPage } from "../../../http/page.tsx";
import { change, page, post } from "../../../http/page-actions.tsx";
import { parseFields, readForm, textOf } from "../../../http/page-routes.ts";
import { invalidField } from "../../../lib/errors.ts";
import { choosePersonTopics, getPersonTopics, PersonTopicsIn } from "../../../sending/topics/index.ts";
import { ContactPage, valuesOf } from "./contact-page.tsx";
import { fieldOfTopic } from "./person-topics.tsx";

const CONTACT = "/app/contacts/:list_id/contacts/:contact_id";
const UPDATE = "PATCH /v1/contacts/:list_id/contacts/:contact_id";
/** Greatest body of the form, in bytes: percent-encoding triples the 64 KiB of details, and each row has three fields with long names. */
const MAX_FORM_BYTES = 1_000_000;

/** The page that changes a contact. */
export const contactRoutes = [
  page(CONTACT, UPDATE, async (c) => {
    const caller = c.get("caller");
    const [listId, contactId] = [c.req.param("list_id"), c.req.param("contact_id")];
    const [list, row] = await Promise.all([getList(caller, listId), getContact(caller, listId, contactId)]);
    const contact = toContact(row);
    const person = await getPersonTopics(caller, contact.email);
    return respondPage(c, <ContactPage contact={contact} person={person} list={toList(list)} />);
  }),
  change(CONTACT, UPDATE, {
    read: readChange,
    run: (caller, listId, id, { patch }) => updateContact(caller, listId, id, patch),
    version: {
      stored: async (caller, listId, id) => valuesOf(toContact(await getContact(caller, listId, id))),
      entered: ({ entered }) => valuesOf(entered),
    },
    to: "/app/contacts/:list_id",
    done: { changed: "The contact is changed." },
    maxBytes: MAX_FORM_BYTES,
  }),
  post(`${CONTACT}/topics`, "PUT /v1/people/:email/topics", async (c) => {
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
  }),
];

function readChange(fields: URLSearchParams) {
  const email = (fields.get("email") ?? "").trim();
  const entered = { email, name: textOf(fields, "name"), metadata: readDetails(fields) };
  return { entered, patch: parseFields(ContactPatch, entered) };
}

/** Returns the details of the rows that have a name, or null without any. Throws 422 for a name of two rows, and for JSON that is none. */
function readDetails(fields: URLSearchParams): Record<string, unknown> | null {
  const details = new Map<string, unknown>();
  for (let row = 0; fields.has(`detail.${row}.name`); row++) {
    const [name = "", value = "", kind] = ["name", "value", "kind"].map(
      (part) => fields.get(`detail.${row}.${part}`) ?? "",
    );
    if (name.trim() === "") continue;
    if (details.has(name.trim())) throw invalidField("metadata", `Two rows have the name “${name.trim()}”`);
    details.set(name.trim(), kind === "json" ? parseDetail(name, value) : value.replaceAll("\r\n", "\n"));
  }
  return details.size === 0 ? null : Object.fromEntries(details);
}

function parseDetail(name: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw invalidField("metadata", `The value of “${name}” was a number, yes or no, or a list, and must stay one`);
  }
}
