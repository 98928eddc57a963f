/** Controls the DNS server of the tests, which the Worker under test uses as its resolver. */

import { env } from "cloudflare:workers";
import type { DnsRecord } from "../../dev/dns/record.ts";
import type { ApiFailure } from "../../dev/dns-api/api.ts";
import type { Stored } from "../../dev/dns-api/records.ts";
import type { Command, Failure } from "./dns-control-server.ts";

/** Adds records. Names without records get NXDOMAIN. */
export const publish = (records: DnsRecord[]): Promise<void> => sendCommand({ publish: records });
/** Replaces all records of a name, in one step. */
export const replace = (name: string, records: DnsRecord[]): Promise<void> => sendCommand({ replace: name, records });
/** Deletes all records of a name. */
export const unpublish = (name: string): Promise<void> => sendCommand({ unpublish: name });
/** Makes queries for a name, and for all names below it, fail in this way. */
export const failQueries = (name: string, mode: Failure): Promise<void> => sendCommand({ fail: name, mode });
/** Ends a failure set by `fail`. */
export const restoreQueries = (name: string): Promise<void> => sendCommand({ heal: name });
/** Returns how many queries for a name have arrived. */
export const queries = (name: string): Promise<number> => sendCommand({ queries: name });
/** Makes all calls of the DNS API that are about a zone fail in this way; null ends it. Files that run beside each other use different zones. */
export const failApi = (zoneId: string, failure: ApiFailure | null): Promise<void> =>
  sendCommand({ failApi: failure, zoneId });
/** Changes how many records a zone may have. */
export const resizeZone = (zoneId: string, maxRecords: number): Promise<void> =>
  sendCommand({ resize: zoneId, maxRecords });
/** Returns the records of the zones whose name contains a text. */
export const zoneRecords = (text: string): Promise<Stored[]> => sendCommand({ recordsOf: text });

async function sendCommand<T>(command: Command): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${env.TEST_SERVERS.dnsControl}/`, {
    method: "POST",
    body: JSON.stringify(command),
  });
  if (!response.ok) throw new Error(`DNS control: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
