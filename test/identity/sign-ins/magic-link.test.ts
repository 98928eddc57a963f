import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { issueOneTimeToken } from "../../../src/access/tokens/one-time-tokens.ts";
import { returnPath } from "../../../src/identity/sign-ins/rules.ts";
import { database } from "../../support/databases.ts";
import { aMagicLink, browser, randomIp, systemEmails } from "../../support/sign-ins.ts";
import { apiOn, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
let email: string;

beforeAll(async () => {
  email = `owner@${workspace.domain}`;
});

const linkIn = (content: string) => /\/auth\/magic-link\/[\w-]+/.exec(content)?.[0] ?? "";

describe("POST /auth/magic-link", () => {
  it("emails a link from the system mailbox, which signs in once and leads to the dashboard", async () => {
    const page = browser({ SYSTEM_MAILBOX: workspace.mailbox });
    const sent = await page.post("/auth/magic-link", { email: email.toUpperCase(), next: "/app?x=1" });
    expect(await sent.text()).toContain("Check your email");
    const [content = ""] = await systemEmails(workspace, 1);
    const path = linkIn(content);
    expect(path).not.toBe("");
    expect(await (await page.get(path)).text()).toContain(`Sign in as ${email}`);
    const signedIn = await page.post(path);
    expect([signedIn.status, signedIn.headers.get("Location")]).toEqual([303, "/app?x=1"]);
    const home = await page.get("/app");
    expect(home.status).toBe(200);
    expect(await home.text()).toContain(email);
    expect((await page.post(path)).status).toBe(404);
    expect((await page.get(path)).status).toBe(404);
  });

  it("delivers the email without waiting for the queue", async () => {
    const other = await aWorkspace();
    const noQueue = { WORK: { sendBatch: () => Promise.reject(new Error("the queue is down")) } };
    const api = apiOn({ SYSTEM_MAILBOX: other.mailbox, ...noQueue }, null);
    const headers = { "CF-Connecting-IP": randomIp() };
    expect((await api.post("/auth/magic-link", { email: `owner@${other.domain}` }, headers)).status).toBe(202);
    const row = await database.row("SELECT status, source FROM emails WHERE workspace = ?1", [other.workspaceNumber]);
    expect(row).toEqual({ status: expect.stringMatching(/^(sent|delivered)$/), source: "system" });
  });

  it("returns an unknown address like a known one, and sends nothing", async () => {
    const other = await aWorkspace();
    const api = apiOn({ SYSTEM_MAILBOX: other.mailbox }, null);
    const ask = async (address: string) => {
      const response = await api.post("/auth/magic-link", { email: address }, { "CF-Connecting-IP": randomIp() });
      return `${response.status} ${await response.text()}`;
    };
    const unknown = await ask(`nobody@${other.domain}`);
    expect(unknown).toBe(await ask(`owner@${other.domain}`));
    expect(unknown).toMatch(/^202 /);
    expect(await systemEmails(other, 1)).toHaveLength(1);
  });

  it("allows 5 links per address and 20 per ip in 15 minutes, for unknown addresses too", async () => {
    const ask = (address: string, ip: string) =>
      apiWith(null).post("/auth/magic-link", { email: address }, { "CF-Connecting-IP": ip });
    const address = `${crypto.randomUUID()}@example.org`;
    const ofAddress = await Promise.all(Array.from({ length: 9 }, () => ask(address, randomIp())));
    expect(ofAddress.filter(({ status }) => status === 202)).toHaveLength(5);
    const refused = ofAddress.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(refused?.headers.get("RateLimit-Policy")).toBe('"sign-in-links-per-address";q=5;w=900');
    const ip = randomIp();
    const ofIp = await Promise.all(Array.from({ length: 25 }, () => ask(`${crypto.randomUUID()}@example.org`, ip)));
    expect(ofIp.filter(({ status }) => status === 202)).toHaveLength(20);
    // One client has a whole /64 of IPv6.
    const network = `2001:db8:${crypto.randomUUID().slice(0, 4)}:1`;
    const ofNetwork = await Promise.all(
      Array.from({ length: 25 }, (_, i) => ask(`${crypto.randomUUID()}@example.org`, `${network}::${i + 1}`)),
    );
    expect(ofNetwork.filter(({ status }) => status === 202)).toHaveLength(20);
  });

  it("refuses bodies that are no request for a link", async () => {
    const ask = async (body: unknown, headers: Record<string, string> = {}) =>
      (await apiWith(null).post("/auth/magic-link", body, { "CF-Connecting-IP": randomIp(), ...headers })).status;
    for (const body of [
      {},
      [],
      "x",
      { email: 5 },
      { email: "no address" },
      { email: "a@b\r\nBcc: c@d" },
      { email: "a\u0000@b.example" },
    ])
      expect(await ask(body), JSON.stringify(body)).toBe(422);
    expect(await ask({ email: `${"a".repeat(20_000)}@example.org` })).toBe(413);
    expect(await ask("email=a@example.org", { "Content-Type": "text/plain" })).toBe(415);
    expect(await ask({ email }, { Origin: "https://attacker.example" })).toBe(403);
  });

  it("shows a form again with its value and the problem", async () => {
    const response = await browser().post("/auth/magic-link", { email: "<b>nobody</b>", next: "/app" });
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain("&lt;b&gt;nobody&lt;/b&gt;");
    expect(html).toContain('role="alert"');
  });
});

describe("a sign-in link", () => {
  it("signs in once of fifty parallel redemptions", async () => {
    const path = await aMagicLink(email);
    const responses = await Promise.all(Array.from({ length: 50 }, () => browser().post(path)));
    expect(responses.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(49).fill(404)]);
  });

  it("is not redeemed by loading it, and expires after 15 minutes", async () => {
    const path = await aMagicLink(email);
    for (let n = 0; n < 3; n++) expect((await browser().get(path)).status).toBe(200);
    expect((await browser().post(path)).status).toBe(303);
    const old = await aMagicLink(email, Date.now() - 15 * 60_000);
    expect((await browser().get(old)).status).toBe(404);
    expect((await browser().post(old)).status).toBe(404);
  });

  it("is no one-time token of another purpose, and none of those is a sign-in link", async () => {
    for (const purpose of ["second_factor", "forward_target"] as const) {
      const { token, statement } = await issueOneTimeToken(testContext(), purpose, { subject: email, ttlMs: 60_000 });
      await statement.run();
      expect((await browser().get(`/auth/magic-link/${token}`)).status, purpose).toBe(404);
      expect((await browser().post(`/auth/magic-link/${token}`)).status, purpose).toBe(404);
    }
    const path = await aMagicLink(email);
    expect((await browser().post(path.replace("/auth/magic-link/", "/forwards/"))).status).toBe(404);
    expect((await browser().post(path)).status).toBe(303);
  });

  it("is refused from a page of another site, which could sign a visitor in to its own account", async () => {
    const path = await aMagicLink(email);
    expect((await browser().post(path, {}, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await browser().post(path)).status).toBe(303);
  });

  it("creates an account with a workspace where sign-up is open, once, and none where it is not", async () => {
    const address = `new-${crypto.randomUUID()}@example.org`;
    const [first, second] = [await aMagicLink(address), await aMagicLink(address)];
    expect((await browser().post(first)).status).toBe(403);
    const pages = [browser({ SIGN_UP: "open" }), browser({ SIGN_UP: "open" })] as const;
    const responses = await Promise.all([pages[0].post(first), pages[1].post(second)]);
    expect(responses.map(({ status }) => status)).toEqual([303, 303]);
    const owners = await env.DB.prepare(
      "SELECT m.role FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.email_key = ?1",
    )
      .bind(address)
      .all();
    expect(owners.results).toEqual([{ role: "owner" }]);
  });

  it.each(["a user without a workspace", "an address without an account"])(
    "leads %s to its invitation, which it accepts there",
    async (who) => {
      const [inviting, gone] = [await aWorkspace(), await aWorkspace()];
      const isKnown = who === "a user without a workspace";
      const email = isKnown ? `owner@${gone.domain}` : `new-${crypto.randomUUID()}@example.org`;
      await database.run("UPDATE workspaces SET deleted_at = 1 WHERE id = ?1", [gone.workspaceId]);
      const page = browser({ SIGN_UP: "invited" });
      expect((await page.post(await aMagicLink(email))).status).toBe(403);
      await database.run(
        "INSERT INTO invitations (workspace, email_key, created_at, id, email, role, hash, invited_by, expires_at) VALUES (?1, ?2, ?3, ?4, ?2, 'member', ?4, ?5, ?6)",
        [inviting.workspaceNumber, email, Date.now(), crypto.randomUUID(), inviting.userId, Date.now() + 60_000],
      );
      const link = await aMagicLink(email);
      const path = (await page.post(link)).headers.get("Location") ?? "";
      expect(path).toMatch(/^\/invitations\//);
      expect((await page.post(link)).status).toBe(404);
      expect((await page.get(path)).status).toBe(200);
      expect((await page.post(path)).headers.get("Location")).toBe("/app");
      expect((await page.get("/app")).status).toBe(200);
    },
  );

  it("leads to paths of this service only", () => {
    for (const path of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "/\t/evil.example",
      "",
      "app",
      "/\n",
    ])
      expect(returnPath(path), path).toBe("/app");
    for (const path of ["/app", "/app?x=1", "/oauth/authorize?a=b&c=%20d"]) expect(returnPath(path)).toBe(path);
    expect(returnPath(undefined)).toBe("/app");
  });
});

describe("the dashboard", () => {
  it("sends visitors without a session to the sign-in page and back", async () => {
    const response = await browser().get("/app?tab=1");
    expect([response.status, response.headers.get("Location")]).toEqual([303, "/auth/sign-in?next=%2Fapp%3Ftab%3D1"]);
  });

  it("repeats a request that another site has caused, because it carries no Strict cookie", async () => {
    const response = await browser().get("/app", { "Sec-Fetch-Site": "cross-site" });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('http-equiv="refresh" content="0;url=/app"');
  });

  it("refreshes an expired access token by itself", async () => {
    const page = browser();
    await page.post(await aMagicLink(email));
    const { refresh } = page.jar;
    page.jar.session = "expired";
    expect((await page.get("/app")).status).toBe(200);
    expect(page.jar.refresh).not.toBe(refresh);
    expect(page.jar.session).not.toBe("expired");
  });

  it("cannot be framed, and allows its own script only, and none before the sign-in", async () => {
    for (const [path, script] of [
      ["/auth/sign-in", ""],
      ["/app", "script-src 'self'; connect-src 'self'; "],
    ] as const) {
      const page = browser();
      await page.post(await aMagicLink(email));
      const { headers } = await page.get(path);
      expect(headers.get("Content-Security-Policy")).toBe(
        `default-src 'none'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; ${script}form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      );
      expect(headers.get("X-Frame-Options")).toBe("DENY");
      expect(headers.get("Cache-Control")).toBe("no-store");
      expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    }
  });
});
