/** The tables of a mail database. The SQL in migrations/mail/ is authoritative; a test compares the two. */
export * from "../both/idempotency.ts";
export * from "./automations.ts";
export * from "./broadcasts.ts";
export * from "./contacts.ts";
export * from "./domain-reports.ts";
export * from "./emails.ts";
export * from "./events.ts";
export * from "./inbound.ts";
export * from "./outage-workspaces.ts";
export * from "./outbox.ts";
export * from "./rate-snapshots.ts";
export * from "./retried-addresses.ts";
export * from "./rollups.ts";
export * from "./searches.ts";
export * from "./segments.ts";
export * from "./shard-workspaces.ts";
export * from "./webhooks.ts";
