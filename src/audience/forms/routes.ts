import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { getList } from "../contacts/index.ts";
import { createForm } from "./create.ts";
import { deleteForm } from "./delete.ts";
import { formUrl } from "./form-url.ts";
import { getForm, listForms } from "./queries.ts";
import { FormIn, FormOut, FormPatch, toForm } from "./schema.ts";
import { updateForm } from "./update.ts";

export const formRoutes = apiRoutes("Contacts")
  .get("/v1/contacts/:list_id/forms", "listContactForms", "contacts:view", {
    summary: "List the forms of a contact list, oldest first",
    returns: { 200: ["All forms of the list", z.array(FormOut)] },
    run: async (caller, { list_id }) => {
      const rows = await listForms(caller, await getList(caller, list_id));
      return await Promise.all(rows.map(async (row) => toForm(row, await formUrl(caller, row))));
    },
  })
  .post("/v1/contacts/:list_id/forms", "createContactForm", "contacts:manage", outlives.nothing, {
    summary: "Create a form by which people join a contact list",
    description: `Who submits it is pending until they use the link of an email, whether the list asks for confirmation or not. A list has at most ${budgetOf("contact_forms").rows} forms.`,
    body: FormIn,
    returns: { 201: ["The form", FormOut] },
    run: (caller, { list_id, body }) => createForm(caller, list_id, body),
  })
  .get("/v1/contacts/:list_id/forms/:form_id", "getContactForm", "contacts:view", {
    summary: "Get a form of a contact list",
    returns: { 200: ["The form", FormOut] },
    run: async (caller, { list_id, form_id }) => {
      const row = await getForm(caller, list_id, form_id);
      return toForm(row, await formUrl(caller, row));
    },
  })
  .patch("/v1/contacts/:list_id/forms/:form_id", "updateContactForm", "contacts:manage", outlives.nothing, {
    summary: "Update a form of a contact list",
    body: FormPatch,
    returns: { 200: ["The form", FormOut] },
    run: (caller, { list_id, form_id, body }) => updateForm(caller, list_id, form_id, body),
  })
  .delete("/v1/contacts/:list_id/forms/:form_id", "deleteContactForm", "contacts:manage", outlives.nothing, {
    summary: "Delete a form of a contact list",
    returns: { 204: "Deleted" },
    run: (caller, { list_id, form_id }) => deleteForm(caller, list_id, form_id),
  });
