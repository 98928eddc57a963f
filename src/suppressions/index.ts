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
} from "./domain-failures.ts";
export { releaseBouncesStatements } from "./release.ts";
export { type SuppressionEntry, suppressStatement } from "./suppress.ts";
