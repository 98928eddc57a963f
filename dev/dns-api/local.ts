import { HOST, type Layout } from "../layout.ts";
import { readJson, writeDurably } from "../state/files.ts";
import { DnsApi } from "./api.ts";
import type { StoredZone } from "./records.ts";

/** The zones of the local service. The second one has the size of a free zone. */
export const LOCAL_ZONES = [
  { name: "zone.test", id: "11111111111111111111111111111111", maxRecords: 3_500 },
  { name: "zone2.test", id: "22222222222222222222222222222222", maxRecords: 200 },
] as const;

/** The zone of SANDBOX_DOMAIN, below which each workspace of the dashboard gets its test domain. */
const SANDBOX_ZONE = {
  name: "sandbox.test",
  id: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  maxRecords: 3_500,
} as const;
const ALL_ZONES = [...LOCAL_ZONES, SANDBOX_ZONE];

/** Token of the stand-in. It protects nothing: the stand-in listens on loopback only. */
export const LOCAL_TOKEN = "local-token-of-the-dns-api";

/** Settings of the Worker for the stand-in. */
export const zoneSettings = (layout: Layout) => ({
  DELEGATED_ZONES: ALL_ZONES.map(({ name, id, maxRecords }) => `${name}=${id}:${maxRecords}`).join(" "),
  SANDBOX_DOMAIN: SANDBOX_ZONE.name,
  DNS_API_URL: `http://${HOST}:${layout.ports.dns}/client/v4`,
  DNS_API_TOKEN: LOCAL_TOKEN,
});

/** Opens the stand-in with the records of the state directory, and saves each change there. */
export async function openDnsApi(layout: Layout): Promise<DnsApi> {
  const known = await readJson<StoredZone[]>(layout.zonesFile).catch(() => null);
  const zones = ALL_ZONES.map(
    (zone): StoredZone => ({ ...zone, records: known?.find(({ id }) => id === zone.id)?.records ?? [] }),
  );
  let saving = Promise.resolve();
  const api: DnsApi = new DnsApi(zones, LOCAL_TOKEN, () => {
    saving = saving.then(() => writeDurably(layout.zonesFile, JSON.stringify(zones), 0o600)).catch(() => {});
  });
  return api;
}
