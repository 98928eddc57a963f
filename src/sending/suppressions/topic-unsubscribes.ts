import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { notFound } from "../../lib/errors.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import {
  chooseStatement,
  findPersonTopics,
  forgetStatement,
  topicEvents,
  wakeForTopicEvents,
} from "../topics/index.ts";
import { type SuppressionOut, toSuppression } from "./schema.ts";

/**
 * Unsubscribes a person, by the canonical address, from one topic. `isNew` is false when that was so already. Throws 404 for the topic,
 * ConcurrencyError when another call with the same Idempotency-Key committed first.
 */
export async function addTopicUnsubscribe(
  ctx: CallerCtx,
  email: string,
  topicId: string,
): Promise<{ isNew: boolean; suppression: SuppressionOut }> {
  const { number } = ctx.workspace;
  const topic = (await findPersonTopics(ctx, number, email)).topics.find(({ id }) => id === topicId);
  if (!topic) throw notFound("Topic");
  const isNew = topic.choice !== "unsubscribed";
  const now = ctx.now();
  const createdAt = isNew ? now : (topic.chosenAt ?? now);
  const suppression = toSuppression({ email, reason: "unsubscribe", topicId, createdAt });
  const detail = { reason: "unsubscribe", topic_id: topicId };
  const events = topicEvents(ctx, { workspace: number, email }, [{ id: topicId, choice: "unsubscribed" }]);
  const results = await guardedBatch(ctx.db, [
    events.statement,
    chooseStatement(ctx, { workspace: number, email, method: "api" }, [{ id: topicId, choice: "unsubscribed" }], now),
    auditIfChangedStatement(ctx, { action: "suppression.added", target: email, detail }),
    ...(await storeResponse(ctx, suppression, isNew ? 201 : 200)),
  ]);
  await wakeForTopicEvents(ctx, events, results[0]);
  return { isNew, suppression };
}

/** Removes the unsubscribe of an address from one topic: its default counts then. Throws 404 when there is none. */
export async function removeTopicUnsubscribe(ctx: CallerCtx, email: string, topicId: string): Promise<void> {
  const key = parseAddress(email)?.key;
  if (key === undefined) throw notFound("Suppression");
  const { number } = ctx.workspace;
  const topic = (await findPersonTopics(ctx, number, key)).topics.find(({ id }) => id === topicId);
  if (topic?.choice !== "unsubscribed") throw notFound("Suppression");
  const person = { workspace: number, email: key };
  const chosen = [{ id: topicId, choice: null }];
  const events = topicEvents(ctx, person, chosen);
  const results = await ctx.db.batch([
    events.statement,
    forgetStatement(ctx, person, chosen),
    auditIfChangedStatement(ctx, { action: "suppression.removed", target: key, detail: { topic_id: topicId } }),
  ]);
  await wakeForTopicEvents(ctx, events, results[0]);
}
