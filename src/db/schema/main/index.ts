/** The tables of the main database. The SQL in migrations/main/ is authoritative; a test compares the two. */
export * from "../both/idempotency.ts";
export * from "./accounts.ts";
export * from "./audit-log.ts";
export * from "./dead-letters.ts";
export * from "./domain-failures.ts";
export * from "./domains.ts";
export * from "./mail-shards.ts";
export * from "./mailboxes.ts";
export * from "./notifications.ts";
export * from "./object-sweep.ts";
export * from "./outbox.ts";
export * from "./saved-searches.ts";
export * from "./sessions.ts";
export * from "./sign-in.ts";
export * from "./suppressions.ts";
export * from "./templates.ts";
export * from "./tracking.ts";
