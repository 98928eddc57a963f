import * as z from "zod";
import { cursor, type DeclaredTool, idempotencyKey, limit } from "../tool.ts";

/** The fields of a broadcast. */
const broadcast = {
  name: z.string().describe("Internal name."),
  subject: z.string().describe("May contain placeholders such as {{name}}."),
  from_address: z.string().describe("Sender: an address, or `Name <address>`."),
  preheader: z.string().nullish(),
  html_body: z.string().nullish(),
  text_body: z.string().nullish(),
  reply_to: z.string().nullish(),
  contact_list_id: z.string().nullish().describe("Id of the contact list that gets it."),
  more_contact_list_ids: z
    .array(z.string())
    .nullish()
    .describe("Ids of further lists. A person in several gets the broadcast once."),
  mailbox_id: z.string().nullish().describe("Id of the mailbox whose address from_address is."),
  topic_id: z.string().nullish().describe("Id of the topic: only contacts who are subscribed to it get the broadcast."),
  segment_id: z
    .string()
    .nullish()
    .describe("Id of the segment: only its people get it. Without a list, all of them do."),
  scheduled_at: z
    .string()
    .nullish()
    .describe("ISO 8601 with an offset: it is sent at that time. Null or absent: it is a draft until send_broadcast."),
  ab_test_pct: z
    .int()
    .min(1)
    .max(99)
    .nullish()
    .describe(
      "With two or more variants: the percentage of the list that is mailed first. promote_broadcast_variant then sends the " +
        "better variant to the others. Without it the variants share the whole list.",
    ),
  max_per_hour: z.int().min(1).nullish().describe("Greatest number of emails an hour."),
};

export const broadcastTools: readonly DeclaredTool[] = [
  {
    name: "list_broadcasts",
    title: "List broadcasts",
    description: "Returns broadcasts with their counters, newest first.",
    route: "GET /v1/broadcasts/",
    input: {
      status: z.string().optional().describe("draft, scheduled, sending, sent and others."),
      limit: limit(200),
      before: cursor.describe("Id of the last broadcast of the page before: continues after it."),
    },
  },
  {
    name: "get_broadcast",
    title: "Read a broadcast",
    description: "Returns a broadcast with its content and counters.",
    route: "GET /v1/broadcasts/:broadcast_id",
  },
  {
    name: "create_broadcast",
    title: "Create a broadcast",
    description:
      "Creates a mailing to a contact list: a draft, or with scheduled_at one that is sent by itself at that time. Let the user " +
      "confirm a time.",
    route: "POST /v1/broadcasts/",
    effect: "write",
    input: { ...broadcast, idempotency_key: idempotencyKey },
  },
  {
    name: "update_broadcast",
    title: "Change a broadcast",
    description:
      "Changes the given fields of a draft or scheduled broadcast. scheduled_at schedules it; null makes it a draft again.",
    route: "PATCH /v1/broadcasts/:broadcast_id",
    effect: "write",
    input: z.object(broadcast).partial().shape,
  },
];
