export { appendEventStatement } from "./append-event.ts";
export { getInboundEntry, type StoredInboundEvent } from "./get.ts";
export type { InboundEntryOut } from "./schema.ts";
