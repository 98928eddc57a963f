export { addSuppression } from "./add.ts";
export {
  type ContactMark,
  copyToContacts,
  copyToNewContacts,
  findMarks,
  findMarksStatements,
  markContactsStatements,
} from "./copy-to-contacts.ts";
export {
  clearDomainFailuresStatements,
  DOMAIN_FAILURE_DAYS,
  domainFailureStatements,
  suppressionFor,
  type WorkspaceAddress,
} from "./domain-failures.ts";
export { keepErasedStatements } from "./erase.ts";
export { addSuppressions, importSuppressions } from "./import.ts";
export { findSuppressions, listSuppressions } from "./queries.ts";
export { readLeft } from "./read-entry.ts";
export { endUnsubscribeStatements, removeBouncesStatements, removeSuppression } from "./remove.ts";
export { SuppressionIn, type SuppressionOut, toSuppression } from "./schema.ts";
export {
  findSoftBouncesStatement,
  SOFT_BOUNCE_DAYS,
  type SoftBounceFact,
  softBounceStatements,
} from "./soft-bounces.ts";
export { type SuppressionEntry, suppressStatement } from "./suppress.ts";
export { removeTopicUnsubscribe } from "./topic-unsubscribes.ts";
