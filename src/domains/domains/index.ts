export { advanceRotations } from "./advance-rotations.ts";
export { deleteDomain } from "./delete.ts";
export { DKIM_PURPOSE, type DkimKey, generateDkimKeys, openDkimKey } from "./dkim-keys.ts";
export { findValues, foundKey } from "./found-values.ts";
export {
  type DomainRow,
  type DomainWithKeys,
  findDomains,
  findDomainWithKeys,
  getDomain,
  getDomainWithKeys,
  listDomains,
} from "./queries.ts";
export { recheckDomains } from "./recheck.ts";
export { dkimRecords, expectedRecords } from "./records.ts";
export { registerDomain } from "./register.ts";
export { readReportAddress, reportAddress } from "./report-address.ts";
export { rotateDkim } from "./rotate-dkim.ts";
export {
  ancestors,
  dkimState,
  healthOf,
  healthWords,
  newOwnershipToken,
  RECHECK_MS,
  RETURN_PATH_LABEL,
  reversedName,
  reversedRange,
} from "./rules.ts";
export { newSandbox } from "./sandbox.ts";
export { DomainIn, DomainOut, DomainPatch, toDomain } from "./schema.ts";
export { tendZones } from "./tend-zones.ts";
export { updateDomain } from "./update.ts";
export { verifyDomain } from "./verify.ts";
export { recordsToImport, recordsToPublish, toZoneFile } from "./zone-file.ts";
