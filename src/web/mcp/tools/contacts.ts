import * as z from "zod";
import type { ToolsByName } from "../tool.ts";

const email = z.string().describe("Address of the person.");

export const contactTools: ToolsByName = {
  list_contact_lists: {
    title: "List contact lists",
    description: "Returns the contact lists of the workspace with the number of their contacts.",
    route: "GET /v1/contacts/",
  },
  get_contact_list: {
    title: "Read a contact list",
    description: "Returns a contact list with a page of its contacts.",
    route: "GET /v1/contacts/:list_id",
  },
  create_contact_list: {
    title: "Create a contact list",
    description: "Creates an empty contact list.",
    route: "POST /v1/contacts/",
    without: ["icon_seed"],
    effect: "write",
  },
  add_contact: {
    title: "Add a contact to a list",
    description: "Adds one address to a contact list.",
    route: "POST /v1/contacts/:list_id/contacts",
    without: ["subscribed"],
    effect: "write",
    repeatable: true,
  },
  update_contact: {
    title: "Change a contact",
    description: "Changes the given fields of a contact.",
    route: "PATCH /v1/contacts/:list_id/contacts/:contact_id",
    without: ["subscribed"],
    effect: "write",
  },
  remove_contact: {
    title: "Remove a contact from a list",
    description: "Deletes one contact of a list.",
    route: "DELETE /v1/contacts/:list_id/contacts/:contact_id",
    effect: "final",
  },
  list_topics: {
    title: "List topics",
    description: "Returns the topics of the workspace's mail: kinds of mail that persons leave and join one by one.",
    route: "GET /v1/topics/",
  },
  create_topic: {
    title: "Create a topic",
    description: "Creates a topic. Its default cannot be changed later.",
    route: "POST /v1/topics/",
    effect: "write",
  },
  get_person_topics: {
    title: "Read the topics of a person",
    description: "Returns every topic with the choice of the person with an address.",
    route: "GET /v1/people/:email/topics",
    fields: { email },
  },
  send_event: {
    title: "Send an event of a person",
    description:
      "Stores that something happened to a person, such as a purchase. It may begin automations of the workspace.",
    route: "POST /v1/events",
    effect: "final",
  },
  list_person_events: {
    title: "List the events of a person",
    description: "Returns the events of the person with an address, newest first.",
    route: "GET /v1/people/:email/events",
    fields: { email },
  },
  list_suppressions: {
    title: "List suppressed addresses",
    description:
      "Returns addresses to which nothing is sent, with the reason: a bounce, a complaint or a manual entry.",
    route: "GET /v1/suppressions/",
    without: ["after_topic"],
  },
  list_contact_forms: {
    title: "List the forms of a contact list",
    description: "Returns the hosted forms by which people join a contact list, with the URL and the HTML of each.",
    route: "GET /v1/contacts/:list_id/forms",
  },
  create_contact_form: {
    title: "Create a form of a contact list",
    description: "Creates a hosted form. Who submits it is pending until they confirm by the link of an email.",
    route: "POST /v1/contacts/:list_id/forms",
    effect: "write",
    repeatable: true,
  },
  update_contact_form: {
    title: "Change a form of a contact list",
    description: "Changes the given fields of a form, or ends and resumes its submissions.",
    route: "PATCH /v1/contacts/:list_id/forms/:form_id",
    effect: "write",
  },
};
