export { endDomainClaim } from "./domain-claims/end.ts";
export { type DomainClaimRow, listDomainClaims } from "./domain-claims/queries.ts";
export { egressIssue } from "./egresses/queries.ts";
export { flushOutboxes } from "./flush-outboxes.ts";
export { readHost } from "./host-name.ts";
export { blockHost, listBlockedHosts, unblockHost } from "./operations/blocked-hosts.ts";
export {
  type DeadLetterRow,
  dropDeadLetter,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetter,
} from "./operations/dead-letters.ts";
export { listOutboxRows, type OutboxRow } from "./operations/outbox-rows.ts";
export { requeueRows } from "./operations/requeue-rows.ts";
export { RequeueIn } from "./operations/schema.ts";
export { getUser, listUsers, type UserRow } from "./queries.ts";
export { restrictUser } from "./restrict-user.ts";
export { pauseWorkspace } from "./workspaces/pause.ts";
export { getAnyWorkspace, listAllWorkspaces, type WorkspaceRow } from "./workspaces/queries.ts";
