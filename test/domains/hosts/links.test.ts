import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { newClickToken, newOpenToken } from "../../../src/platform/mail-tokens/tracking.ts";
import type { HitMessage } from "../../../src/sending/tracking/index.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { failingDatabase } from "../../support/failures.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { advanceIn, aHostWorkspace, anActiveHost, pointElsewhere, requestAt, verifyWith } from "./support.ts";

const { masterKeys, publicUrl } = testContext().settings;
const READER = { "User-Agent": "A reader", "CF-Connecting-IP": "192.0.2.7" };

/** Sends a bulk email with a pixel and a link. Returns the addresses of the service in it. */
async function linksOf(workspace: TestWorkspace): Promise<string[]> {
  const server = await sinkServer();
  const html = '<a href="https://shop.example/">Shop</a>';
  const { post } = workspace.withoutQueue;
  const response = await post("/v1/emails/", aMail(workspace, { html, tracking: { opens: true, clicks: true } }));
  const { id } = await response.json<{ id: string }>();
  await database.run("UPDATE emails SET source = 'bulk' WHERE id = ?1", [id]);
  await runOutboxAt(Date.now(), { ...hostSettings(), EGRESS_URL: server.url });
  const [message] = await server.messages();
  await server.close();
  const parsed = await PostalMime.parse(message?.raw ?? "");
  const [, unsubscribe = ""] =
    /<(http[^>]*)>/.exec(parsed.headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "") ?? [];
  return [...(parsed.html ?? "").matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url = ""]) => url).concat(unsubscribe);
}

const originsOf = (urls: string[]) => [...new Set(urls.map((url) => new URL(url).origin))];

/** Requests a path at a host. Hits are recorded. */
async function at(
  host: string,
  path: string,
  { method = "GET", bindings = {} }: { method?: string; bindings?: Record<string, unknown> } = {},
) {
  const hits: HitMessage[] = [];
  const HITS = { send: async (body: HitMessage) => void hits.push(body) };
  const response = await requestAt(host, path, { method, headers: READER, bindings: { HITS, ...bindings } });
  return { response, hits };
}

async function tokensOf(workspace: TestWorkspace, emailId = testContext().newId()) {
  const mail = { workspace: workspace.workspaceNumber, emailId, recipient: 0 };
  const [open, click] = await Promise.all([
    newOpenToken(masterKeys, mail),
    newClickToken(masterKeys, { ...mail, url: "https://shop.example/" }),
  ]);
  return { pixel: `/t/o/${open}`, link: `/t/c/${click}` };
}

