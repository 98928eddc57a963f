export type { PersonEventRow } from "./queries.ts";
export { PersonEventOut, toPersonEvent } from "./schema.ts";
export { earlyEventReads } from "./send.ts";
