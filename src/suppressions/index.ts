export {
  clearDomainFailuresStatements,
  DOMAIN_FAILURE_DAYS,
  domainFailureStatements,
  suppressionFor,
} from "./domain-failures.ts";
export { releaseBouncesStatement } from "./release.ts";
export { type SuppressionEntry, suppressStatement } from "./suppress.ts";