describe("an email of a domain with an active host", () => {
  it("has the host in its pixel, its links and its unsubscribe link", async () => {
    const made = await anActiveHost();
    const urls = await linksOf(made);
    expect(urls.map((url) => new URL(url).pathname.slice(0, 5))).toEqual([
      "/t/c/",
      "/t/o/",
      expect.stringMatching(/^\/u\//),
    ]);
    expect(originsOf(urls)).toEqual([`http://${made.host}:8787`]);
  });

  it("has the shared host before the host is active, when it fails and when the deployment offers none", async () => {
    const made = await aHostWorkspace();
    await verifyWith(made.api, made.domainId);
    expect(originsOf(await linksOf(made))).toEqual([publicUrl]);
    await advanceIn(120_000);
    await advanceIn(240_000);
    expect(originsOf(await linksOf(made))).toEqual([`http://${made.host}:8787`]);
    await pointElsewhere(made.host);
    await verifyWith(made.api, made.domainId);
    expect(originsOf(await linksOf(made))).toEqual([publicUrl]);
  });
});

describe("a request at the host of a domain", () => {
  it("gets the pixel, the redirect and the unsubscribe page of an email of its workspace", async () => {
    const made = await anActiveHost();
    const urls = (await linksOf(made)).map((url) => new URL(url).pathname);
    const [link = "", pixel = "", unsubscribe = ""] = urls;
    const opened = await at(made.host, pixel);
    expect([opened.response.headers.get("Content-Type"), opened.hits.length]).toEqual(["image/gif", 1]);
    const clicked = await at(made.host, link);
    expect([clicked.response.status, clicked.response.headers.get("Location")]).toEqual([302, "https://shop.example/"]);
    expect((await at(made.host, unsubscribe)).response.status).toBe(200);
    expect((await at(made.host, unsubscribe, { method: "POST" })).response.status).toBe(200);
  });

  it("is refused with the token of another workspace, as with a forged one, which the shared host takes", async () => {
    const [made, other] = await Promise.all([anActiveHost(), aWorkspace()]);
    const { pixel, link } = await tokensOf(other);
    const opened = await at(made.host, pixel);
    expect([opened.response.status, opened.hits]).toEqual([200, []]);
    expect((await at(made.host, link)).response.status).toBe(404);
    const [, , unsubscribe = ""] = (await linksOf(other)).map((url) => new URL(url).pathname);
    expect((await at(made.host, unsubscribe)).response.status).toBe(404);
    expect((await at(made.host, unsubscribe, { method: "POST" })).response.status).toBe(404);
    expect(await (await other.get("/v1/suppressions/")).json()).toEqual([]);
    expect((await at("api.test", link)).response.status).toBe(302);
  });

  it("is refused at a host that no domain has", async () => {
    const { link } = await tokensOf(await aWorkspace());
    expect((await at(`links.${crypto.randomUUID()}.example`, link)).response.status).toBe(404);
  });

  it("gets nothing of the service: no page, no API, no cookie", async () => {
    const { host, apiKey } = await anActiveHost();
    for (const path of [
      "/",
      "/app",
      "/v1/me",
      "/v1/domains/",
      "/auth/sign-in",
      "/oauth/authorize",
      "/health",
      "/docs",
      "/t/o/",
      "/u/a/b",
      "/.well-known/mta-sts.txt",
    ]) {
      const response = await requestAt(host, path, { headers: { Authorization: `Bearer ${apiKey}` } });
      expect([path, response.status, await response.text()]).toEqual([path, 404, "Not found"]);
      expect(response.headers.get("Set-Cookie")).toBeNull();
    }
  });

  it("reads D1 for its workspace once a minute", async () => {
    const made = await anActiveHost();
    const { pixel } = await tokensOf(made);
    const { bindings, trips } = countingDb();
    await at(made.host, pixel, { bindings });
    await at(made.host, pixel, { bindings });
    expect(trips).toHaveLength(1);
  });

  it("works while D1 does not respond", async () => {
    const made = await anActiveHost();
    const { link } = await tokensOf(made);
    const DB = failingDatabase(
      env.DB,
      { random: () => 0, chance: 1, bindings: ["main"], moments: ["before"], count: 0 },
      "main",
    );
    expect((await at(made.host, link, { bindings: { DB } })).response.status).toBe(302);
  });

  it("works for emails that were sent before a transfer of the domain, and not for later ones of the source", async () => {
    const [made, target] = await Promise.all([anActiveHost(), aWorkspace()]);
    const past = JSON.stringify([[made.workspaceNumber, Date.now()]]);
    await database.run("UPDATE custom_hosts SET workspace = ?2, past_owners = ?3 WHERE name = ?1", [
      made.host,
      target.workspaceNumber,
      past,
    ]);
    const id = testContext().newId();
    const old = `00000000-0000${id.slice(13)}`;
    const young = `ffffffff-ffff${id.slice(13)}`;
    expect((await at(made.host, (await tokensOf(made, old)).link)).response.status).not.toBe(404);
    expect((await at(made.host, (await tokensOf(made, young)).link)).response.status).toBe(404);
    expect((await at(made.host, (await tokensOf(target)).link)).response.status).toBe(302);
  });
});
