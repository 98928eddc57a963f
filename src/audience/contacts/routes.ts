import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { fileBody } from "../../http/file-body.ts";
import { file, uploadBody } from "../../http/openapi.ts";
import { pageQuery, refuseDeepPages, setNextLink } from "../../http/pagination.ts";
import { inMiB } from "../../lib/bytes.ts";
import { importLimits } from "../../lib/csv/limits.ts";
import { tryOr } from "../../lib/try-or.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { consentLimits } from "../consent/index.ts";
import { addContact } from "./add-contact.ts";
import { createList } from "./create-list.ts";
import { exportContacts } from "./csv/export.ts";
import { importContacts } from "./csv/import.ts";
import { deleteContact } from "./delete-contact.ts";
import { deleteList } from "./delete-list.ts";
import { getContact, listContacts, listLists, MAX_SCANNED } from "./queries.ts";
import { isPrintable } from "./rules.ts";
import {
  ColumnUsesIn,
  ContactIn,
  ContactOut,
  ContactPatch,
  ImportOut,
  ListIn,
  ListOut,
  ListPatch,
  ListWithContactsOut,
  toContact,
  toList,
} from "./schema.ts";
import { updateContact } from "./update-contact.ts";
import { updateList } from "./update-list.ts";
import { upsertContact } from "./upsert-contact.ts";

const ContactsQuery = z
  .object({
    ...pageQuery({ default: 50, max: 200 }),
    q: z
      .string()
      .max(320)
      .optional()
      .describe("Part of an address or name, in any case. A complete address finds exactly its contact."),
    after: z
      .string()
      .toLowerCase()
      .optional()
      .describe("Continues after the contact with this id. Taken from the Link header of the page before."),
  })
  .superRefine(refuseDeepPages);

const UploadQuery = z.object({
  consent_source: z
    .string()
    .refine(isPrintable, "consent_source must not contain control characters or line breaks")
    .trim()
    .min(1)
    .max(consentLimits.sourceCharacters)
    .optional()
    .describe(
      "States consent that you have: where and how these people agreed. They are active at once, and the statement is kept as evidence.",
    ),
  columns: z
    .string()
    .max(8_000)
    .transform((text) => tryOr((): unknown => JSON.parse(text), text))
    .pipe(ColumnUsesIn)
    .optional()
    .meta({ type: "string", examples: ['{"First Name":"first_name","City":"metadata.city","Notes":null}'] })
    .describe(
      "A JSON object of what columns are, by their headers: `email`, `name`, `first_name`, `last_name`, `unsubscribed` (who left, and when), `topic:<id>` (yes or no), `metadata.<key>`, or null for one that is left out. Columns that it does not name are read by their headers.",
    ),
  existing: z
    .enum(["skip", "update"])
    .default("skip")
    .describe(
      "`update` gives contacts that the list has the names and metadata of the file. What a row leaves empty stays.",
    ),
});

const exampleCsv = "email,name,city,plan\r\nada@example.org,Ada Lovelace,London,gold\r\n";

