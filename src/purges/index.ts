export { type Purge, type PurgeOrder, purgeMailboxesStatement, purgeStatement } from "./purge-statement.ts";
export { purge } from "./run.ts";
