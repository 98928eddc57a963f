import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { noContent } from "../../../http/no-content.ts";
import { pathText, responses } from "../../../http/openapi.ts";
import { pageQuery, respondList } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { readHost } from "../host-name.ts";
import { operation } from "../routes.ts";
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
export const operationRoutes = newRoutes()
  .get(
    "/v1/admin/outboxes/:database",
    operation("listOutboxRows", {
      summary: "List the outbox of a database, soonest due first",
      parameters: [database],
      responses: responses(200, "A page of rows", z.array(OutboxRowOut), [403, 404]),
    }),
    query(OutboxQuery),
    (c) =>
      respondList(c, {
        read: (caller, { after, limit }) => {
          const [, dueAt = "0", id = ""] = OUTBOX_CURSOR.exec(after ?? "") ?? [];
          return listOutboxRows(caller, c.req.param("database"), { after: { dueAt: Number(dueAt), id }, limit });
        },
        after: (row) => `${row.due_at}.${row.id}`,
        serialize: toOutboxRow,
      }),
  )
  .post(
    "/v1/admin/outboxes/:database/requeue",
    operation("retryOutboxRows", {
      summary: "Make rows of an outbox due now and reset their claims",
      description: "Rows that a run holds, and those that have moved since they were listed, are skipped.",
      parameters: [database],
      responses: responses(200, "The number of rows", RequeueOut, [403, 404, 413, 415]),
    }),
    ...body(RequeueIn),
    async (c) => {
      const rows = c.req.valid("json").rows.map(({ id, due_at }) => ({ id, dueAt: due_at }));
      return c.json({ requeued: await requeueRows(c.get("caller"), c.req.param("database"), rows) });
    },
  )
  .get(
    "/v1/admin/quarantines/:database",
    operation("listQuarantinedRows", {
      summary: "List outbox rows that were set aside, because their work alone failed",
      parameters: [database],
      responses: responses(200, "A page of rows", z.array(QuarantinedRowOut), [403, 404]),
    }),
    query(ListQuery),
    (c) =>
      respondList(c, {
        read: (caller, page) => listQuarantine(caller, c.req.param("database"), page),
        after: ({ id }) => id,
        serialize: toQuarantinedRow,
      }),
  )
  .post(
    "/v1/admin/quarantines/:database/:row_id/retry",
    operation("retryQuarantinedRow", {
      summary: "Try a row again that was set aside",
      description: "It is set aside again when it fails again.",
      parameters: [database],
      responses: responses(204, "Due now", null, [403, 404]),
    }),
    (c) => noContent(c, retryQuarantined(c.get("caller"), c.req.param("database"), c.req.param("row_id"))),
  )
  .delete(
    "/v1/admin/quarantines/:database/:row_id",
    operation("deleteQuarantinedRow", {
      summary: "Drop a row that was set aside",
      description: "Its work is not done. An email that it is for is `failed`.",
      parameters: [database],
      responses: responses(204, "Dropped", null, [403, 404]),
    }),
    (c) => noContent(c, dropQuarantined(c.get("caller"), c.req.param("database"), c.req.param("row_id"))),
  )
  .get(
    "/v1/admin/dead-letters",
    operation("listDeadLetters", {
      summary: "List queue messages that failed every retry",
      responses: responses(200, "A page of dead letters", z.array(DeadLetterOut), [403]),
    }),
    query(ListQuery),
    (c) => respondList(c, { read: listDeadLetters, after: ({ id }) => id, serialize: toDeadLetter }),
  )
  .post(
    "/v1/admin/dead-letters/:letter_id/replay",
    operation("retryDeadLetter", {
      summary: "Send a dead letter to its queue again",
      description: "The record is deleted. A message that fails again is recorded again.",
      parameters: [letterId],
      responses: responses(200, "The dead letter", DeadLetterOut, [403, 404, 409]),
    }),
    async (c) => c.json(toDeadLetter(await replayDeadLetter(c.get("caller"), c.req.param("letter_id")))),
  )
  .delete(
    "/v1/admin/dead-letters/:letter_id",
    operation("deleteDeadLetter", {
      summary: "Delete a dead letter",
      description: "The outbox rows that it names stay, and the sweep finds them.",
      parameters: [letterId],
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, dropDeadLetter(c.get("caller"), c.req.param("letter_id"))),
  )
  .get(
    "/v1/admin/blocked-hosts",
    operation("listBlockedHosts", {
      summary: "List hosts to which tracking links do not redirect",
      responses: responses(200, "A page of hosts", z.array(BlockedHostOut), [403]),
    }),
    query(ListQuery),
    (c) => respondList(c, { read: listBlockedHosts, after: (row) => row.host, serialize: toBlockedHost }),
  )
  .put(
    "/v1/admin/blocked-hosts/:host",
    operation("addBlockedHost", {
      summary: "Block a host and its sub-domains as targets of tracking links",
      description: "Within a minute links to it return 410.",
      parameters: [host],
      responses: responses(200, "The host", BlockedHostOut, [403, 404]),
    }),
    async (c) => c.json(toBlockedHost(await blockHost(c.get("caller"), readHost(c.req.param("host"), "host")))),
  )
  .delete(
    "/v1/admin/blocked-hosts/:host",
    operation("removeBlockedHost", {
      summary: "End the block of a host",
      parameters: [host],
      responses: responses(204, "Ended", null, [403, 404]),
    }),
    (c) => noContent(c, unblockHost(c.get("caller"), readHost(c.req.param("host"), "host"))),
  )
  .post(
    "/v1/admin/databases/:database/reindex",
    operation("replaceSearchIndex", {
      summary: "Make the search index of a mail database anew",
      description: "Search does not find emails that are not indexed yet. Cron indexes the rest too.",
      parameters: [mailDatabase],
      responses: responses(200, "Whether all emails are indexed", ReindexOut, [403, 404, 413, 415]),
    }),
    ...body(ReindexIn),
    async (c) => {
      const { restart } = c.req.valid("json");
      return c.json({ is_done: await reindexDatabase(c.get("caller"), c.req.param("database"), restart) });
    },
  )
  .post(
    "/v1/admin/outbox/release",
    operation("endRestoreHold", {
      summary: "Release what a restored backup holds: it is sent",
      description: "Releases 500 rows of each database. Call it until none is left.",
      responses: responses(200, "The number of released rows", ReleaseOut, [403]),
    }),
    async (c) => c.json({ released: await resumeRestored(c.get("caller")) }),
  );
