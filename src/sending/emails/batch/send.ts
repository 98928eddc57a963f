import type { CallerCtx } from "../../../access/caller.ts";
import { unprocessable } from "../../../lib/errors.ts";
import type { MailStatement } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { storeMailResponse } from "../../../platform/idempotency/responses.ts";
import { requireEmailSpace } from "../../../platform/jobs/shard-sizes.ts";
import { batchUpload, type ContentUpload, putContents } from "../content/index.ts";
import { commitEmails, type NewEmail, requireSendingAllowed, toNewEmail } from "../send/index.ts";
import { type BatchItem, checkItems, type RefusedItem, type SendableItem } from "./check-items.ts";
import type { BatchOut } from "./schema.ts";

/** Emails that share an outbox row: one run claims and settles them together. */
const EMAILS_PER_OUTBOX_ROW = 100;

type BatchEmail = NewEmail & { index: number; warnings?: string[] };
/** Of the service's own batches: the source of their emails, and statements for the transaction that inserts them. */
interface BatchOptions {
  source?: "batch" | "system";
  extra?: readonly MailStatement[];
}

type IndexedResult = { index: number; result: BatchOut["results"][number] };

/**
 * Accepts up to 500 emails in one transaction with one R2 object, by the rules of single sends (docs/contract/emails.md#batches). The error
 * of an item is its result; with `isStrict` it refuses the whole batch. Throws 403 for an account that may not send, 429 when they exceed
 * the daily limit of the workspace, 422 when strict, ConcurrencyError when another call with the same Idempotency-Key committed first.
 */
export async function sendBatch(
  ctx: CallerCtx,
  items: readonly BatchItem[],
  isStrict: boolean,
  upload = batchUpload(ctx),
  { source = "batch", extra = [] }: BatchOptions = {},
): Promise<BatchOut> {
  requireSendingAllowed(ctx, source);
  requireEmailSpace(ctx);
  const { sendable, refused } = await checkItems(ctx, items, source);
  if (isStrict && refused.length > 0) {
    throw unprocessable(refused.toSorted((a, b) => a.index - b.index).flatMap(({ errors }) => errors));
  }
  const emails = sendable.length > 0 ? await toNewEmails(ctx, upload, sendable, source) : [];
  const response = toResponse(refused, emails);
  if (emails.length > 0) await commitEmails(ctx, emails, { response, contentKey: upload.key, extra });
  else if (ctx.idempotency || extra.length > 0)
    await guardedBatch(ctx.mail, [...extra, ...(await storeMailResponse(ctx, response))]);
  return response;
}

async function toNewEmails(
  ctx: CallerCtx,
  upload: ContentUpload,
  sendable: readonly SendableItem[],
  source: string,
): Promise<BatchEmail[]> {
  const items = await putContents(upload, sendable);
  // Emails that share an outbox row need one due time.
  const now = ctx.now();
  const atNow = { ...ctx, now: () => now };
  let rowEmails = 0;
  let outboxId = ctx.newId();
  return items.map((item): BatchEmail => {
    const email = toNewEmail(atNow, ctx.newId(), item, item.content, source);
    const stored = { index: item.index, warnings: item.warnings, contentKey: upload.key };
    if (email.status !== "queued") return { ...email, ...stored };
    if (rowEmails === EMAILS_PER_OUTBOX_ROW) [outboxId, rowEmails] = [ctx.newId(), 0];
    rowEmails += 1;
    return { ...email, ...stored, outboxId };
  });
}

function toResponse(refused: readonly RefusedItem[], emails: readonly BatchEmail[]): BatchOut {
  const indexed: IndexedResult[] = [
    ...refused.map(({ index, reason }): IndexedResult => {
      return { index, result: { id: null, status: "error", rejection_reason: reason } };
    }),
    ...emails.map(({ index, id, status, rejectionReason, warnings }): IndexedResult => {
      return { index, result: { id, status, rejection_reason: rejectionReason, warnings } };
    }),
  ];
  const results = indexed.sort((a, b) => a.index - b.index).map(({ result }) => result);
  const sent = results.filter(({ status }) => status === "queued" || status === "scheduled").length;
  return { total: results.length, sent, failed: results.length - sent, results };
}
