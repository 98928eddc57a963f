export { newDelegation } from "./choose-zone.ts";
export { publishRecords } from "./publish.ts";
export {
  addRecordsStatements,
  removeRecordsStatement,
  replaceDmarcStatement,
  replaceKeyStatement,
  republishStatement,
  type SlotRecord,
  sharedRecordsStatement,
} from "./records-of-domain.ts";
export { sharedRecords } from "./shared-records.ts";
export {
  type Delegation,
  dkimTarget,
  dmarcTarget,
  MTA_STS_LABEL,
  SLOTS,
  type Slot,
  sharedTarget,
  slotSelector,
} from "./targets.ts";
