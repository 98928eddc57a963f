import * as z from "zod";
import { cursor, type DeclaredTool, id, idempotencyKey, limit, pageAfter } from "../tool.ts";

const contact = {
  email: z.string().describe("Address of the contact."),
  name: z.string().nullable().describe("Display name."),
  metadata: z.record(z.string(), z.unknown()).nullable().describe("Values for placeholders, by name."),
};

export const contactTools: readonly DeclaredTool[] = [
  {
    name: "list_contact_lists",
    title: "List contact lists",
    description: "Returns the contact lists of the workspace with the number of their contacts.",
    route: "GET /v1/contacts/",
  },
  {
    name: "get_contact_list",
    title: "Read a contact list",
    description: "Returns a contact list with a page of its contacts.",
    route: "GET /v1/contacts/:list_id",
    input: {
      q: z.string().optional().describe("Part of an address or name."),
      ...pageAfter(200),
    },
  },
  {
    name: "create_contact_list",
    title: "Create a contact list",
    description: "Creates an empty contact list.",
    route: "POST /v1/contacts/",
    effect: "write",
    input: {
      name: z.string(),
      description: z.string().nullable().optional(),
      confirm: z
        .boolean()
        .optional()
        .describe("true: new contacts are pending until they use the link of a confirmation mail."),
      idempotency_key: idempotencyKey,
    },
  },
  {
    name: "add_contact",
    title: "Add a contact to a list",
    description: "Adds one address to a contact list.",
    route: "POST /v1/contacts/:list_id/contacts",
    effect: "write",
    repeatable: true,
    input: {
      email: contact.email,
      name: contact.name.optional(),
      metadata: contact.metadata.optional(),
      consent: z
        .strictObject({ source: z.string() })
        .optional()
        .describe(
          "Where the person agreed, when the user knows it. It is kept as evidence, and no confirmation is asked for.",
        ),
      idempotency_key: idempotencyKey,
    },
  },
  {
    name: "update_contact",
    title: "Change a contact",
    description: "Changes the given fields of a contact.",
    route: "PATCH /v1/contacts/:list_id/contacts/:contact_id",
    effect: "write",
    input: {
      email: contact.email.optional(),
      name: contact.name.optional(),
      metadata: contact.metadata.optional(),
    },
  },
  {
    name: "remove_contact",
    title: "Remove a contact from a list",
    description: "Deletes one contact of a list.",
    route: "DELETE /v1/contacts/:list_id/contacts/:contact_id",
    effect: "final",
  },
  {
    name: "list_topics",
    title: "List topics",
    description: "Returns the topics of the workspace's mail: kinds of mail that persons leave and join one by one.",
    route: "GET /v1/topics/",
    input: pageAfter(500),
  },
  {
    name: "create_topic",
    title: "Create a topic",
    description: "Creates a topic. Its default cannot be changed later.",
    route: "POST /v1/topics/",
    effect: "write",
    input: {
      name: z.string().describe("Recipients see it."),
      description: z.string().nullable().optional(),
      default: z.enum(["subscribed", "unsubscribed"]).optional().describe("State of persons without a choice."),
      is_public: z.boolean().optional().describe("Offered to every recipient on the page behind the unsubscribe link."),
      idempotency_key: idempotencyKey,
    },
  },
  {
    name: "get_person_topics",
    title: "Read the topics of a person",
    description: "Returns every topic with the choice of the person with an address.",
    route: "GET /v1/people/:email/topics",
    input: { email: contact.email },
  },
  {
    name: "send_event",
    title: "Send an event of a person",
    description:
      "Stores that something happened to a person, such as a purchase. It may begin automations of the workspace.",
    route: "POST /v1/events",
    effect: "final",
    input: {
      name: z.string().describe("Letters, digits, dots, hyphens and underscores, such as order.paid."),
      contact_id: id("contact").optional().describe("The contact, or give email."),
      email: contact.email.optional().describe("Address of the person, or give contact_id."),
      data: z.record(z.string(), z.unknown()).optional().describe("Details of the event."),
      occurred_at: z.string().optional().describe("When it happened, in ISO 8601. Absent: now."),
      idempotency_key: idempotencyKey,
    },
  },
  {
    name: "list_person_events",
    title: "List the events of a person",
    description: "Returns the events of the person with an address, newest first.",
    route: "GET /v1/people/:email/events",
    input: {
      email: contact.email,
      limit: limit(200),
      before: cursor.describe("Continues before this cursor (`next`)."),
    },
  },
  {
    name: "list_suppressions",
    title: "List suppressed addresses",
    description:
      "Returns addresses to which nothing is sent, with the reason: a bounce, a complaint or a manual entry.",
    route: "GET /v1/suppressions/",
    input: pageAfter(500),
  },
];
