import type { DeclaredTool } from "../tool.ts";

/** Tools that send a broadcast, stop it, and read what became of it. */
export const broadcastSendingTools: readonly DeclaredTool[] = [
  {
    name: "get_broadcast_audience",
    title: "Count who gets a broadcast",
    description: "Returns how many contacts get a broadcast and how many are skipped. Use it before send_broadcast.",
    route: "GET /v1/broadcasts/:broadcast_id/audience",
  },
  {
    name: "send_broadcast_test",
    title: "Send a broadcast to test addresses",
    description:
      "Sends a broadcast, or one of its variants, to at most ten addresses. Nothing goes to its contact list.",
    route: "POST /v1/broadcasts/:broadcast_id/test",
    effect: "final",
  },
  {
    name: "send_broadcast",
    title: "Send a broadcast now",
    description:
      "Sends a draft or scheduled broadcast to its contact list at once. It cannot be taken back: let the user confirm the " +
      "content, and the numbers of get_broadcast_audience.",
    route: "POST /v1/broadcasts/:broadcast_id/send",
    effect: "final",
    repeatable: true,
  },
  {
    name: "pause_broadcast",
    title: "Pause a broadcast",
    description: "Holds back what a broadcast has not sent yet. resume_broadcast continues it.",
    route: "POST /v1/broadcasts/:broadcast_id/pause",
    effect: "write",
    repeatable: true,
  },
  {
    name: "resume_broadcast",
    title: "Resume a broadcast",
    description: "Continues a paused broadcast. What it sends cannot be taken back.",
    route: "POST /v1/broadcasts/:broadcast_id/resume",
    effect: "final",
    repeatable: true,
  },
  {
    name: "cancel_broadcast",
    title: "Cancel a broadcast",
    description: "Stops a broadcast for good. What it has sent stays sent.",
    route: "POST /v1/broadcasts/:broadcast_id/cancel",
    effect: "final",
    repeatable: true,
  },
  {
    name: "get_broadcast_results",
    title: "Compare the variants of a broadcast",
    description: "Returns delivered emails and clicks by variant, and whether their difference is more than chance.",
    route: "GET /v1/analytics/broadcasts/:broadcast_id",
  },
  {
    name: "list_broadcast_links",
    title: "List the most clicked links of a broadcast",
    description: "Returns the links of a broadcast that people clicked, the most clicked first.",
    route: "GET /v1/broadcasts/:broadcast_id/top-links",
  },
  {
    name: "list_broadcast_recipients",
    title: "List the recipients of a broadcast",
    description: "Returns the emails of a broadcast with their recipient and status.",
    route: "GET /v1/broadcasts/:broadcast_id/recipients",
  },
];
