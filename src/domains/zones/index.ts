export { newDelegation } from "./choose-zone.ts";
export { bumpPolicyIdStatement } from "./policy-id.ts";
export { publishRecords } from "./publish.ts";
export {
  addRecordsStatements,
  removeRecordsStatement,
  replaceDmarcStatement,
  replaceKeyStatement,
  republishStatement,
  type SlotRecord,
  sharedRecordsStatements,
} from "./records-of-domain.ts";
export { sharedReportAddress, tlsReportsValue } from "./shared-records.ts";
export {
  type Delegation,
  dkimTarget,
  dmarcTarget,
  SLOTS,
  type Slot,
  sharedTarget,
  slotSelector,
} from "./targets.ts";
