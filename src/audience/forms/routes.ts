import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { body } from "../../http/validate.ts";
import { getList } from "../contacts/index.ts";
import { createForm } from "./create.ts";
import { deleteForm } from "./delete.ts";
import { formUrl } from "./form-url.ts";
import { getForm, listForms } from "./queries.ts";
import { limits } from "./rules.ts";
import { FormIn, FormOut, FormPatch, toForm } from "./schema.ts";
import { updateForm } from "./update.ts";

const operation = operationsOf("Contacts");

export const formRoutes = newRoutes()
  .get(
    "/v1/contacts/:list_id/forms",
    operation("contacts:view", "listContactForms", {
      summary: "List the forms of a contact list, oldest first",
      responses: responses(200, "All forms of the list", z.array(FormOut), [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      const rows = await listForms(caller, await getList(caller, c.req.param("list_id")));
      return c.json(await Promise.all(rows.map(async (row) => toForm(row, await formUrl(caller, row)))));
    },
  )
  .post(
    "/v1/contacts/:list_id/forms",
    operation("contacts:manage", "createContactForm", {
      summary: "Create a form by which people join a contact list",
      description: `Who submits it is pending until they use the link of an email, whether the list asks for confirmation or not. A list has at most ${limits.formsPerList} forms.`,
      responses: responses(201, "The form", FormOut, [403, 404, 409, 413, 415]),
    }),
    ...body(FormIn),
    idempotent(201),
    async (c) => c.json(await createForm(c.get("caller"), c.req.param("list_id"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/contacts/:list_id/forms/:form_id",
    operation("contacts:view", "getContactForm", {
      summary: "Get a form of a contact list",
      responses: responses(200, "The form", FormOut, [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      const row = await getForm(caller, c.req.param("list_id"), c.req.param("form_id"));
      return c.json(toForm(row, await formUrl(caller, row)));
    },
  )
  .patch(
    "/v1/contacts/:list_id/forms/:form_id",
    operation("contacts:manage", "updateContactForm", {
      summary: "Update a form of a contact list",
      responses: responses(200, "The form", FormOut, [403, 404, 413, 415]),
    }),
    ...body(FormPatch),
    async (c) => {
      const { list_id, form_id } = c.req.param();
      return c.json(await updateForm(c.get("caller"), list_id, form_id, c.req.valid("json")));
    },
  )
  .delete(
    "/v1/contacts/:list_id/forms/:form_id",
    operation("contacts:manage", "deleteContactForm", {
      summary: "Delete a form of a contact list",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteForm(c.get("caller"), c.req.param("list_id"), c.req.param("form_id"))),
  );
