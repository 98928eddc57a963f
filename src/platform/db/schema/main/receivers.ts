import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const receiverDomains = sqliteTable("receiver_domains", {
  domain: text().primaryKey().notNull(),
  receiver: text().notNull(),
  seenAt: integer("seen_at").notNull(),
});

/** Written by earlier versions only. */
export const receiverWaits = sqliteTable(
  "receiver_waits",
  {
    receiver: text().notNull(),
    /** 1: told by the egress of broadcasts and bulk sends. */
    isBulk: integer("is_bulk").notNull(),
    label: text().notNull(),
    reason: text().notNull(),
    until: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.receiver, t.isBulk] })],
);

export const egressWaits = sqliteTable(
  "egress_waits",
  {
    receiver: text().notNull(),
    /** `main`, `bulk` or a name of NAMED_EGRESS_URLS. */
    egress: text().notNull(),
    label: text().notNull(),
    reason: text().notNull(),
    until: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.receiver, t.egress] })],
);

export const egressVolume = sqliteTable(
  "egress_volume",
  {
    address: text().notNull(),
    receiver: text().notNull(),
    /** Days since 1970. */
    day: integer().notNull(),
    emails: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.address, t.receiver, t.day] })],
);
