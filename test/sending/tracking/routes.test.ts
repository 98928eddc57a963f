import { describe, expect, it } from "vitest";
import { newClickToken, newOpenToken } from "../../../src/platform/mail-tokens/tracking.ts";
import { type HitMessage, isHitMessage } from "../../../src/sending/tracking/index.ts";
import { countingDb } from "../../support/counting-db.ts";
import { apiOn, apiWith, aWorkspace, testContext } from "../../support/workspace.ts";

const { masterKeys } = testContext().settings;
const TARGET_URL = "https://shop.example/a%2Fb?x=1&y=%C3%BC#z";
const HEADERS = { "User-Agent": "A reader", "CF-Connecting-IP": "192.0.2.7" };

const workspace = await aWorkspace();

/** Returns a new tracked email with the paths of its pixel and its link. */
async function aTrackedMail(recipient: number | "all" = 2) {
  const mail = { workspace: workspace.workspaceNumber, emailId: testContext().newId(), recipient };
  const [open, click] = await Promise.all([
    newOpenToken(masterKeys, mail),
    newClickToken(masterKeys, { ...mail, url: TARGET_URL }),
  ]);
  return { ...mail, pixel: `/t/o/${open}`, link: `/t/c/${click}` };
}

/** Returns the API with a queue that records hits and a database that counts round trips. */
function recordingApi(send?: (body: HitMessage) => Promise<void>) {
  const hits: HitMessage[] = [];
  const HITS = { send: send ?? (async (body: HitMessage) => void hits.push(body)) };
  const { bindings, trips } = countingDb();
  return { ...apiOn({ HITS, ...bindings }, null), hits, trips };
}

describe("GET /t/o/:token", () => {
  it("returns an uncached transparent GIF of 43 bytes and enqueues the hit, without a database query", async () => {
    const mail = await aTrackedMail();
    const { get, hits, trips } = recordingApi();
    const before = Date.now();
    const response = await get(mail.pixel, HEADERS);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ "content-type": "image/gif", "content-length": "43", "cache-control": "no-store" },
      ...{ "referrer-policy": "no-referrer", "x-robots-tag": "noindex" },
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([bytes.length, new TextDecoder().decode(bytes.subarray(0, 6))]).toEqual([43, "GIF89a"]);
    const [hit] = hits;
    expect(hits).toEqual([
      {
        ...{ type: "hit.v1", id: expect.any(String), kind: "open", workspace: mail.workspace, email: mail.emailId },
        ...{ recipient: 2, at: expect.any(Number), ua: "A reader", ip: "192.0.2.7" },
      },
    ]);
    expect(isHitMessage(hit) && hit.at >= before).toBe(true);
    expect(trips).toEqual([]);
  });

  it("returns the same to a forged token and enqueues no hit", async () => {
    const { get, hits } = recordingApi();
    const mail = await aTrackedMail();
    const right = await get(mail.pixel, { "X-Request-Id": "same" });
    const gifIn = async (response: Response) => new Uint8Array(await response.arrayBuffer());
    const gif = await gifIn(right);
    for (const token of [mail.pixel.slice(5).replace(/^./, "B"), "x", "%00", "a".repeat(9000), mail.link.slice(5)]) {
      const wrong = await get(`/t/o/${token}`, { "X-Request-Id": "same" });
      expect([wrong.status, [...wrong.headers], await gifIn(wrong)]).toEqual([200, [...right.headers], gif]);
    }
    expect(hits).toHaveLength(1);
  });
});

describe("GET /t/c/:token", () => {
  it("redirects to the exact target and enqueues the hit, with one database round trip", async () => {
    const mail = await aTrackedMail("all");
    const { get, hits, trips } = recordingApi();
    const response = await get(mail.link, { ...HEADERS, "Sec-Purpose": "prefetch", "User-Agent": "u".repeat(900) });
    expect(response.status).toBe(302);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ location: TARGET_URL, "cache-control": "no-store" },
      ...{ "referrer-policy": "no-referrer", "x-robots-tag": "noindex" },
    });
    expect(hits).toEqual([
      expect.objectContaining({
        kind: "click",
        url: TARGET_URL,
        recipient: null,
        ua: "u".repeat(300),
        purpose: "prefetch",
      }),
    ]);
    expect(hits.every(isHitMessage)).toBe(true);
    expect(trips).toHaveLength(1);
  });

  it("returns 404 to a forged token and enqueues no hit", async () => {
    const { get, hits } = recordingApi();
    const mail = await aTrackedMail();
    const forged = btoa(`${"\0".repeat(33)}https://evil.example/`).replaceAll("=", "");
    for (const token of [
      `${mail.link.slice(5)}AAAA`,
      mail.link.slice(5, -4),
      mail.pixel.slice(5),
      forged,
      "x",
      "https:%2F%2Fevil.example",
    ]) {
      const response = await get(`/t/c/${token}`);
      expect([response.status, response.headers.get("Location")], token).toEqual([404, null]);
      expect(await response.json()).toEqual({ detail: "Link not found" });
    }
    expect(hits).toEqual([]);
  });
});

