import type { DeclaredTool } from "../tool.ts";

/** Tools of A/B tests: two or more variants of a broadcast that is a draft or scheduled. */
export const broadcastVariantTools: readonly DeclaredTool[] = [
  {
    name: "list_broadcast_variants",
    title: "List the variants of a broadcast",
    description: "Returns the variants of a broadcast with their content and counters, oldest first.",
    route: "GET /v1/broadcasts/:broadcast_id/variants",
  },
  {
    name: "create_broadcast_variant",
    title: "Add a variant to a broadcast",
    description:
      "Adds a variant to a draft or scheduled broadcast. With variants, only these are sent: an A/B test has two.",
    route: "POST /v1/broadcasts/:broadcast_id/variants",
    effect: "write",
    repeatable: true,
  },
  {
    name: "update_broadcast_variant",
    title: "Change a variant of a broadcast",
    description: "Changes the given fields of a variant of a draft or scheduled broadcast.",
    route: "PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id",
    effect: "write",
  },
  {
    name: "remove_broadcast_variant",
    title: "Remove a variant of a broadcast",
    description: "Deletes a variant of a draft or scheduled broadcast.",
    route: "DELETE /v1/broadcasts/:broadcast_id/variants/:variant_id",
    effect: "final",
  },
  {
    name: "promote_broadcast_variant",
    title: "Send the better variant to the other contacts",
    description:
      "Sends a variant to the contacts outside the sample of an A/B test that was sent. It cannot be taken back: show the user " +
      "get_broadcast_results and let them choose.",
    route: "POST /v1/broadcasts/:broadcast_id/promote/:variant_id",
    effect: "final",
    repeatable: true,
  },
];
