export { idempotencyKeys } from "./idempotency.ts";
export { outboxColumns } from "./outbox.ts";
