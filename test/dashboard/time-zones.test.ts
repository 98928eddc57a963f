import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { aSession } from "../support/sessions.ts";
import { aWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { submit } from "./support.ts";

/** In which zone pages show times: the one of the user, else of the browser, else of the address, else UTC. */

let workspace: TestWorkspace;
let session: Awaited<ReturnType<typeof aSession>>;

beforeEach(async () => {
  workspace = await aWorkspace();
  session = await aSession(workspace);
});

/** Returns the zone that the settings page says it uses, and the attribute that lets the script use another one. */
async function zoneOf(
  cookies: Record<string, string> = {},
  cf?: { timezone: string },
): Promise<[zone: string | undefined, automatic: string | undefined]> {
  const Cookie = Object.entries({ session: session.tokens.accessToken, ...cookies })
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
  const request = new Request("http://api.test/app/settings", { headers: { Cookie }, ...(cf ? { cf } : {}) });
  const html = await (await exports.default.fetch(request)).text();
  return [/<\/time> in ([^.]+)\./.exec(html)?.[1], /<html lang="en" data-zone="([^"]*)">/.exec(html)?.[1]];
}

describe("the zone of the times on pages", () => {
  it("is that of the cookie, which the browser sets, when it is a known one", async () => {
    expect(await zoneOf({ tz: "Asia/Tokyo" })).toEqual(["Asia/Tokyo", "Asia/Tokyo"]);
    for (const tz of ["Mars/Olympus", "+01:00", "<b>", "x".repeat(100)])
      expect(await zoneOf({ tz }), tz).toEqual(["UTC", "UTC"]);
  });

  it("is that of the address without a cookie, and UTC without both", async () => {
    expect(await zoneOf()).toEqual(["UTC", "UTC"]);
    const cf = { timezone: "Europe/Berlin" };
    expect(await zoneOf({}, cf)).toEqual(["Europe/Berlin", "Europe/Berlin"]);
    expect(await zoneOf({ tz: "Asia/Tokyo" }, cf)).toEqual(["Asia/Tokyo", "Asia/Tokyo"]);
  });

  it("is the one that the user has chosen, in every browser, until it is automatic again", async () => {
    const saved = await submit(session, "/app/settings/time-zone", { time_zone: "America/New_York" });
    expect(saved.headers.get("Location")).toBe("/app/settings?done=zone");
    expect(await zoneOf({ tz: "Asia/Tokyo" })).toEqual(["America/New_York", undefined]);
    session = await aSession(workspace);
    expect(await zoneOf()).toEqual(["America/New_York", undefined]);
    const html = await (await session.get("/app/settings")).text();
    expect(html).toContain('<option value="America/New_York" selected="">');
    await submit(session, "/app/settings/time-zone", { time_zone: "" });
    expect(await zoneOf({ tz: "Asia/Tokyo" })).toEqual(["Asia/Tokyo", "Asia/Tokyo"]);
  });

  it("is not changed by a name that does not exist", async () => {
    await submit(session, "/app/settings/time-zone", { time_zone: "Asia/Tokyo" });
    expect((await submit(session, "/app/settings/time-zone", { time_zone: "Mars/Olympus" })).status).toBe(422);
    expect(await zoneOf()).toEqual(["Asia/Tokyo", undefined]);
  });

  it("is used for each time of a page, with UTC as its title", async () => {
    await submit(session, "/app/settings/time-zone", { time_zone: "Asia/Kathmandu" });
    const html = await (await session.get("/app/security")).text();
    const times = [...html.matchAll(/<time dateTime="([^"]+)" title="([^"]+)">([^<]+)</gi)];
    expect(times.length).toBeGreaterThan(0);
    for (const [, iso = "", title = "", text = ""] of times) {
      const shown = (ms: number) => new Date(ms).toISOString().slice(11, 16);
      expect(title.endsWith(`, ${shown(Date.parse(iso))} UTC`)).toBe(true);
      expect(text.endsWith(`, ${shown(Date.parse(iso) + (5 * 60 + 45) * 60_000)}`)).toBe(true);
    }
  });
});