describe("a hit", () => {
  it("is enqueued once a minute for one token, while every request gets a response", async () => {
    const [mail, other] = await Promise.all([aTrackedMail(), aTrackedMail()]);
    const { get, hits } = recordingApi();
    for (let n = 0; n < 3; n++) {
      expect((await get(mail.pixel)).status).toBe(200);
      expect((await get(mail.link)).status).toBe(302);
    }
    await get(other.pixel);
    expect(hits.map(({ kind, email }) => [kind, email])).toEqual([
      ["open", mail.emailId],
      ["click", mail.emailId],
      ["open", other.emailId],
    ]);
  });

  it("is enqueued once a minute per client: neither a scanner nor another person hides it", async () => {
    const mail = await aTrackedMail();
    const { get, hits } = recordingApi();
    const clients = [
      { "User-Agent": "Slackbot 1.0", "CF-Connecting-IP": "192.0.2.1" },
      { "User-Agent": "Barracuda", "CF-Connecting-IP": "192.0.2.2" },
      { "User-Agent": "Mozilla/5.0 Firefox/128.0", "CF-Connecting-IP": "192.0.2.2" },
      { "User-Agent": "Mozilla/5.0 Firefox/128.0", "CF-Connecting-IP": "2001:db8:1:2::5" },
      { "User-Agent": "Mozilla/5.0 Firefox/128.0", "CF-Connecting-IP": "2001:db8:1:2:a:b:c:d" },
      { "User-Agent": "Mozilla/5.0 Firefox/128.0", "CF-Connecting-IP": "2001:db8:1:3::5" },
    ];
    for (const headers of [...clients, ...clients]) await get(mail.link, headers);
    expect(hits.map(({ ua, ip }) => [ua.slice(0, 8), ip])).toEqual([
      ["Slackbot", "192.0.2.1"],
      ["Mozilla/", "192.0.2.2"],
      ["Mozilla/", "2001:db8:1:2::5"],
      ["Mozilla/", "2001:db8:1:3::5"],
    ]);
  });

  it("that a client repeats under many user agents reaches the queue at most 64 times a minute", async () => {
    const mail = await aTrackedMail();
    const { get, hits } = recordingApi();
    for (let n = 0; n < 300; n++)
      await get(mail.pixel, { "User-Agent": `Reader ${n}`, "CF-Connecting-IP": "192.0.2.1" });
    expect(hits.length).toBeLessThanOrEqual(64);
  });

  it("is not caused by HEAD", async () => {
    const mail = await aTrackedMail();
    const { call, hits } = recordingApi();
    const [pixel, link] = [await call("HEAD", mail.pixel), await call("HEAD", mail.link)];
    expect([pixel.status, await pixel.text(), link.status, link.headers.get("Location")]).toEqual([
      200,
      "",
      302,
      TARGET_URL,
    ]);
    expect(hits).toEqual([]);
  });

  it("that the queue refuses does not change the response, and the next request enqueues it", async () => {
    const mail = await aTrackedMail();
    const { get } = recordingApi(() => Promise.reject(new Error("Too Many Requests")));
    expect((await get(mail.pixel)).status).toBe(200);
    expect((await get(mail.link)).status).toBe(302);
    const again = recordingApi();
    await again.get(mail.pixel);
    expect(again.hits).toHaveLength(1);
  });

  it("needs no credentials and ignores invalid ones", async () => {
    const mail = await aTrackedMail();
    expect((await apiWith("wrong").get(mail.pixel)).status).toBe(200);
    expect((await apiWith("wrong").get(mail.link)).status).toBe(302);
  });
});
