export { appendEventStatement } from "./append-event.ts";
export { Authentication, type CheckedAuthentication, failsDmarc, readAuthentication } from "./authentication.ts";
export { getInboundEntry, type StoredInboundEvent } from "./get.ts";
export type { InboundEntryOut } from "./schema.ts";
