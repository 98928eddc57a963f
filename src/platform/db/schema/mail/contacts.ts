import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";

export const contactLists = sqliteTable(
  "contact_lists",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    name: text().notNull(),
    description: text(),
    iconSeed: text("icon_seed"),
    contactCount: integer("contact_count").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    confirm: integer().$type<0 | 1>().notNull().default(0),
    confirmMailboxId: text("confirm_mailbox_id"),
    confirmSubject: text("confirm_subject"),
    confirmText: text("confirm_text"),
  },
  (t) => [uniqueIndex("contact_lists_by_id").on(t.workspace, t.id)],
);

export const contacts = sqliteTable(
  "contacts",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    list: integer().notNull(),
    id: text().notNull(),
    email: text().notNull(),
    emailKey: text("email_key").notNull(),
    name: text(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    suppressed: text({ enum: ["bounce", "complaint", "unsubscribe", "manual"] }),
    createdAt: integer("created_at").notNull(),
    unsubscribed: integer().$type<0 | 1>().notNull().default(0),
    softBounced: integer("soft_bounced").$type<0 | 1>().notNull().default(0),
    /** When its confirmation was asked for. Null: it is active. */
    pendingSince: integer("pending_since"),
  },
  (t) => [
    uniqueIndex("contacts_by_id").on(t.list, t.id),
    uniqueIndex("contacts_by_email").on(t.workspace, t.emailKey, t.list),
    index("contacts_by_workspace").on(t.workspace, t.id),
  ],
);

export const confirmations = sqliteTable(
  "confirmations",
  {
    workspace: integer().notNull(),
    emailKey: text("email_key").notNull(),
    list: integer().notNull(),
    requestedAt: integer("requested_at"),
    sent: text().notNull().default("[]"),
    lastAt: integer("last_at").notNull().default(0),
    language: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace, t.emailKey, t.list] }),
    index("confirmations_due").on(t.list, t.requestedAt).where(sql`requested_at IS NOT NULL`),
    index("confirmations_by_time").on(t.lastAt).where(sql`requested_at IS NULL`),
  ],
);

export const consents = keyedTable("consents", ["workspace", "emailKey", "id"], {
  workspace: integer().notNull(),
  emailKey: text("email_key").notNull(),
  id: text().notNull(),
  kind: text({ enum: ["requested", "confirmed", "stated"] }).notNull(),
  at: integer().notNull(),
  listId: text("list_id").notNull(),
  listName: text("list_name").notNull(),
  ip: text(),
  userAgent: text("user_agent"),
  /** Version of the words; null for a statement. */
  words: text(),
  source: text(),
  userId: text("user_id"),
});

export const consentWords = sqliteTable(
  "consent_words",
  {
    n: integer().primaryKey().notNull(),
    workspace: integer().notNull(),
    version: text().notNull(),
    words: text().notNull(),
  },
  (t) => [uniqueIndex("consent_words_by_version").on(t.workspace, t.version)],
);

export const contactForms = sqliteTable(
  "contact_forms",
  {
    n: integer().primaryKey().notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    list: integer().notNull(),
    name: text().notNull(),
    title: text().notNull(),
    text: text().notNull(),
    button: text().notNull(),
    /** JSON list of FormField. */
    fields: text().notNull(),
    successMessage: text("success_message").notNull(),
    redirectUrl: text("redirect_url"),
    isActive: integer("is_active").notNull().default(1),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("contact_forms_by_id").on(t.workspace, t.id), index("contact_forms_by_list").on(t.list, t.id)],
);

export const segments = sqliteTable(
  "segments",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    name: text().notNull(),
    conditions: text().notNull(),
    segments: text().notNull().default("[]"),
    count: text(),
    countStep: integer("count_step").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [uniqueIndex("segments_by_id").on(t.workspace, t.id)],
);

export const personActivity = keyedTable("person_activity", ["workspace", "emailKey"], {
  workspace: integer().notNull(),
  emailKey: text("email_key").notNull(),
  receivedAt: integer("received_at"),
  openedAt: integer("opened_at"),
  clickedAt: integer("clicked_at"),
  broadcasts: text().notNull().default("{}"),
});

/** Events of persons, in the order of `n`. */
export const events = sqliteTable(
  "events",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    emailKey: text("email_key").notNull(),
    name: text().notNull(),
    /** JSON object. */
    data: text().notNull(),
    occurredAt: integer("occurred_at").notNull(),
    createdAt: integer("created_at").notNull(),
    /** Unused: NULL (migrations/mail/0250_no_event_copies.sql). */
    copying: integer(),
  },
  (t) => [
    uniqueIndex("events_by_id").on(t.workspace, t.id),
    index("events_by_person").on(t.workspace, t.emailKey, t.n, t.name),
  ],
);

/** Events that the engine of automations has not read. Triggers add them, and delete them with their events. */
export const unreadEvents = keyedTable("unread_events", ["workspace", "n"], {
  workspace: integer().notNull(),
  n: integer().notNull(),
  automation: integer().notNull().default(0),
  notBefore: integer("not_before").notNull().default(0),
});
