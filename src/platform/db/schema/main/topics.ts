import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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
