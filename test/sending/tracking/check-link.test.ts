import { describe, expect, it } from "vitest";
import { newClickToken, newOpenToken } from "../../../src/platform/mail-tokens/tracking.ts";
import { countingDb, rowsRead } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { run } from "../../support/sending.ts";
import { apiOn, apiWith, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aDeliveredMail } from "./support.ts";

const { masterKeys, retentionDays } = testContext().settings;
const DAY_MS = 24 * 3_600_000;
const EXPIRED_AT = Date.now() - (retentionDays + 1) * DAY_MS;

/** Returns a host that no other test uses, since results are cached per workspace and host. */
const newHost = () => `h${crypto.randomUUID().slice(0, 8)}.example`;

/** Returns an id of an email that was accepted at this time. */
const idAt = (time: number) =>
  testContext()
    .newId()
    .replace(/^.{8}-.{4}/, timeHex(time));
const timeHex = (time: number) =>
  time
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-");

async function linkTo(workspace: TestWorkspace, url: string, emailId = testContext().newId()): Promise<string> {
  const link = { workspace: workspace.workspaceNumber, emailId, recipient: 0, url };
  return `/t/c/${await newClickToken(masterKeys, link)}`;
}

const block = (host: string) => run("INSERT INTO blocked_hosts VALUES (?1, 0)", host);
const statusOf = async (path: string) => (await apiWith(null).get(path)).status;

describe("a link to a blocked host", () => {
  it("is a 410 that names no target, for the host and its sub-domains in any spelling", async () => {
    const workspace = await aWorkspace();
    const host = newHost();
    await block(host);
    for (const url of [
      `https://${host}/x`,
      `http://www.a.${host}`,
      `HTTPS://${host.toUpperCase()}./`,
      `https://good.example@${host}:8443/`,
    ]) {
      const response = await apiWith(null).get(await linkTo(workspace, url));
      const page = await response.text();
      expect([response.status, response.headers.get("Location")], url).toEqual([410, null]);
      expect(page).toContain("This link is blocked");
      expect(page.toLowerCase()).not.toContain(host);
    }
  });

  it("is blocked in its A-label form when the link has U-labels", async () => {
    const label = crypto.randomUUID().slice(0, 8);
    await block(new URL(`https://b\u00fccher-${label}.example`).hostname);
    expect(await statusOf(await linkTo(await aWorkspace(), `https://B\u00dccher-${label}.example/`))).toBe(410);
  });

  it("does not block other hosts: a longer label, a parent, or the name within the path", async () => {
    const workspace = await aWorkspace();
    const host = newHost();
    await block(`sub.${host}`);
    for (const url of [`https://${host}/`, `https://xsub.${host}/`, `https://${newHost()}/sub.${host}`])
      expect(await statusOf(await linkTo(workspace, url)), url).toBe(302);
  });

  it("makes no hit and no open redirect by HEAD", async () => {
    const host = newHost();
    await block(host);
    const response = await apiWith(null).call("HEAD", await linkTo(await aWorkspace(), `https://${host}/`));
    expect([response.status, response.headers.get("Location"), await response.text()]).toEqual([410, null, ""]);
  });
});

