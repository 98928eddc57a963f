export { type DnsResult, type RecordType, resolve } from "./resolve.ts";
