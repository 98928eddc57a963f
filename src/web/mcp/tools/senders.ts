import type { ToolsByName } from "../tool.ts";

export const senderTools: ToolsByName = {
  get_me: {
    title: "Who am I",
    description: "Returns the user, the workspace and the scopes that these tools act with.",
    route: "GET /v1/me",
  },
  list_mailboxes: {
    title: "List mailboxes",
    description: "Returns the addresses from which emails can be sent.",
    route: "GET /v1/mailboxes/",
  },
  list_domains: {
    title: "List domains",
    description: "Returns the domains of the workspace, and whether they are verified for sending.",
    route: "GET /v1/domains/",
  },
  get_domain: {
    title: "Read a domain with its DNS records",
    description:
      "Returns a domain with the DNS records to publish, and what the last check found for each. Use it to learn why a domain " +
      "is not verified.",
    route: "GET /v1/domains/:domain_id",
  },
};
