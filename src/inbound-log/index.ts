export { appendEventStatement } from "./append-event.ts";
export { Authentication, type CheckedAuthentication, failsDmarc, readAuthentication } from "./authentication.ts";
export type { StoredInboundEvent } from "./get.ts";
