export { type DmarcRecord, isDmarcRecord, parseDmarcRecord } from "./record.ts";
export { type FoundPolicy, findOrganizationalDomain, findPolicy } from "./tree-walk.ts";
