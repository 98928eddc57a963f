export { type DnsAnswer, lookUp, type RecordType } from "./look-up.ts";
