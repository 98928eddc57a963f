export { type NewPurge, type Purge, purgeMailboxesStatement, purgeStatement } from "./purge-statement.ts";
export { purge } from "./run.ts";
