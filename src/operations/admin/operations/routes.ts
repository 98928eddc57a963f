import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pathText } from "../../../http/openapi.ts";
import { pageQuery, respondList } from "../../../http/pagination.ts";
import { readHost } from "../host-name.ts";
import { blockHost, listBlockedHosts, unblockHost } from "./blocked-hosts.ts";
import { dropDeadLetter, listDeadLetters, replayDeadLetter } from "./dead-letters.ts";
import { listOutboxRows } from "./outbox-rows.ts";
import { dropQuarantined, listQuarantine, retryQuarantined } from "./quarantine.ts";
import { reindexDatabase } from "./reindex.ts";
import { requeueRows } from "./requeue-rows.ts";
import { resumeRestored } from "./resume-restored.ts";
import {
  BlockedHostOut,
  DeadLetterOut,
  OutboxRowOut,
  QuarantinedRowOut,
  ReindexIn,
  ReindexOut,
  ReleaseOut,
  RequeueIn,
  RequeueOut,
  toBlockedHost,
  toDeadLetter,
  toOutboxRow,
  toQuarantinedRow,
} from "./schema.ts";

const { limit } = pageQuery({ default: 100, max: 500 });
const cursor = z.string().max(300).optional().describe("Cursor from the `Link` header of the previous page.");
const ListQuery = z.object({ limit, after: cursor });
const OUTBOX_CURSOR = /^(\d{1,15})\.(.{1,200})$/;
const OutboxQuery = z.object({
  limit,
  after: z.string().regex(OUTBOX_CURSOR, "after must be the value of a Link header").optional(),
});

const letterId = pathText("letter_id", "Id of the dead letter", "4f2f6b1c9d");
const host = pathText("host", "Host name", "phishing.example.net");
const database = pathText("database", "`main`, or the number of a mail database", "main");
const mailDatabase = pathText("database", "Number of a mail database", "0");

