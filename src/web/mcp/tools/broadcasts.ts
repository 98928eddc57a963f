import type { DeclaredTool } from "../tool.ts";

export const broadcastTools: readonly DeclaredTool[] = [
  {
    name: "list_broadcasts",
    title: "List broadcasts",
    description: "Returns broadcasts with their counters, newest first.",
    route: "GET /v1/broadcasts/",
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
  },
  {
    name: "update_broadcast",
    title: "Change a broadcast",
    description:
      "Changes the given fields of a draft or scheduled broadcast. scheduled_at schedules it; null makes it a draft again.",
    route: "PATCH /v1/broadcasts/:broadcast_id",
    effect: "write",
  },
];
