export { type DnsAnswer, type RecordType, resolve } from "./resolve.ts";
