/** The tables of the main database. The SQL in migrations/main/ is authoritative; a test compares the two. */
export { heldOutbox, idempotencyKeys, quarantine } from "../both.ts";
export * from "./accounts.ts";
export * from "./domain-transfers.ts";
export * from "./domains.ts";
export * from "./egresses.ts";
export * from "./mailboxes.ts";
export * from "./notices.ts";
export * from "./oauth.ts";
export * from "./operations.ts";
export * from "./sending.ts";
export * from "./sign-in.ts";
