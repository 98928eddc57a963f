export { type DmarcRecord, isDmarcRecord, parseDmarcRecord, type RuaAddress } from "./record.ts";
export { type FoundPolicy, findOrganizationalDomain, findPolicy, type LookUpTxt } from "./tree-walk.ts";
