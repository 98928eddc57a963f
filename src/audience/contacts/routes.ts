import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { fileBody } from "../../http/file-body.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { csvFile, operationsOf, responses, success } from "../../http/openapi.ts";
import { pageQuery, refuseDeepPages, setNextLink } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { lowerCaseAscii } from "../../lib/addresses.ts";
import { inMiB } from "../../lib/bytes.ts";
import { consentLimits } from "../consent/index.ts";
import { addContact } from "./add-contact.ts";
import { createList } from "./create-list.ts";
import { exportContacts } from "./csv/export.ts";
import { importContacts } from "./csv/import.ts";
import { deleteContact } from "./delete-contact.ts";
import { deleteList } from "./delete-list.ts";
import { getContact, listContacts, listLists, MAX_SCANNED } from "./queries.ts";
import { importLimits, isPrintable, limits } from "./rules.ts";
import {
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
      .transform(lowerCaseAscii)
      .optional()
      .describe("Part of an address or name. A complete address finds exactly its contact."),
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
});

const operation = operationsOf("Contacts");

const exampleCsv = "email,name,city,plan\r\nada@example.org,Ada Lovelace,London,gold\r\n";

const uploadBody = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        required: ["file"],
        properties: {
          file: { type: "string" as const, format: "binary", description: "The CSV file.", example: exampleCsv },
        },
      },
    },
  },
};

