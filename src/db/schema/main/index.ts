/** The tables of the main database. The SQL in migrations/ is authoritative; a test compares the two. */
export * from "../both/idempotency.ts";
export * from "../both/outbox.ts";
export * from "./accounts.ts";
export * from "./audit-log.ts";
export * from "./dead-letters.ts";
export * from "./domain-failures.ts";
export * from "./domains.ts";
export * from "./mailboxes.ts";
export * from "./notifications.ts";
export * from "./object-sweep.ts";
export * from "./saved-searches.ts";
export * from "./sessions.ts";
export * from "./suppressions.ts";
export * from "./templates.ts";
export * from "./tracking.ts";
