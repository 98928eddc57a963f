import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { invalidField } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { spendStatement } from "../../platform/db/has-room.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { allTopicsEvents, wakeForTopicEvents } from "../topics/index.ts";
import { copyToContacts } from "./copy-to-contacts.ts";
import { findSuppression, type StoredSuppression } from "./queries.ts";
import { type SuppressionIn, type SuppressionOut, toSuppression } from "./schema.ts";
import { newSuppressions, replacesReason, type SuppressionEntry, suppressStatement } from "./suppress.ts";
import { addTopicUnsubscribe } from "./topic-unsubscribes.ts";

/** Tries of read and write when the row of the address changes in between. */
const MAX_TRIES = 3;

// Fails the batch when the row changed after it was read.
const REQUIRE_REASON = `SELECT CASE WHEN ?3 IS NOT (
  SELECT reason FROM suppressions WHERE workspace = ?1 AND email = ?2) THEN json('changed') END`;

export interface Added {
  /** False when the address was already suppressed. */
  isNew: boolean;
  suppression: SuppressionOut;
}

/**
 * Adds an address to the suppression list of the workspace. A listed address keeps its reason, unless the
 * new one is stronger (`replacesReason`); an unsubscribe is also kept beside a stronger reason. With a topic, an unsubscribe from that one only. Throws 422 for an invalid address, 404 for a topic, ConcurrencyError when another
 * call with the same Idempotency-Key committed first.
 */
export async function addSuppression(ctx: CallerCtx, { email, reason, topic_id }: SuppressionIn): Promise<Added> {
  const parsed = parseAddress(email);
  if (!parsed) {
    throw invalidField("email", "email must be a valid email address");
  }
  if (topic_id) return addTopicUnsubscribe(ctx, parsed.key, topic_id);
  const entry: SuppressionEntry = { workspace: ctx.workspace.number, email: parsed.key, reason, emailId: null };
  for (let tries = 1; ; tries++) {
    try {
      const added = await addOnce(ctx, entry);
      await copyToContacts(ctx, entry.workspace, [entry.email]);
      return added;
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Returns whether an unsubscribe is new to an address that is listed for another reason: it is kept beside that. */
const isFirstUnsubscribe = (before: StoredSuppression, reason: SuppressionEntry["reason"]) =>
  reason === "unsubscribe" && before.reason !== "unsubscribe" && before.unsubscribedAt === null;

/** Reads the row, derives the response from it, and writes both. The batch rolls back when the row changed in between. */
async function addOnce(ctx: CallerCtx, entry: SuppressionEntry): Promise<Added> {
  const before = await findSuppression(ctx, entry.email);
  const isWritten = !before || replacesReason(before.reason, entry.reason);
  const unsubscribes = before !== null && isFirstUnsubscribe(before, entry.reason);
  const isChanged = isWritten || unsubscribes;
  const now = ctx.now();
  const row = isWritten ? { ...entry, createdAt: now } : before;
  const suppression = toSuppression(row);
  const events = entry.reason === "unsubscribe" ? allTopicsEvents(ctx, entry, "unsubscribed") : null;
  const results = await guardedBatch(ctx.db, [
    ...(events ? [events.statement] : []),
    ctx.db.prepare(REQUIRE_REASON).bind(entry.workspace, entry.email, before?.reason ?? null),
    spendStatement(ctx, "suppressions", entry.workspace, newSuppressions([entry])),
    suppressStatement(ctx, [entry], now),
    expectChanges(ctx.db, isChanged ? 1 : 0),
    ...(isChanged
      ? [auditStatement(ctx, { action: "suppression.added", target: row.email, detail: { reason: entry.reason } })]
      : []),
    ...(await storeResponse(ctx, suppression, before ? 200 : 201)),
  ]);
  if (events) await wakeForTopicEvents(ctx, events, results[0]);
  return { isNew: !before, suppression };
}
