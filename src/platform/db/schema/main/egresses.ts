import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable, outboxColumns } from "../both.ts";

/** `outage` and `broadcast` are null here: both kinds of databases have one set of statements. */
export const outbox = sqliteTable("outbox", { ...outboxColumns(), outage: text() }, (t) => [
  index("outbox_by_turn").on(t.workspace, t.dueAt).where(sql`broadcast IS NULL`),
  index("outbox_by_broadcast").on(t.broadcast, t.dueAt).where(sql`broadcast IS NOT NULL`),
  index("outbox_of_events").on(t.ref).where(sql`kind = 'events'`),
]);

export const receiverDomains = sqliteTable("receiver_domains", {
  domain: text().primaryKey().notNull(),
  receiver: text().notNull(),
  seenAt: integer("seen_at").notNull(),
});

/** Written by earlier versions only. */
export const receiverWaits = keyedTable("receiver_waits", ["receiver", "isBulk"], {
  receiver: text().notNull(),
  /** 1: told by the egress of broadcasts and bulk sends. */
  isBulk: integer("is_bulk").notNull(),
  label: text().notNull(),
  reason: text().notNull(),
  until: integer().notNull(),
});

export const egressWaits = keyedTable("egress_waits", ["receiver", "egress"], {
  receiver: text().notNull(),
  /** `main`, `bulk` or a name of NAMED_EGRESS_URLS. */
  egress: text().notNull(),
  label: text().notNull(),
  reason: text().notNull(),
  until: integer().notNull(),
});

export const egressVolume = keyedTable("egress_volume", ["address", "receiver", "day"], {
  address: text().notNull(),
  receiver: text().notNull(),
  /** Days since 1970. */
  day: integer().notNull(),
  emails: integer().notNull(),
});

export const egressOutages = sqliteTable(
  "egress_outages",
  {
    id: text().primaryKey().notNull(),
    beganAt: integer("began_at").notNull(),
    /** Null: the outage lasts. */
    endedAt: integer("ended_at"),
  },
  (t) => [index("egress_outages_open").on(t.beganAt).where(sql`ended_at IS NULL`)],
);

export const egressProbe = sqliteTable("egress_probe", {
  id: integer().primaryKey().notNull(),
  startedAt: integer("started_at").notNull(),
  /** Null: the last probe failed. */
  respondedAt: integer("answered_at"),
});

export const egressWarmUps = sqliteTable("egress_warm_ups", {
  /** Source address. */
  address: text().primaryKey().notNull(),
  /** EGRESS_NAME in lower case. */
  name: text().notNull(),
  isWarming: integer("is_warming").notNull(),
  /** First day of all receivers; null: of each receiver its first day with mail. */
  since: integer(),
  seenAt: integer("seen_at").notNull(),
});

/** Hosts to which tracking links do not redirect, with their sub-domains. */
export const blockedHosts = sqliteTable("blocked_hosts", {
  host: text().primaryKey(),
  createdAt: integer("created_at").notNull(),
});
