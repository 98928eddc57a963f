import * as z from "zod";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import { parseIso } from "../../../lib/time.ts";
import type { BlockedHostRow } from "./blocked-hosts.ts";
import type { DeadLetterRow } from "./dead-letters.ts";
import type { OutboxRow } from "./outbox-rows.ts";
import type { QuarantinedRow } from "./quarantine.ts";
import { MAX_REQUEUED } from "./requeue-rows.ts";

/** A queue message that failed every retry. */
export const DeadLetterOut = z
  .object({
    id: z.string(),
    queue: z.string().describe("The dead-letter queue that it came from."),
    body: z.string().describe("The message as JSON. It has ids only."),
    recorded_at: timestamp,
  })
  .meta(
    named("DeadLetter", {
      id: "4f2f6b1c9d",
      queue: "work-dead",
      body: '{"type":"outbox.wake.v2","database":"main","rows":[]}',
      recorded_at: "2026-11-21T14:00:00.000Z",
    }),
  );

export const BlockedHostOut = z
  .object({ host: z.string(), created_at: timestamp })
  .meta(named("BlockedHost", { host: "phishing.example.net", created_at: "2026-11-21T14:00:00.000Z" }));

/** A row of an outbox. */
export const OutboxRowOut = z
  .object({
    id: z.string(),
    kind: z.string(),
    due_at: timestamp.describe("When it is due, or was when a run claimed it."),
    claims: z.int().describe("How often a run claimed it without finishing it."),
    is_claimed: z.boolean(),
  })
  .meta(
    named("OutboxRow", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      kind: "deliver",
      due_at: "2026-11-21T14:00:00.000Z",
      claims: 0,
      is_claimed: false,
    }),
  );

/** An outbox row that was set aside, because its work alone failed by its content. */
export const QuarantinedRowOut = z
  .object({
    id: z.string().describe("That of the email, for an email with a row of its own."),
    kind: z.string(),
    claims: z.int().describe("How often a run claimed it without finishing it."),
    error: z.string(),
    set_aside_at: timestamp,
  })
  .meta(
    named("QuarantinedRow", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      kind: "deliver",
      claims: 0,
      error: "Error: D1_ERROR: string or blob too big: SQLITE_TOOBIG",
      set_aside_at: "2026-11-21T14:00:00.000Z",
    }),
  );

export const RequeueIn = z
  .object({
    rows: z
      .array(
        z.object({
          id: z.string().min(1).max(200),
          due_at: z
            .string()
            .max(40)
            .transform((text) => parseIso(text) ?? Number.NaN)
            .refine(Number.isFinite, "due_at must be a time in ISO 8601 with its offset")
            .meta({ format: "date-time" }),
        }),
      )
      .min(1)
      .max(MAX_REQUEUED)
      .describe("`id` and `due_at` of rows, as GET /v1/admin/outboxes/{database} lists them."),
  })
  .meta({
    ref: "OutboxRequeue",
    example: { rows: [{ id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01", due_at: "2026-11-21T14:00:00.000Z" }] },
  });

export const RequeueOut = z
  .object({ requeued: z.int().describe("Rows that are due now.") })
  .meta(named("OutboxRequeueResult", { requeued: 1 }));

export const toDeadLetter = (row: DeadLetterRow) => serialize(DeadLetterOut, row);
export const toBlockedHost = (row: BlockedHostRow) => serialize(BlockedHostOut, row);
export const toQuarantinedRow = (row: QuarantinedRow) => serialize(QuarantinedRowOut, row);
export const toOutboxRow = (row: OutboxRow) => serialize(OutboxRowOut, { ...row, is_claimed: row.is_claimed === 1 });

/** Options of a reindexing: the search index of a database can be emptied first. */
export const ReindexIn = z
  .object({
    restart: z.boolean().describe("Empties the index first. Leave it out of the calls that continue.").default(false),
  })
  .meta(named("ReindexIn", { restart: true }));

export const ReindexOut = z
  .object({ is_done: z.boolean().describe("False: call again without `restart`; a call indexes 10,000 emails.") })
  .meta(named("Reindex", { is_done: true }));

export const ReleaseOut = z
  .object({ released: z.int().describe("Rows and deliveries of webhooks. 0: none is left.") })
  .meta(named("Release", { released: 0 }));
