import * as z from "zod";
import { cursor, id, idempotencyKey, limit, type Tool } from "../tool.ts";

const broadcast = {
  name: z.string().describe("Internal name."),
  subject: z.string().describe("May contain placeholders such as {{name}}."),
  from_address: z.string().describe("Sender: an address, or `Name <address>`."),
  preheader: z.string().nullish(),
  html_body: z.string().nullish(),
  text_body: z.string().nullish(),
  reply_to: z.string().nullish(),
  contact_list_id: z.string().nullish().describe("Id of the contact list that gets it."),
};

export const broadcastTools: readonly Tool[] = [
  {
    name: "list_broadcasts",
    title: "List broadcasts",
    description: "Returns broadcasts with their counters, newest first.",
    route: "GET /v1/broadcasts/",
    effect: "read",
    input: z.strictObject({
      status: z.string().optional().describe("draft, scheduled, sending, sent and others."),
      limit: limit(200),
      before: cursor.describe("Id of the last broadcast of the page before: continues after it."),
    }),
  },
  {
    name: "get_broadcast",
    title: "Read a broadcast",
    description: "Returns a broadcast with its content and counters.",
    route: "GET /v1/broadcasts/:broadcast_id",
    effect: "read",
    input: z.strictObject({ broadcast_id: id("broadcast") }),
  },
  {
    name: "create_broadcast",
    title: "Create a broadcast",
    description: "Creates a draft of a mailing to a contact list. Sends nothing.",
    route: "POST /v1/broadcasts/",
    effect: "write",
    input: z.strictObject({ ...broadcast, idempotency_key: idempotencyKey }),
  },
  {
    name: "update_broadcast",
    title: "Change a broadcast",
    description: "Changes the given fields of a draft or scheduled broadcast.",
    route: "PATCH /v1/broadcasts/:broadcast_id",
    effect: "write",
    input: z.strictObject({ broadcast_id: id("broadcast"), ...z.object(broadcast).partial().shape }),
  },
  {
    name: "pause_broadcast",
    title: "Pause a broadcast",
    description: "Holds back what a broadcast has not sent yet. resume_broadcast continues it.",
    route: "POST /v1/broadcasts/:broadcast_id/pause",
    effect: "write",
    input: z.strictObject({ broadcast_id: id("broadcast") }),
  },
  {
    name: "resume_broadcast",
    title: "Resume a broadcast",
    description: "Continues a paused broadcast. What it sends cannot be taken back.",
    route: "POST /v1/broadcasts/:broadcast_id/resume",
    effect: "final",
    input: z.strictObject({ broadcast_id: id("broadcast") }),
  },
  {
    name: "cancel_broadcast",
    title: "Cancel a broadcast",
    description: "Stops a broadcast for good. What it has sent stays sent.",
    route: "POST /v1/broadcasts/:broadcast_id/cancel",
    effect: "final",
    input: z.strictObject({ broadcast_id: id("broadcast") }),
  },
];
