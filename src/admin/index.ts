export { flushOutboxes } from "./flush-outboxes.ts";
export { blockHost, listBlockedHosts, unblockHost } from "./operations/blocked-hosts.ts";
export {
  type DeadLetterRow,
  dropDeadLetter,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetter,
} from "./operations/dead-letters.ts";
export { listOutboxRows, type OutboxRow } from "./operations/outbox-rows.ts";
export { getUser, listUsers, type UserRow } from "./queries.ts";
export { restrictUser } from "./restrict-user.ts";
