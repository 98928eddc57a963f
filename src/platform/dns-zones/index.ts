export { cloudflareZone } from "./cloudflare.ts";
export { deleteRecords, putRecord } from "./put-record.ts";
export { fromQuotedStrings, toQuotedStrings } from "./txt-content.ts";
export {
  type StoredZoneRecord,
  ZoneError,
  type ZoneErrorKind,
  type ZonePort,
  type ZoneRecord,
  type ZoneRecordType,
} from "./zones.ts";
