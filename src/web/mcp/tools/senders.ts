import * as z from "zod";
import { cursor, id, limit, type Tool } from "../tool.ts";

const page = z.strictObject({ limit: limit(500), after: cursor.describe("Continues after this cursor (`next`).") });

export const senderTools: readonly Tool[] = [
  {
    name: "get_me",
    title: "Who am I",
    description: "Returns the user, the workspace and the scopes that these tools act with.",
    route: "GET /v1/me",
    effect: "read",
    input: z.strictObject({}),
  },
  {
    name: "list_mailboxes",
    title: "List mailboxes",
    description: "Returns the addresses from which emails can be sent.",
    route: "GET /v1/mailboxes/",
    effect: "read",
    input: page,
  },
  {
    name: "list_domains",
    title: "List domains",
    description: "Returns the domains of the workspace, and whether they are verified for sending.",
    route: "GET /v1/domains/",
    effect: "read",
    input: page,
  },
  {
    name: "get_domain",
    title: "Read a domain with its DNS records",
    description:
      "Returns a domain with the DNS records to publish, and what the last check found for each. Use it to learn why a domain " +
      "is not verified.",
    route: "GET /v1/domains/:domain_id",
    effect: "read",
    input: z.strictObject({ domain_id: id("domain") }),
  },
];
