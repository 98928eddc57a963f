import type { ToolsByName } from "../tool.ts";

export const broadcastTools: ToolsByName = {
  list_broadcasts: {
    title: "List broadcasts",
    description: "Returns broadcasts with their counters, newest first.",
    route: "GET /v1/broadcasts/",
  },
  get_broadcast: {
    title: "Read a broadcast",
    description: "Returns a broadcast with its content and counters.",
    route: "GET /v1/broadcasts/:broadcast_id",
  },
  create_broadcast: {
    title: "Create a broadcast",
    description:
      "Creates a mailing to a contact list: a draft, or with scheduled_at one that is sent by itself at that time. Let the user " +
      "confirm a time.",
    route: "POST /v1/broadcasts/",
    without: ["blocks_json"],
    effect: "write",
  },
  update_broadcast: {
    title: "Change a broadcast",
    description:
      "Changes the given fields of a draft or scheduled broadcast. scheduled_at schedules it; null makes it a draft again.",
    route: "PATCH /v1/broadcasts/:broadcast_id",
    without: ["blocks_json"],
    effect: "write",
  },
  // Two or more variants of a broadcast are an A/B test.
  list_broadcast_variants: {
    title: "List the variants of a broadcast",
    description: "Returns the variants of a broadcast with their content and counters, oldest first.",
    route: "GET /v1/broadcasts/:broadcast_id/variants",
  },
  create_broadcast_variant: {
    title: "Add a variant to a broadcast",
    description:
      "Adds a variant to a draft or scheduled broadcast. With variants, only these are sent: an A/B test has two.",
    route: "POST /v1/broadcasts/:broadcast_id/variants",
    effect: "write",
    repeatable: true,
  },
  update_broadcast_variant: {
    title: "Change a variant of a broadcast",
    description: "Changes the given fields of a variant of a draft or scheduled broadcast.",
    route: "PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id",
    effect: "write",
  },
  remove_broadcast_variant: {
    title: "Remove a variant of a broadcast",
    description: "Deletes a variant of a draft or scheduled broadcast.",
    route: "DELETE /v1/broadcasts/:broadcast_id/variants/:variant_id",
    effect: "final",
  },
  promote_broadcast_variant: {
    title: "Send the better variant to the other contacts",
    description:
      "Sends a variant to the contacts outside the sample of an A/B test that was sent. It cannot be taken back: show the user " +
      "get_broadcast_results and let them choose.",
    route: "POST /v1/broadcasts/:broadcast_id/promote/:variant_id",
    effect: "final",
    repeatable: true,
  },
  get_broadcast_audience: {
    title: "Count who gets a broadcast",
    description: "Returns how many contacts get a broadcast and how many are skipped. Use it before send_broadcast.",
    route: "GET /v1/broadcasts/:broadcast_id/audience",
  },
  send_broadcast_test: {
    title: "Send a broadcast to test addresses",
    description:
      "Sends a broadcast, or one of its variants, to at most ten addresses. Nothing goes to its contact list.",
    route: "POST /v1/broadcasts/:broadcast_id/test",
    effect: "final",
  },
  send_broadcast: {
    title: "Send a broadcast now",
    description:
      "Sends a draft or scheduled broadcast to its contact list at once. It cannot be taken back: let the user confirm the " +
      "content, and the numbers of get_broadcast_audience.",
    route: "POST /v1/broadcasts/:broadcast_id/send",
    effect: "final",
    repeatable: true,
  },
  pause_broadcast: {
    title: "Pause a broadcast",
    description: "Holds back what a broadcast has not sent yet. resume_broadcast continues it.",
    route: "POST /v1/broadcasts/:broadcast_id/pause",
    effect: "write",
    repeatable: true,
  },
  resume_broadcast: {
    title: "Resume a broadcast",
    description: "Continues a paused broadcast. What it sends cannot be taken back.",
    route: "POST /v1/broadcasts/:broadcast_id/resume",
    effect: "final",
    repeatable: true,
  },
  cancel_broadcast: {
    title: "Cancel a broadcast",
    description: "Stops a broadcast for good. What it has sent stays sent.",
    route: "POST /v1/broadcasts/:broadcast_id/cancel",
    effect: "final",
    repeatable: true,
  },
  get_broadcast_results: {
    title: "Compare the variants of a broadcast",
    description: "Returns delivered emails and clicks by variant, and whether their difference is more than chance.",
    route: "GET /v1/analytics/broadcasts/:broadcast_id",
  },
  list_broadcast_links: {
    title: "List the most clicked links of a broadcast",
    description: "Returns the links of a broadcast that people clicked, the most clicked first.",
    route: "GET /v1/broadcasts/:broadcast_id/top-links",
  },
  list_broadcast_recipients: {
    title: "List the recipients of a broadcast",
    description: "Returns the emails of a broadcast with their recipient and status.",
    route: "GET /v1/broadcasts/:broadcast_id/recipients",
  },
};
