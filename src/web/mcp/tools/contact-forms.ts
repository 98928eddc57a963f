import type { DeclaredTool } from "../tool.ts";

export const contactFormTools: readonly DeclaredTool[] = [
  {
    name: "list_contact_forms",
    title: "List the forms of a contact list",
    description: "Returns the hosted forms by which people join a contact list, with the URL and the HTML of each.",
    route: "GET /v1/contacts/:list_id/forms",
  },
  {
    name: "create_contact_form",
    title: "Create a form of a contact list",
    description: "Creates a hosted form. Who submits it is pending until they confirm by the link of an email.",
    route: "POST /v1/contacts/:list_id/forms",
    effect: "write",
    repeatable: true,
  },
  {
    name: "update_contact_form",
    title: "Change a form of a contact list",
    description: "Changes the given fields of a form, or ends and resumes its submissions.",
    route: "PATCH /v1/contacts/:list_id/forms/:form_id",
    effect: "write",
  },
];