export const contactRoutes = apiRoutes("Contacts")
  .post("/v1/contacts/", "createContactList", "contacts:manage", outlives.nothing, {
    summary: "Create a contact list",
    description: `A workspace has at most ${budgetOf("contact_lists").rows.toLocaleString("en")} lists.`,
    body: ListIn,
    returns: { 201: ["The list", ListOut] },
    run: (caller, { body }) => createList(caller, body),
  })
  .get("/v1/contacts/", "listContactLists", "contacts:view", {
    summary: "List contact lists, oldest first",
    returns: { 200: ["All lists of the workspace", z.array(ListOut)] },
    run: async (caller) => (await listLists(caller)).map(toList),
  })
  .get("/v1/contacts/:list_id", "getContactList", "contacts:view", {
    summary: "Get a contact list and a page of its contacts",
    description: `Contacts come oldest first. A search (\`q\`) reads ${MAX_SCANNED.toLocaleString("en")} contacts; the \`Link\` header continues it.`,
    query: ContactsQuery,
    returns: { 200: ["The list with a page of contacts", ListWithContactsOut] },
    run: async (caller, { list_id, query }, c) => {
      const { list, contacts, next } = await listContacts(caller, list_id, query);
      if (next !== null) setNextLink(c, { after: next });
      return { ...toList(list), contacts: contacts.map(toContact) };
    },
  })
  .patch("/v1/contacts/:list_id", "updateContactList", "contacts:manage", outlives.nothing, {
    summary: "Update a contact list",
    body: ListPatch,
    returns: { 200: ["The list", ListOut] },
    run: (caller, { list_id, body }) => updateList(caller, list_id, body),
  })
  .delete("/v1/contacts/:list_id", "deleteContactList", "contacts:manage", outlives.nothing, {
    summary: "Delete a contact list and all its contacts",
    description: "Emails of broadcasts to them that were not given to a mail server yet are cancelled.",
    returns: { 204: "Deleted" },
    run: (caller, { list_id }) => deleteList(caller, list_id),
  })
  .post("/v1/contacts/:list_id/contacts", "addContact", "contacts:manage", outlives.nothing, {
    summary: "Add a contact to a list",
    body: ContactIn,
    returns: { 201: ["The contact", ContactOut] },
    run: (caller, { list_id, body }) => addContact(caller, list_id, body),
  })
  .put("/v1/contacts/:list_id/contacts", "upsertContact", "contacts:manage", outlives.nothing, {
    summary: "Add a contact to a list, or update the one with this address",
    description:
      "Of an existing contact, fields that are absent keep their values and null clears a field. `metadata` is replaced as a whole.",
    body: ContactIn,
    returns: { 200: ["The updated contact", ContactOut], 201: ["The new contact", ContactOut] },
    errors: [409],
    run: async (caller, { list_id, body }, c) => {
      const { isNew, contact } = await upsertContact(caller, list_id, body);
      return c.json(contact, isNew ? 201 : 200);
    },
  })
  .get("/v1/contacts/:list_id/contacts/:contact_id", "getContact", "contacts:view", {
    summary: "Get a contact",
    returns: { 200: ["The contact", ContactOut] },
    run: async (caller, { list_id, contact_id }) => toContact(await getContact(caller, list_id, contact_id)),
  })
  .patch("/v1/contacts/:list_id/contacts/:contact_id", "updateContact", "contacts:manage", outlives.nothing, {
    summary: "Update a contact",
    description:
      "Fields that are absent keep their values. `metadata` is replaced as a whole: keys that it does not name are removed.",
    body: ContactPatch,
    returns: { 200: ["The contact", ContactOut] },
    errors: [409],
    run: (caller, { list_id, contact_id, body }) => updateContact(caller, list_id, contact_id, body),
  })
  .delete("/v1/contacts/:list_id/contacts/:contact_id", "deleteContact", "contacts:manage", outlives.nothing, {
    summary: "Delete a contact",
    description: "Emails of broadcasts to it that were not given to a mail server yet are cancelled.",
    returns: { 204: "Deleted" },
    run: (caller, { list_id, contact_id }) => deleteContact(caller, list_id, contact_id),
  })
  .post("/v1/contacts/:list_id/upload", "importContacts", "contacts:manage", outlives.nothing, {
    summary: "Import contacts from a CSV file",
    description:
      "The first row has the names of the columns. `email` is required (`E-mail` and `E-mail 1 - Value` are read as well) and `name` is the contact's name, in any case; every other column is metadata. Columns without a name are ignored, a repeated name gets a number. The separator is a comma, semicolon, tab or `|`, or what a first line `sep=;` names; the encoding is UTF-8, UTF-16 or windows-1252, and `encoding` says which. Names and cells without quotes lose the spaces at their ends. " +
      `At most ${importLimits.rows.toLocaleString("en")} rows and ${inMiB(importLimits.fileBytes)}, in another encoding than UTF-8 ${inMiB(importLimits.recodedBytes)}. ` +
      "Addresses that the list has already are skipped. A row that cannot be read is reported in `errors` by its number, the header being row 1, and the other rows are imported. An apostrophe before a character of which spreadsheets make a formula is removed from the start of a cell.",
    requestBody: uploadBody({ description: "The CSV file.", example: exampleCsv }),
    query: UploadQuery,
    before: fileBody("file", importLimits.fileBytes),
    returns: { 200: ["What was imported", ImportOut] },
    errors: [400, 408, 413, 415],
    run: async (caller, { list_id, query }, c) => {
      const file = c.get("file") ?? new Uint8Array();
      const { consent_source: source, columns, existing } = query;
      return importContacts(caller, list_id, file, { source, columns, existing });
    },
  })
  .get("/v1/contacts/:list_id/export", "exportContacts", "contacts:view", {
    summary: "Export the contacts of a list as CSV",
    description:
      "Columns: `email`, `name`, then one for each metadata key. Values that are not strings are JSON. A cell that a spreadsheet would take for a formula begins with an apostrophe, which an import removes.",
    returns: file("The file", "text/csv", exampleCsv),
    errors: [409],
    run: async (caller, { list_id }, c) => {
      const id = list_id;
      const stream = await exportContacts(caller, id);
      return c.body(stream, 200, {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="contacts-${id.toLowerCase()}.csv"`,
      });
    },
  });
