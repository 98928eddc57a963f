import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { checkSize } from "./change.ts";
import { checkReferences, checkScheduledAt, checkTexts, domainOfSender } from "./check-references.ts";
import { zeroCounts } from "./counts.ts";
import { type BroadcastRow, toMoreLists, toRecord } from "./queries.ts";
import type { BroadcastIn, BroadcastOut } from "./schema.ts";

const INSERT = `
  INSERT INTO broadcasts (workspace, id, status, user_id, contact_list_id, mailbox_id, name, subject, preheader, from_address,
    from_domain, reply_to, scheduled_at, ab_test_pct, max_per_hour, size, created_at, updated_at, html_body, text_body, language,
    ab_auto_promote, more_lists, topic_id, segment_id)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)`;

// The number of the broadcast is known in its transaction only.
const INSERT_TASK = `
  INSERT INTO outbox (due_at, id, kind, ref, workspace)
  SELECT scheduled_at, id, 'broadcast', json_array(n), workspace FROM broadcasts
   WHERE workspace = ?1 AND id = ?2 AND scheduled_at IS NOT NULL`;

/**
 * Creates a broadcast: a draft, or scheduled when it has a time. Throws 404 for its list, mailbox, topic or segment, 422 for a time that is not
 * in the future, 403 for a time without `broadcasts:send`, 413 when it is too large, 422 with the place of a mistake in its texts.
 */
export async function createBroadcast(ctx: CallerCtx, input: BroadcastIn): Promise<BroadcastOut> {
  checkScheduledAt(ctx, input.scheduled_at);
  if (input.scheduled_at) requireScopes(ctx.actor, "broadcasts:send");
  await checkReferences(ctx, input);
  const row = toRow(ctx, input);
  const response = toRecord(ctx.workspace.id, { row, fanOut: null, counts: zeroCounts });
  const values = [row.workspace, row.id, row.status, row.user_id, row.contact_list_id, row.mailbox_id, row.name];
  const content = [row.subject, row.preheader, row.from_address, row.from_domain, row.reply_to, row.scheduled_at];
  const rest = [row.ab_test_pct, row.max_per_hour, checkSize(response), row.created_at, row.html_body, row.text_body];
  await checkTexts(ctx, row);
  await guardedBatch(ctx.mail, [
    ctx.mail
      .prepare(INSERT)
      .bind(
        ...values,
        ...content,
        ...rest,
        row.language,
        row.ab_auto_promote,
        row.more_lists,
        row.topic_id,
        row.segment_id,
      ),
    ctx.mail.prepare(INSERT_TASK).bind(row.workspace, row.id),
    ...(await storeMailResponse(ctx, response)),
  ]);
  return response;
}

function toRow(ctx: CallerCtx, input: BroadcastIn): BroadcastRow {
  const now = ctx.now();
  return {
    n: 0,
    workspace: ctx.workspace.number,
    id: ctx.newId(),
    status: input.scheduled_at ? "scheduled" : "draft",
    version: 0,
    user_id: ctx.actor.userId,
    contact_list_id: input.contact_list_id ?? null,
    mailbox_id: input.mailbox_id ?? null,
    name: input.name,
    language: input.language ?? "placeholders",
    subject: input.subject,
    preheader: input.preheader ?? null,
    from_address: input.from_address,
    from_domain: domainOfSender(input.from_address),
    reply_to: input.reply_to ?? null,
    scheduled_at: input.scheduled_at ?? null,
    sent_at: null,
    ab_test_pct: input.ab_test_pct ?? null,
    ab_winner_variant_id: null,
    ab_promoted_at: null,
    ab_auto_promote: input.ab_auto_promote ? JSON.stringify(input.ab_auto_promote) : null,
    ab_promotion_reason: null,
    max_per_hour: input.max_per_hour ?? null,
    paused_at: null,
    fan_out: null,
    fan_out_step: 0,
    size: 0,
    created_at: now,
    updated_at: now,
    html_body: input.html_body ?? null,
    text_body: input.text_body ?? null,
    next_claim_at: null,
    bulk_tags: null,
    more_lists: toMoreLists(input.more_contact_list_ids),
    topic_id: input.topic_id ?? null,
    segment_id: input.segment_id ?? null,
    automation: null,
    web_version_url: null,
  };
}