/** The routes with which administrators of the platform operate it. */
export const operationRoutes = apiRoutes("Platform")
  .get("/v1/admin/outboxes/:database", "listOutboxRows", "platform_admin", {
    summary: "List the outbox of a database, soonest due first",
    parameters: [database],
    query: OutboxQuery,
    returns: { 200: ["A page of rows", z.array(OutboxRowOut)] },
    run: (_caller, { database, query }, c) =>
      respondList(c, query, {
        read: (caller, { after, limit }) => {
          const [, dueAt = "0", id = ""] = OUTBOX_CURSOR.exec(after ?? "") ?? [];
          return listOutboxRows(caller, database, { after: { dueAt: Number(dueAt), id }, limit });
        },
        after: (row) => `${row.due_at}.${row.id}`,
        serialize: toOutboxRow,
      }),
  })
  .post("/v1/admin/outboxes/:database/requeue", "retryOutboxRows", "platform_admin", outlives.nothing, {
    summary: "Make rows of an outbox due now and reset their claims",
    description: "Rows that a run holds, and those that have moved since they were listed, are skipped.",
    parameters: [database],
    body: RequeueIn,
    once: false,
    returns: { 200: ["The number of rows", RequeueOut] },
    run: async (caller, { database, body }) => {
      const rows = body.rows.map(({ id, due_at }) => ({ id, dueAt: due_at }));
      return { requeued: await requeueRows(caller, database, rows) };
    },
  })
  .get("/v1/admin/quarantines/:database", "listQuarantinedRows", "platform_admin", {
    summary: "List outbox rows that were set aside, because their work alone failed",
    parameters: [database],
    query: ListQuery,
    returns: { 200: ["A page of rows", z.array(QuarantinedRowOut)] },
    run: (_caller, { database, query }, c) =>
      respondList(c, query, {
        read: (caller, page) => listQuarantine(caller, database, page),
        after: ({ id }) => id,
        serialize: toQuarantinedRow,
      }),
  })
  .post("/v1/admin/quarantines/:database/:row_id/retry", "retryQuarantinedRow", "platform_admin", outlives.nothing, {
    summary: "Try a row again that was set aside",
    description: "It is set aside again when it fails again.",
    parameters: [database],
    once: false,
    returns: { 204: "Due now" },
    run: (caller, { database, row_id }) => retryQuarantined(caller, database, row_id),
  })
  .delete("/v1/admin/quarantines/:database/:row_id", "deleteQuarantinedRow", "platform_admin", outlives.nothing, {
    summary: "Drop a row that was set aside",
    description: "Its work is not done. An email that it is for is `failed`.",
    parameters: [database],
    returns: { 204: "Dropped" },
    run: (caller, { database, row_id }) => dropQuarantined(caller, database, row_id),
  })
  .get("/v1/admin/dead-letters", "listDeadLetters", "platform_admin", {
    summary: "List queue messages that failed every retry",
    query: ListQuery,
    returns: { 200: ["A page of dead letters", z.array(DeadLetterOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listDeadLetters, after: ({ id }) => id, serialize: toDeadLetter }),
  })
  .post("/v1/admin/dead-letters/:letter_id/replay", "retryDeadLetter", "platform_admin", outlives.nothing, {
    summary: "Send a dead letter to its queue again",
    description: "The record is deleted. A message that fails again is recorded again.",
    parameters: [letterId],
    once: false,
    returns: { 200: ["The dead letter", DeadLetterOut] },
    errors: [409],
    run: async (caller, { letter_id }) => toDeadLetter(await replayDeadLetter(caller, letter_id)),
  })
  .delete("/v1/admin/dead-letters/:letter_id", "deleteDeadLetter", "platform_admin", outlives.nothing, {
    summary: "Delete a dead letter",
    description: "The outbox rows that it names stay, and the sweep finds them.",
    parameters: [letterId],
    returns: { 204: "Deleted" },
    run: (caller, { letter_id }) => dropDeadLetter(caller, letter_id),
  })
  .get("/v1/admin/blocked-hosts", "listBlockedHosts", "platform_admin", {
    summary: "List hosts to which tracking links do not redirect",
    query: ListQuery,
    returns: { 200: ["A page of hosts", z.array(BlockedHostOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listBlockedHosts, after: (row) => row.host, serialize: toBlockedHost }),
  })
  .put("/v1/admin/blocked-hosts/:host", "addBlockedHost", "platform_admin", outlives.nothing, {
    summary: "Block a host and its sub-domains as targets of tracking links",
    description: "Within a minute links to it return 410.",
    parameters: [host],
    returns: { 200: ["The host", BlockedHostOut] },
    run: async (caller, { host }) => toBlockedHost(await blockHost(caller, readHost(host, "host"))),
  })
  .delete("/v1/admin/blocked-hosts/:host", "removeBlockedHost", "platform_admin", outlives.nothing, {
    summary: "End the block of a host",
    parameters: [host],
    returns: { 204: "Ended" },
    run: (caller, { host }) => unblockHost(caller, readHost(host, "host")),
  })
  .post("/v1/admin/databases/:database/reindex", "replaceSearchIndex", "platform_admin", outlives.nothing, {
    summary: "Make the search index of a mail database anew",
    description: "Search does not find emails that are not indexed yet. Cron indexes the rest too.",
    parameters: [mailDatabase],
    body: ReindexIn,
    once: false,
    returns: { 200: ["Whether all emails are indexed", ReindexOut] },
    run: async (caller, { database, body }) => ({ is_done: await reindexDatabase(caller, database, body.restart) }),
  })
  .post("/v1/admin/outbox/release", "endRestoreHold", "platform_admin", outlives.nothing, {
    summary: "Release what a restored backup holds: it is sent",
    description: "Releases 500 rows of each database. Call it until none is left.",
    once: false,
    returns: { 200: ["The number of released rows", ReleaseOut] },
    run: async (caller) => ({ released: await resumeRestored(caller) }),
  });
