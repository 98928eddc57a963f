import { primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { outboxColumns } from "../both/index.ts";

export const outbox = sqliteTable("outbox", outboxColumns(), (t) => [primaryKey({ columns: [t.dueAt, t.id] })]);
