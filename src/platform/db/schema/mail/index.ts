/** The tables of a mail database. The SQL in migrations/mail/ is authoritative; a test compares the two. */
export { heldOutbox, idempotencyKeys, quarantine } from "../both.ts";
export * from "./automations.ts";
export * from "./broadcasts.ts";
export * from "./contacts.ts";
export * from "./emails.ts";
export * from "./inbound.ts";
export * from "./outbox.ts";
export * from "./rollups.ts";
export * from "./webhooks.ts";
