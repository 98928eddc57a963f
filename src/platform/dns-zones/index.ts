export { cloudflareZone } from "./cloudflare.ts";
export { deleteRecords, putRecord } from "./put-record.ts";
export {
  ZoneError,
  type ZoneErrorKind,
  type ZoneRecord,
  type ZoneRecordType,
} from "./zones.ts";