describe("an expired link", () => {
  it("of a deleted workspace shows a page that names the target and asks for a click", async () => {
    const workspace = await aWorkspace();
    const url = `https://${newHost()}/a?x=1&y="><script>alert(1)</script>`;
    expect((await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`)).status).toBe(204);
    const response = await apiWith(null).get(await linkTo(workspace, url));
    expect([response.status, response.headers.get("Location")]).toEqual([200, null]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": expect.stringMatching(/^text\/html/),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    const page = await response.text();
    const escapes: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
    const target = url.replace(/[&"<>]/g, (character) => escapes[character] ?? "");
    expect(page).toContain(`<p class="url">${target}</p>`);
    expect(page).toContain(`href="${target}"`);
    expect(page).not.toContain("<script>");
  });

  it("is one whose email is past its retention and deleted; a scheduled one that is still stored redirects", async () => {
    const workspace = await aWorkspace();
    const [gone, stored] = [idAt(EXPIRED_AT), idAt(EXPIRED_AT)];
    const id = await aDeliveredMail(workspace);
    await run("UPDATE emails SET id = ?2 WHERE id = ?1", id, stored);
    const host = newHost();
    expect(await statusOf(await linkTo(workspace, `https://${host}/`, gone))).toBe(200);
    expect(await statusOf(await linkTo(workspace, `https://${host}/`, stored))).toBe(302);
    expect(await statusOf(await linkTo(workspace, `https://${host}/`))).toBe(302);
  });

  it("is one of a workspace with days of its own, where other workspaces still have their emails", async () => {
    const [own, other] = [await aWorkspace(), await aWorkspace()];
    await own.call("PATCH", `/v1/workspaces/${own.workspaceId}`, { settings: { retention_days: 30 } });
    const [gone, young] = [31, 29].map((days) => idAt(Date.now() - days * DAY_MS));
    const url = `https://${newHost()}/`;
    expect(await statusOf(await linkTo(own, url, young))).toBe(302);
    expect(await statusOf(await linkTo(own, url, gone))).toBe(200);
    expect(await statusOf(await linkTo(other, url, gone))).toBe(302);
  });

  it("of another workspace's email does not redirect, and a blocked host wins over the expiry", async () => {
    const [own, other] = await Promise.all([aWorkspace(), aWorkspace()]);
    const stored = idAt(EXPIRED_AT);
    await run("UPDATE emails SET id = ?2 WHERE id = ?1", await aDeliveredMail(other), stored);
    const host = newHost();
    expect(await statusOf(await linkTo(own, `https://${host}/`, stored))).toBe(200);
    const blocked = newHost();
    await block(blocked);
    expect(await statusOf(await linkTo(own, `https://${blocked}/`, stored))).toBe(410);
  });

  it("makes no hit", async () => {
    const hits: unknown[] = [];
    const HITS = { send: async (body: unknown) => void hits.push(body) };
    const path = await linkTo(await aWorkspace(), `https://${newHost()}/`, idAt(EXPIRED_AT));
    expect((await apiOn({ HITS }, null).get(path)).status).toBe(200);
    expect(hits).toEqual([]);
  });
});

describe("the lookup of a link", () => {
  it("costs one round trip and few rows, and nothing for the same workspace and host within 60 s", async () => {
    const workspace = await aWorkspace();
    const host = newHost();
    const { bindings, trips } = countingDb();
    const api = apiOn(bindings, null);
    for (const path of ["/a", "/b", "/c"]) {
      expect((await api.get(await linkTo(workspace, `https://www.${host}${path}`))).status).toBe(302);
    }
    expect(trips).toHaveLength(1);
    const [lookup] = trips[0]?.statements ?? [];
    expect(lookup && (await rowsRead(lookup))).toBeLessThanOrEqual(1 + 2 * 3);
    await api.get(await linkTo(workspace, `https://${newHost()}/`));
    expect(trips).toHaveLength(2);
    const pixel = { workspace: workspace.workspaceNumber, emailId: testContext().newId(), recipient: 0 };
    await api.get(`/t/o/${await newOpenToken(masterKeys, pixel)}`);
    expect(trips).toHaveLength(2);
  });

  it("that fails lets the link redirect, and the next request looks again", async () => {
    const workspace = await aWorkspace();
    const host = newHost();
    await block(host);
    const DB = { prepare: () => ({ bind: () => ({ first: () => Promise.reject(new Error("D1 is overloaded")) }) }) };
    const path = await linkTo(workspace, `https://${host}/`);
    expect((await apiOn({ DB }, null).get(path)).status).toBe(302);
    expect(await statusOf(path)).toBe(410);
  });

  it("of a host that is too long for DNS redirects without a search of each label", async () => {
    for (const host of [`${"a.".repeat(3_000)}example`, `a${".".repeat(7_000)}b`]) {
      const { bindings, trips } = countingDb();
      expect((await apiOn(bindings, null).get(await linkTo(await aWorkspace(), `https://${host}/`))).status).toBe(302);
      expect(trips[0]?.statements[0]?.values[1]).toBe('[""]');
    }
  });
});

it("a blocked host is stored in lower case, and once", async () => {
  const host = newHost();
  await block(host);
  await expect(block(host)).rejects.toThrow("UNIQUE");
  await expect(block(newHost().toUpperCase())).rejects.toThrow("CHECK");
  await expect(block("")).rejects.toThrow("CHECK");
  expect(await database.row("SELECT count(*) AS n FROM blocked_hosts WHERE host = ?1", [host])).toEqual({
    n: 1,
  });
});
