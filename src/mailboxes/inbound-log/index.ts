export { appendEventStatement } from "./append-event.ts";
export { getInboundEntry } from "./get.ts";
export type { InboundEntryOut } from "./schema.ts";
