/** The data model. The SQL in migrations/ is authoritative; a test compares the two. */
export * from "./accounts.ts";
export * from "./contacts.ts";
export * from "./domain-failures.ts";
export * from "./domains.ts";
export * from "./emails.ts";
export * from "./idempotency.ts";
export * from "./mailboxes.ts";
export * from "./notifications.ts";
export * from "./object-sweep.ts";
export * from "./outbox.ts";
export * from "./rollups.ts";
export * from "./searches.ts";
export { shardWorkspaces } from "./shard-workspaces.ts";
export * from "./suppressions.ts";
export * from "./templates.ts";
export * from "./tracking.ts";
