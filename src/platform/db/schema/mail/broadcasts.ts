import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";

export const broadcasts = sqliteTable(
  "broadcasts",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    status: text({ enum: ["draft", "scheduled", "sending", "sent", "cancelled"] }).notNull(),
    version: integer().notNull().default(0),
    userId: text("user_id").notNull(),
    contactListId: text("contact_list_id"),
    mailboxId: text("mailbox_id"),
    name: text().notNull(),
    subject: text().notNull(),
    preheader: text(),
    fromAddress: text("from_address").notNull(),
    fromDomain: text("from_domain").notNull(),
    replyTo: text("reply_to"),
    scheduledAt: integer("scheduled_at"),
    sentAt: integer("sent_at"),
    abTestPct: integer("ab_test_pct"),
    abWinnerVariantId: text("ab_winner_variant_id"),
    abPromotedAt: integer("ab_promoted_at"),
    maxPerHour: integer("max_per_hour"),
    pausedAt: integer("paused_at"),
    /** JSON of FanOut. */
    fanOut: text("fan_out"),
    fanOutStep: integer("fan_out_step").notNull().default(0),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    htmlBody: text("html_body"),
    textBody: text("text_body"),
    nextClaimAt: integer("next_claim_at"),
    /** JSON list of tags of a bulk send; null for a broadcast. */
    bulkTags: text("bulk_tags"),
    language: text({ enum: ["placeholders", "liquid"] })
      .notNull()
      .default("placeholders"),
    /** JSON of AutoPromote. */
    abAutoPromote: text("ab_auto_promote"),
    abPromotionReason: text("ab_promotion_reason"),
    /** JSON list of the ids of further contact lists. */
    moreLists: text("more_lists"),
    topicId: text("topic_id"),
    segmentId: text("segment_id"),
    localTimeField: text("local_time_field"),
    /** automations.n for the row of the emails of a step of an automation. Such a row has `bulk_tags`, so no endpoint shows it. */
    automation: integer(),
    automationId: text("automation_id"),
    automationStep: text("automation_step"),
    webVersionUrl: text("web_version_url"),
    /** JSON of the data of an editor, which no send reads. */
    blocksJson: text("blocks_json"),
    /** 1: a content without text gets one that is made from its HTML. */
    textFromHtml: integer("text_from_html").notNull().default(0),
  },
  (t) => [
    uniqueIndex("broadcasts_by_id").on(t.workspace, t.id),
    index("broadcasts_by_segment").on(t.workspace, t.segmentId).where(sql`segment_id IS NOT NULL`),
    index("broadcasts_by_automation").on(t.workspace, t.automation).where(sql`automation IS NOT NULL`),
    index("broadcasts_drafts").on(t.workspace).where(sql`status = 'draft'`),
    index("broadcasts_in_flight").on(t.workspace, t.fromDomain).where(sql`status IN ('scheduled', 'sending')`),
  ],
);

export const broadcastVariants = sqliteTable(
  "broadcast_variants",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    broadcast: integer().notNull(),
    id: text().notNull(),
    label: text().notNull(),
    subject: text().notNull(),
    weight: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    htmlBody: text("html_body"),
    textBody: text("text_body"),
    /** Null: that of the broadcast. */
    language: text({ enum: ["placeholders", "liquid"] }),
  },
  (t) => [
    uniqueIndex("broadcast_variants_by_id").on(t.broadcast, t.id),
    uniqueIndex("broadcast_variants_by_label").on(t.broadcast, t.label),
  ],
);

/** The texts of the templates that a broadcast renders, as they were when its send began. */
export const broadcastParts = sqliteTable("broadcast_parts", {
  broadcast: integer().primaryKey().notNull(),
  workspace: integer().notNull(),
  parts: text().notNull(),
});

export const broadcastCounts = keyedTable("broadcast_counts", ["broadcast", "variant"], {
  broadcast: integer().notNull(),
  variant: integer().notNull(),
  workspace: integer().notNull(),
  queued: integer().notNull().default(0),
  attempted: integer().notNull().default(0),
  delivered: integer().notNull().default(0),
  bounced: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  cancelled: integer().notNull().default(0),
  opened: integer().notNull().default(0),
  clicked: integer().notNull().default(0),
  unsubscribed: integer().notNull().default(0),
  complained: integer().notNull().default(0),
});

export const broadcastClicks = keyedTable("broadcast_clicks", ["broadcast", "url"], {
  broadcast: integer().notNull(),
  url: text().notNull(),
  workspace: integer().notNull(),
  clicks: integer().notNull(),
});

/** Columns of a table of contacts of a broadcast. */
const contactOfBroadcast = () => ({
  broadcast: integer().notNull(),
  contact: integer().notNull(),
  workspace: integer().notNull(),
});

export const broadcastSkipped = keyedTable(
  "broadcast_skipped",
  ["broadcast", "contact"],
  {
    ...contactOfBroadcast(),
    reason: text({ enum: ["suppressed", "unsubscribed", "invalid"] }).notNull(),
    cause: text(),
  },
  { broadcast_skipped_by_contact: "contact" },
);

export const broadcastMembers = keyedTable("broadcast_members", ["broadcast", "contact"], contactOfBroadcast());
export const broadcastRepeated = keyedTable("broadcast_repeated", ["broadcast", "contact"], contactOfBroadcast());
export const broadcastPending = keyedTable("broadcast_pending", ["broadcast", "contact"], contactOfBroadcast(), {
  broadcast_pending_by_contact: "contact",
});

export const broadcastPages = keyedTable("broadcast_pages", ["workspace", "broadcast", "lastN"], {
  workspace: integer().notNull(),
  broadcast: integer().notNull(),
  lastN: integer("last_n").notNull(),
  firstN: integer("first_n").notNull(),
});
