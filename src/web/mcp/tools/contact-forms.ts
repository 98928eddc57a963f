import * as z from "zod";
import { type DeclaredTool, idempotencyKey } from "../tool.ts";

const form = {
  name: z.string().describe("Internal name."),
  title: z.string().describe("Heading of the page."),
  text: z.string().describe("What a person signs up for. It is kept as evidence of consent."),
  button: z.string().optional().describe("Text of the button."),
  fields: z
    .array(z.strictObject({ name: z.string(), label: z.string(), required: z.boolean().optional() }))
    .optional()
    .describe("Fields beside the address: `name` of the contact, or keys of its metadata."),
  success_message: z.string().optional().describe("Shown after a submission."),
  redirect_url: z
    .string()
    .nullable()
    .optional()
    .describe("https URL that follows a submission in place of the message."),
  is_active: z.boolean().optional().describe("false: the form takes no submissions."),
};

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
    input: { ...form, idempotency_key: idempotencyKey },
  },
  {
    name: "update_contact_form",
    title: "Change a form of a contact list",
    description: "Changes the given fields of a form, or ends and resumes its submissions.",
    route: "PATCH /v1/contacts/:list_id/forms/:form_id",
    effect: "write",
    input: {
      ...form,
      name: form.name.optional(),
      title: form.title.optional(),
      text: form.text.optional(),
    },
  },
];
