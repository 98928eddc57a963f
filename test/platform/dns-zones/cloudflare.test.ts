import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { cloudflareZone } from "../../../src/platform/dns-zones/cloudflare.ts";
import { deleteRecords, putRecord } from "../../../src/platform/dns-zones/put-record.ts";
import type { ZoneRecord } from "../../../src/platform/dns-zones/zones.ts";
import { readSettings } from "../../../src/platform/settings/settings.ts";
import { failApi, zoneRecords } from "../../support/dns-control.ts";

const settings = readSettings(env);
// Other files that run at the same time have their records in the first zone.
const zoneId = settings.delegatedZones[1]?.id ?? "";
const zone = cloudflareZone(settings, zoneId);
const aName = () => `n${crypto.randomUUID().slice(0, 12)}.zone2.test`;
const txt = (name: string, value: string): ZoneRecord => ({ type: "TXT", name, value, priority: null, ttl: 300 });

afterEach(() => failApi(zoneId, null));

describe("a zone at the DNS API", () => {
  it("takes a TXT value of more than 255 bytes as quoted strings and lists it whole", async () => {
    const name = aName();
    const value = `v=DKIM1; k=rsa; p=${'aB\\"'.repeat(150)}`;
    await putRecord(zone, txt(name, value));
    const [stored, ...more] = await zone.list(name, "TXT");
    expect([stored?.value, more]).toEqual([value, []]);
    expect((await zoneRecords(name))[0]?.content).toMatch(/" "/);
  });

  it("put makes a record the only one of its name, and changes nothing when it is run twice", async () => {
    const name = aName();
    await zone.create(txt(name, "one"));
    await zone.create(txt(name, "two"));
    await putRecord(zone, txt(name, "three"));
    const first = await zoneRecords(name);
    await putRecord(zone, txt(name, "three"));
    expect(first.map(({ content }) => content)).toEqual(['"three"']);
    expect(await zoneRecords(name)).toEqual(first);
    await deleteRecords(zone, name, "TXT");
    await deleteRecords(zone, name, "TXT");
    expect(await zoneRecords(name)).toEqual([]);
  });

  it("two puts at once leave one record", async () => {
    const name = aName();
    await Promise.all([putRecord(zone, txt(name, "same")), putRecord(zone, txt(name, "same"))]);
    expect(await zoneRecords(name)).toHaveLength(1);
  });

  it.each([
    ["down", "unknown", null],
    ["garbage", "unknown", null],
    ["rate", "rate", 60_000],
    ["lost", "unknown", null],
  ] as const)("says of an API that is %s: %s", async (failure, kind, retryAfterMs) => {
    await failApi(zoneId, failure);
    await expect(zone.list(aName(), "TXT")).rejects.toMatchObject({ kind, retryAfterMs });
  });

  it("a put whose response is lost is done by the next one", async () => {
    const name = aName();
    await zone.create(txt(name, "old"));
    await failApi(zoneId, "lost");
    await expect(putRecord(zone, txt(name, "new"))).rejects.toMatchObject({ kind: "unknown" });
    await failApi(zoneId, null);
    await putRecord(zone, txt(name, "new"));
    expect((await zoneRecords(name)).map(({ content }) => content)).toEqual(['"new"']);
  });

  it("says that the token is refused, without the token", async () => {
    const foreign = cloudflareZone({ ...settings, dnsApiToken: "another-token" }, zoneId);
    const error = await foreign.list(aName(), "TXT").catch((reason: Error) => reason);
    expect(error).toMatchObject({
      kind: "refused",
      message: "the DNS API responded with 403: Authentication error (10000)",
    });
    expect(String(error)).not.toContain("another-token");
  });

  it("says that a zone is full", async () => {
    const run = crypto.randomUUID().slice(0, 8);
    const fill = async () => {
      for (let n = 0; n < 201; n++) await zone.create(txt(`f${n}.${run}.zone2.test`, "x"));
    };
    await expect(fill()).rejects.toMatchObject({ kind: "full" });
    for (const { id } of await zoneRecords(run)) await zone.delete(id);
  });
});
