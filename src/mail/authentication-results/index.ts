export type { MethodResult } from "./parse.ts";
export { type ReceiverResults, readReceiverResults } from "./receiver-results.ts";
export { Authentication, type CheckedAuthentication, failsDmarc, readAuthentication } from "./stored-results.ts";
