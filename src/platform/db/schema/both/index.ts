export { idempotencyKeys } from "./idempotency.ts";
export { heldOutbox, outboxColumns, quarantine } from "./outbox.ts";
