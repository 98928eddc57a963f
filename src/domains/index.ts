export { DKIM_PURPOSE, type DkimKey, generateDkimKeys, openDkimKey } from "./dkim-keys.ts";
export { type DomainRow, getDomain } from "./queries.ts";
export { recheckDomains } from "./recheck.ts";
export { dkimRecords } from "./records.ts";
export { ancestors, newOwnershipToken, RECHECK_MS, RETURN_PATH_LABEL, reversedName, reversedRange } from "./rules.ts";
