import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";

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
