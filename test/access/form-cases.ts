import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const aForm = () => ({ name: "A form", title: "News", text: "Once a month." });

const createList = async (workspace: TestWorkspace) => {
  const { id } = await workspace.create("/v1/contacts/", { name: "A list" });
  return { list_id: id };
};

const createForm = async (workspace: TestWorkspace) => {
  const { list_id } = await createList(workspace);
  const { id } = await workspace.create(`/v1/contacts/${list_id}/forms`, aForm());
  return { list_id, form_id: id };
};

/** The routes of forms of contact lists, and the pages that need no credentials. */
export const formCases: Record<string, RouteCase> = {
  "GET /c/:token": { success: 404 },
  "POST /c/:token": { success: 404 },
  "GET /f/:token": { success: 404 },
  "POST /f/:token": { success: 415 },
  "GET /v1/contacts/:list_id/forms": { success: 200, create: createList },
  "POST /v1/contacts/:list_id/forms": { success: 201, create: createList, body: aForm },
  "GET /v1/contacts/:list_id/forms/:form_id": { success: 200, create: createForm },
  "PATCH /v1/contacts/:list_id/forms/:form_id": { success: 200, create: createForm, body: () => ({ title: "New" }) },
  "DELETE /v1/contacts/:list_id/forms/:form_id": { success: 204, create: createForm },
};