export const contactRoutes = newRoutes()
  .post(
    "/v1/contacts/",
    operation("contacts:manage", "createContactList", {
      summary: "Create a contact list",
      description: `A workspace has at most ${limits.listsPerWorkspace.toLocaleString("en")} lists.`,
      responses: responses(201, "The list", ListOut, [403, 409, 413, 415]),
    }),
    ...body(ListIn),
    idempotent(201),
    async (c) => c.json(await createList(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/contacts/",
    operation("contacts:view", "listContactLists", {
      summary: "List contact lists, oldest first",
      responses: responses(200, "All lists of the workspace", z.array(ListOut), [403]),
    }),
    async (c) => c.json((await listLists(c.get("caller"))).map(toList)),
  )
  .get(
    "/v1/contacts/:list_id",
    operation("contacts:view", "getContactList", {
      summary: "Get a contact list and a page of its contacts",
      description: `Contacts come oldest first. A search (\`q\`) reads ${MAX_SCANNED.toLocaleString("en")} contacts; the \`Link\` header continues it.`,
      responses: responses(200, "The list with a page of contacts", ListWithContactsOut, [403, 404]),
    }),
    query(ContactsQuery),
    async (c) => {
      const { list, contacts, next } = await listContacts(
        c.get("caller"),
        c.req.param("list_id"),
        c.req.valid("query"),
      );
      if (next !== null) setNextLink(c, { after: next });
      return c.json({ ...toList(list), contacts: contacts.map(toContact) });
    },
  )
  .patch(
    "/v1/contacts/:list_id",
    operation("contacts:manage", "updateContactList", {
      summary: "Update a contact list",
      responses: responses(200, "The list", ListOut, [403, 404, 413, 415]),
    }),
    ...body(ListPatch),
    async (c) => c.json(await updateList(c.get("caller"), c.req.param("list_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/contacts/:list_id",
    operation("contacts:manage", "deleteContactList", {
      summary: "Delete a contact list and all its contacts",
      description: "Emails of broadcasts to them that were not given to a mail server yet are cancelled.",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteList(c.get("caller"), c.req.param("list_id"))),
  )
  .post(
    "/v1/contacts/:list_id/contacts",
    operation("contacts:manage", "addContact", {
      summary: "Add a contact to a list",
      responses: responses(201, "The contact", ContactOut, [403, 404, 409, 413, 415]),
    }),
    ...body(ContactIn),
    idempotent(201),
    async (c) => c.json(await addContact(c.get("caller"), c.req.param("list_id"), c.req.valid("json")), 201),
  )
  .put(
    "/v1/contacts/:list_id/contacts",
    operation("contacts:manage", "upsertContact", {
      summary: "Add a contact to a list, or update the one with this address",
      description: "Of an existing contact, fields that are absent keep their values and null clears a field.",
      responses: {
        ...responses(200, "The updated contact", ContactOut, [403, 404, 409, 413, 415]),
        ...success(201, "The new contact", ContactOut),
      },
    }),
    ...body(ContactIn),
    async (c) => {
      const { isNew, contact } = await upsertContact(c.get("caller"), c.req.param("list_id"), c.req.valid("json"));
      return c.json(contact, isNew ? 201 : 200);
    },
  )
  .get(
    "/v1/contacts/:list_id/contacts/:contact_id",
    operation("contacts:view", "getContact", {
      summary: "Get a contact",
      responses: responses(200, "The contact", ContactOut, [403, 404]),
    }),
    async (c) =>
      c.json(toContact(await getContact(c.get("caller"), c.req.param("list_id"), c.req.param("contact_id")))),
  )
  .patch(
    "/v1/contacts/:list_id/contacts/:contact_id",
    operation("contacts:manage", "updateContact", {
      summary: "Update a contact",
      responses: responses(200, "The contact", ContactOut, [403, 404, 409, 413, 415]),
    }),
    ...body(ContactPatch),
    async (c) => {
      const { list_id, contact_id } = c.req.param();
      return c.json(await updateContact(c.get("caller"), list_id, contact_id, c.req.valid("json")));
    },
  )
  .delete(
    "/v1/contacts/:list_id/contacts/:contact_id",
    operation("contacts:manage", "deleteContact", {
      summary: "Delete a contact",
      description: "Emails of broadcasts to it that were not given to a mail server yet are cancelled.",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteContact(c.get("caller"), c.req.param("list_id"), c.req.param("contact_id"))),
  )
  .post(
    "/v1/contacts/:list_id/upload",
    operation("contacts:manage", "importContacts", {
      summary: "Import contacts from a CSV file",
      description:
        "The first row has the names of the columns. `email` is required (`E-mail` and `E-mail 1 - Value` are read as well) and `name` is the contact's name, in any case; every other column is metadata. Columns without a name are ignored, a repeated name gets a number. The separator is a comma, semicolon, tab or `|`, or what a first line `sep=;` names; the encoding is UTF-8. " +
        `At most ${importLimits.rows.toLocaleString("en")} rows and ${inMiB(importLimits.fileBytes)}. ` +
        "Addresses that the list has already are skipped. A row that cannot be read is reported in `errors` by its number, the header being row 1, and the other rows are imported. An apostrophe before a character of which spreadsheets make a formula is removed from the start of a cell.",
      requestBody: uploadBody,
      responses: responses(200, "What was imported", ImportOut, [400, 403, 404, 408, 409, 413, 415]),
    }),
    query(UploadQuery),
    fileBody("file", importLimits.fileBytes),
    idempotent(200),
    async (c) => {
      const file = c.get("file") ?? new Uint8Array();
      const { consent_source: source = null } = c.req.valid("query");
      return c.json(await importContacts(c.get("caller"), c.req.param("list_id"), file, source));
    },
  )
  .get(
    "/v1/contacts/:list_id/export",
    operation("contacts:view", "exportContacts", {
      summary: "Export the contacts of a list as CSV",
      description:
        "Columns: `email`, `name`, then one for each metadata key. Values that are not strings are JSON. A cell that a spreadsheet would take for a formula begins with an apostrophe, which an import removes.",
      responses: {
        ...responses(200, "The file", null, [403, 404, 409]),
        ...csvFile("The file", exampleCsv),
      },
    }),
    async (c) => {
      const id = c.req.param("list_id");
      const stream = await exportContacts(c.get("caller"), id);
      return c.body(stream, 200, {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="contacts-${id.toLowerCase()}.csv"`,
      });
    },
  );
