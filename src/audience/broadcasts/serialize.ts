import { iso, isoOrNull } from "../../lib/time.ts";
import type { AutoPromote } from "./choose-winner.ts";
import { recipientsOf, skippedOf } from "./fan-out.ts";
import type { Broadcast } from "./queries.ts";
import type { BroadcastOut } from "./schema.ts";

/** Serializes a broadcast of the workspace with this id. */
export function toRecord(workspaceId: string, { row, fanOut, counts }: Broadcast): BroadcastOut {
  return {
    id: row.id,
    org_id: workspaceId,
    user_id: row.user_id,
    contact_list_id: row.contact_list_id,
    more_contact_list_ids: JSON.parse(row.more_lists ?? "[]") as string[],
    mailbox_id: row.mailbox_id,
    topic_id: row.topic_id,
    segment_id: row.segment_id,
    name: row.name,
    language: row.language,
    subject: row.subject,
    preheader: row.preheader,
    html_body: row.html_body,
    text_body: row.text_body,
    from_address: row.from_address,
    reply_to: row.reply_to,
    status: row.status,
    scheduled_at: isoOrNull(row.scheduled_at),
    sent_at: isoOrNull(row.sent_at),
    paused_at: isoOrNull(row.paused_at),
    ab_test_pct: row.ab_test_pct,
    ab_winner_variant_id: row.ab_winner_variant_id,
    ab_promoted_at: isoOrNull(row.ab_promoted_at),
    ab_auto_promote: row.ab_auto_promote === null ? null : (JSON.parse(row.ab_auto_promote) as AutoPromote),
    ab_promotion_reason: row.ab_promotion_reason,
    max_per_hour: row.max_per_hour,
    recipient_count: recipientsOf(fanOut),
    queued_count: counts.queued,
    skipped_count: skippedOf(fanOut, row.status, counts.queued),
    delivered_count: counts.delivered,
    bounced_count: counts.bounced,
    failed_count: counts.failed,
    cancelled_count: counts.cancelled,
    opened_count: counts.opened,
    clicked_count: counts.clicked,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
