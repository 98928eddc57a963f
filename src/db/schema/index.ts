/** The whole data model. The SQL of migrations/ is what counts; a test compares the two. */
export * from "./accounts.ts";
export * from "./domains.ts";
export * from "./emails.ts";
export * from "./idempotency.ts";
export * from "./mailboxes.ts";
export * from "./notifications.ts";
export * from "./outbox.ts";
export * from "./rollups.ts";
export * from "./searches.ts";
export * from "./suppressions.ts";
