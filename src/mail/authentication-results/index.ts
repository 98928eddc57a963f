export type { MethodResult } from "./parse.ts";
export { type ReceiverResults, readReceiverResults } from "./receiver-results.ts";
