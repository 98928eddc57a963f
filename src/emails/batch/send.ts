import type { CallerCtx } from "../../context.ts";
import { guardedBatch } from "../../db/batch.ts";
import { mailDb } from "../../db/client.ts";
import { unprocessable } from "../../errors.ts";
import { storeResponse } from "../../idempotency/index.ts";
import { batchUpload, type ContentUpload, putContents } from "../content/index.ts";
import type { Draft } from "../send/index.ts";
import { type Checked, commitDrafts, requireAccount, toDraft } from "../send/index.ts";
import { type BatchItem, type ReadItem, readItems } from "./read-items.ts";
import type { BatchOut } from "./schema.ts";

/** Emails that share an outbox row: what one run claims and settles together. */
const CHUNK = 100;
/** Octets of content that ride along in the rows of one batch; the rest is read from R2 when it is sent. */
const RIDE_ALONG = 2_000_000;

/**
 * Accepts up to 500 emails as as many single sends would be accepted, in one transaction with one object in R2
 * (decisions 4). What is wrong with an item is told in its place; with `isStrict` it refuses all. Throws 403 for an account that may not send, 422 when strict, LostRace when another call with the
 * same Idempotency-Key was first.
 */
export async function sendBatch(
  ctx: CallerCtx,
  items: readonly BatchItem[],
  isStrict: boolean,
  upload = batchUpload(ctx),
): Promise<BatchOut> {
  requireAccount(ctx);
  const read = await readItems(ctx, items);
  if (isStrict) refuseFaults(read);
  const good = read.flatMap((item) => ("checked" in item ? [item.checked] : []));
  const drafts = good.length > 0 ? await toDrafts(ctx, upload, good) : [];
  const answer = toResult(read, drafts);
  if (drafts.length === 0) {
    if (ctx.idempotency) await guardedBatch(mailDb(ctx), storeResponse(ctx, answer));
    return answer;
  }
  await commitDrafts(ctx, drafts, answer, upload.key);
  return answer;
}

/** The rows of a batch: content packed into one object, those that leave now in chunks of work. */
async function toDrafts(ctx: CallerCtx, upload: ContentUpload, good: readonly Checked[]): Promise<Draft[]> {
  const places = await putContents(upload, good);
  const now = ctx.now();
  let riding = 0;
  let inChunk = 0;
  let outboxId = ctx.newId();
  return good.map((checked, index) => {
    const place = places[index];
    if (!place) throw new Error("an item has no content");
    const draft = toDraft(ctx, ctx.newId(), checked, place, "batch");
    riding += draft.content === null ? 0 : place.size;
    const content = riding <= RIDE_ALONG ? draft.content : null;
    if (draft.status !== "queued") return { ...draft, contentKey: upload.key, content };
    if (inChunk === CHUNK) [outboxId, inChunk] = [ctx.newId(), 0];
    inChunk += 1;
    // One moment for all of a chunk: they share a row of the outbox.
    return { ...draft, contentKey: upload.key, content, outboxId, dueAt: now, createdAt: now };
  });
}

function toResult(read: readonly ReadItem[], drafts: readonly Draft[]): BatchOut {
  const next = drafts.values();
  const results = read.map((item): BatchOut["results"][number] => {
    if ("reason" in item) return { id: null, status: "error", rejection_reason: item.reason };
    const draft = next.next().value;
    if (!draft) throw new Error("an item has no draft");
    return { id: draft.id, status: draft.status, rejection_reason: draft.rejectionReason };
  });
  const sent = results.filter(({ status }) => status === "queued" || status === "scheduled").length;
  return { total: results.length, sent, failed: results.length - sent, results };
}

function refuseFaults(read: readonly ReadItem[]): void {
  const faults = read.flatMap((item) => ("faults" in item ? item.faults : []));
  if (faults.length > 0) throw unprocessable(faults);
}
