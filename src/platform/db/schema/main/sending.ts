import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";
import { userId, workspaceNumber } from "./accounts.ts";
import { domainId } from "./domains.ts";

export const templates = sqliteTable(
  "templates",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    name: text().notNull(),
    subject: text(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    inlineHtml: text("html_body"),
    inlineText: text("text_body"),
    inlineBlocks: text("blocks_json"),
    language: text({ enum: ["placeholders", "liquid"] })
      .notNull()
      .default("placeholders"),
    /** Names of the templates that a Liquid template renders; null: none. */
    parts: text({ mode: "json" }).$type<string[]>(),
    /** The values that a Liquid template reads; null for one of placeholders. */
    variables: text({ mode: "json" }).$type<string[]>(),
    /** Key of the R2 object that has HTML, text and blocks; null: the row has them. */
    contentKey: text("content_key"),
  },
  (t) => [
    index("templates_by_update").on(t.workspace, t.updatedAt, t.id),
    index("templates_by_name").on(t.workspace, t.name, t.updatedAt),
    index("templates_by_size").on(t.workspace, t.size),
  ],
);

export const topics = sqliteTable(
  "topics",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    name: text().notNull(),
    description: text(),
    defaultChoice: text("default_choice", { enum: ["subscribed", "unsubscribed"] }).notNull(),
    isPublic: integer("is_public").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("topics_by_id").on(t.workspace, t.id)],
);

export const topicChoices = sqliteTable(
  "topic_choices",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    topic: integer().notNull(),
    choice: text({ enum: ["subscribed", "unsubscribed"] }).notNull(),
    chosenAt: integer("chosen_at").notNull(),
    method: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace, t.email, t.topic] }),
    index("topic_choices_by_topic").on(t.topic, t.choice, t.email),
    index("topic_unsubscribes").on(t.workspace, t.email, t.topic).where(sql`choice = 'unsubscribed'`),
  ],
);

/** One saved search of a user. */
export interface SavedSearch {
  id: string;
  name: string;
  query: string | null;
  range: string | null;
  status: string | null;
  domain: string | null;
  source: string | null;
}

export const savedSearches = keyedTable("saved_searches", ["workspace", "userId"], {
  workspace: workspaceNumber(),
  userId: userId(),
  searches: text({ mode: "json" }).$type<SavedSearch[]>().notNull(),
});

export const smtpCredentials = sqliteTable(
  "smtp_credentials",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    domainId: domainId(),
    userId: userId(),
    username: text().notNull(),
    hash: text(),
    createdAt: integer("created_at").notNull(),
    deactivatedAt: integer("deactivated_at"),
  },
  (t) => [
    uniqueIndex("smtp_credentials_active").on(t.domainId).where(sql`deactivated_at IS NULL`),
    index("smtp_credentials_by_domain").on(t.domainId),
    index("smtp_credentials_by_username").on(t.username).where(sql`deactivated_at IS NULL`),
    index("smtp_credentials_by_workspace").on(t.workspace, t.id),
  ],
);

export const suppressions = keyedTable("suppressions", ["workspace", "email"], {
  workspace: integer().notNull(),
  email: text().notNull(),
  reason: text({ enum: ["bounce", "complaint", "unsubscribe", "manual"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  emailId: text("email_id"),
  unsubscribedAt: integer("unsubscribed_at"),
});

export const softBounces = sqliteTable(
  "soft_bounces",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    emailIds: text("email_ids").notNull(),
    isRefusal: integer("is_refusal").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    acceptedId: text("accepted_id"),
    acceptedAt: integer("accepted_at"),
    listedAt: integer("listed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspace, t.email] }),
    index("soft_bounces_listed").on(t.workspace, t.email).where(sql`listed_at IS NOT NULL`),
    index("soft_bounces_by_time").on(t.lastAt).where(sql`listed_at IS NULL`),
  ],
);

export const domainFailures = sqliteTable(
  "domain_failures",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    firstAt: integer("first_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.email] }), index("domain_failures_by_time").on(t.workspace, t.firstAt)],
);
