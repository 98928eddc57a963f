import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aMail, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** In which zone pages show times: the one of the user, else of the browser, else of the address, else UTC. */

const workspace = perTest(aWorkspace);
let session: Awaited<ReturnType<typeof aSession>>;

beforeEach(async () => {
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

  it("is used for each time of a page, whose title is the whole time there and in UTC", async () => {
    await submit(session, "/app/settings/time-zone", { time_zone: "Asia/Kathmandu" });
    const html = await (await session.get("/app/security")).text();
    const times = [...html.matchAll(/<time dateTime="([^"]+)" title="([^"]+)"[^>]*>([^<]+)</gi)];
    expect(times.length).toBeGreaterThan(0);
    for (const [, iso = "", title = "", text = ""] of times) {
      const shown = (ms: number) => new Date(ms).toISOString().slice(11, 16);
      expect(title.endsWith(`, ${shown(Date.parse(iso))} UTC`)).toBe(true);
      expect(title).toContain(`, ${shown(Date.parse(iso) + (5 * 60 + 45) * 60_000)} · `);
      expect(text).toBe("just now");
    }
  });
});

describe("a field for date and time", () => {
  const ZONE = "Asia/Kathmandu";
  const HOUR = 3_600_000;
  const AHEAD = 5.75 * HOUR;
  /** Returns the field's text for a time, and the time that this means. */
  const inHours = (hours: number) => {
    const at = Math.floor((Date.now() + hours * HOUR) / 60_000) * 60_000;
    return { text: new Date(at + AHEAD).toISOString().slice(0, 16), at: new Date(at).toISOString() };
  };
  const locationOf = (response: Response) => response.headers.get("Location") ?? "";
  const textOf = async (path: string) => (await session.get(path)).text();

  beforeEach(async () => void (await submit(session, "/app/settings/time-zone", { time_zone: ZONE })));

  it("shows and takes the time of a scheduled email in the zone of the viewer", async () => {
    const [first, second] = [inHours(3), inHours(4)];
    const { id } = await workspace.create("/v1/emails/", aMail(workspace, { send_at: first.at }));
    const page = await textOf("/app/emails/scheduled");
    expect(page).toContain(`value="${first.text}"`);
    expect(page).toContain(`name="send_at_zone" value="${ZONE}"`);
    await submit(session, `/app/emails/${id}/move`, { send_at: second.text, send_at_zone: ZONE });
    expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({ scheduled_at: second.at });
  });

  it("names its zone in the form of a new email, whose time is read in it, and shown again when it is refused", async () => {
    const { text, at } = inHours(3);
    expect(await textOf("/app/emails/new")).toContain(`In the time of ${ZONE}. Leave empty to send now.`);
    const fields = { from_: workspace.mailbox, to: "friend@example.org", subject: "Later", text: "Hello", html: "" };
    const form = { ...fields, send_at: text, send_at_zone: ZONE, idempotency_key: crypto.randomUUID() };
    const refused = await submit(session, "/app/emails/new", { ...form, to: "nobody" });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(`value="${text}"`)]);
    const sent = await submit(session, "/app/emails/new", { ...form, idempotency_key: crypto.randomUUID() });
    const id = locationOf(sent).split(/[/?]/)[3];
    expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({ scheduled_at: at });
    for (const changes of [{ send_at: "tomorrow" }, { send_at_zone: "Mars/Olympus" }])
      expect((await submit(session, "/app/emails/new", { ...form, ...changes })).status).toBe(400);
  });

  it("keeps the time of a broadcast, with its seconds, when it is saved unchanged", async () => {
    const scheduled_at = new Date(Date.now() + 30 * HOUR + 1_234).toISOString();
    const body = { name: "News", subject: "News", from_address: workspace.mailbox, text_body: "Hello", scheduled_at };
    const { id } = await workspace.create("/v1/broadcasts/", body);
    const text = new Date(Date.parse(scheduled_at) + AHEAD).toISOString().slice(0, 16);
    expect(await textOf(`/app/broadcasts/${id}/review`)).toContain(`value="${text}"`);
    const zoned = { scheduled_at: text, scheduled_at_zone: ZONE, stored_scheduled_at: scheduled_at };
    await submit(session, `/app/broadcasts/${id}/review`, { when: "later", max_per_hour: "7", ...zoned });
    const stored = await (await workspace.get(`/v1/broadcasts/${id}`)).json();
    expect(stored).toMatchObject({ max_per_hour: 7, scheduled_at });
  });
});
