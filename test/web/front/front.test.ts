/** The pages and files at the root of the service. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Readiness, readReadiness } from "../../../src/operations/metrics/index.ts";
import { securityText } from "../../../src/web/front/site-files.ts";
import { StatusPage } from "../../../src/web/front/status-page.tsx";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const NAMED = { SERVICE_NAME: "Harbor <Mail>", PUBLIC_URL: "https://mail.example.com" };
const visitor = (changes: Record<string, unknown> = NAMED) => apiOn(changes, null);
const isIndexed = (response: Response) => response.headers.get("X-Robots-Tag") === null;

const workspace = perSuite(aWorkspace);

describe("the front page", () => {
  it("has the name of the deployment, the first call of its own URL, three pictures, and what links to it show", async () => {
    const response = await visitor().get("/");
    const html = await response.text();
    expect(isIndexed(response)).toBe(true);
    expect(html).toContain("<title>Harbor &lt;Mail&gt;");
    expect(html).toContain("curl https://mail.example.com/v1/emails/");
    expect(html.match(/<img [^>]*src="\/pictures\/[a-z-]+\.png"/g)).toHaveLength(3);
    expect(html).toContain('<meta property="og:image" content="https://mail.example.com/pictures/dashboard-home.png"');
    for (const path of ["/favicon.svg", "/apple-touch-icon.png", "/icon-512.png", "/pictures/dashboard-home.png"])
      expect((await env.ASSETS.fetch(`https://assets.invalid${path}`)).status, path).toBe(200);
  });

  it("and the documentation may be indexed, and no other page and no search", async () => {
    for (const path of ["/", "/status", "/docs", "/docs/emails", "/docs/guides/first-email"])
      expect(isIndexed(await visitor({}).get(path)), path).toBe(true);
    for (const path of ["/docs?q=mail", "/auth/sign-in", "/mail/sign-in", "/u/unknown"])
      expect(isIndexed(await visitor({}).get(path)), path).toBe(false);
  });
});

describe("the name of the deployment", () => {
  it.each([
    ["/openapi.json", '"title":"Harbor <Mail>"'],
    ["/llms.txt", "# Harbor <Mail>\n"],
    ["/site.webmanifest", '"name":"Harbor <Mail>"'],
    ["/.well-known/oauth-protected-resource", '"resource_name":"Harbor <Mail>"'],
    ["/auth/sign-in", "Harbor &lt;Mail&gt;</title>"],
  ])("is in %s", async (path, text) => {
    expect(await (await visitor().get(path)).text()).toContain(text);
  });

  it("is the title of its tools for assistants", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "Test", version: "1" } };
    const response = await apiOn(NAMED, workspace.apiKey).post(
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "initialize", params },
      { Accept: "application/json, text/event-stream" },
    );
    expect(await response.text()).toContain('"title":"Harbor <Mail>"');
  });
});

describe("files for programs", () => {
  it("robots.txt opens the front and the documentation only, and names the map of the site", async () => {
    const text = await (await visitor().get("/robots.txt")).text();
    expect(text.split("\n")).toEqual([
      ...["User-agent: *", "Allow: /$", "Allow: /docs", "Allow: /status", "Disallow: /", ""],
      ...["Sitemap: https://mail.example.com/sitemap.xml", ""],
    ]);
  });

  it("sitemap.xml has every guide, rule and kind of resource, and each is a page", async () => {
    const xml = await (await visitor({}).get("/sitemap.xml")).text();
    const urls = [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = ""]) => new URL(url).pathname);
    expect(urls.length).toBeGreaterThan(50);
    for (const path of urls) expect((await visitor({}).get(path)).status, path).toBe(200);
  });

  it("security.txt has the contact of the deployment and ends within a year, and is missing without one", async () => {
    expect((await visitor({}).get("/.well-known/security.txt")).status).toBe(404);
    const contact = { ...NAMED, SECURITY_CONTACT: "mailto:security@example.com" };
    const text = await (await visitor(contact).get("/.well-known/security.txt")).text();
    expect(text).toContain("Contact: mailto:security@example.com\n");
    const settings = { publicUrl: "https://mail.example.com", securityContact: "mailto:security@example.com" };
    expect(securityText(settings, Date.UTC(2026, 0, 1))).toContain("\nExpires: 2026-06-30T00:00:00.000Z\n");
    expect((await visitor({ SECURITY_CONTACT: "me\r\nContact: you" }).get("/ready")).status).toBe(503);
  });
});

describe("the page of the state", () => {
  it("says in words what works, and what happens to mail where something does not", async () => {
    const works = await visitor({ EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" }).get("/status");
    expect(works.status).toBe(200);
    expect(await works.text()).toMatch(/Delivering emails<\/strong><span class="status good">/);
    const waits = await visitor({ EGRESS_URL: "" }).get("/status");
    const html = await waits.text();
    expect(waits.status).toBe(503);
    expect(html).toContain("Accepted emails are stored.");
    expect(html).not.toMatch(/EGRESS_URL|not_configured/);
  });

  it.each(["ready", "degraded", "not_ready"] as const)(
    "has a title that its parts bear out, while it is %s",
    async (status) => {
      const state = await readReadiness(testContext({ EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" }));
      const titleOf = (change: Partial<Readiness>) =>
        /<h1>([^<]*)/.exec(
          String(StatusPage({ state: { ...state, system_mail: "configured", ...change, status } })),
        )?.[1];
      expect(titleOf({})).toBe("Everything works");
      expect(titleOf({ egress: "unreachable" })).toBe("Part of the service does not work");
      const all = { main: "fails", mail: "fails", egress: "unreachable", system_mail: "unknown" } as const;
      expect(titleOf(all)).toBe("The service does not work");
    },
  );
});

describe("a path without a page", () => {
  it("below /app and /docs is a 404 with the menu of its place, which visitors do not see", async () => {
    const browser = { Accept: "text/html" };
    const session = await aSession(workspace);
    for (const path of ["/app/unknown", `/app/emails/${crypto.randomUUID()}`]) {
      const page = await session.get(path, browser);
      expect(page.status, path).toBe(404);
      expect(await page.text(), path).toContain('id="workspaces"');
    }
    expect(await (await visitor({}).get("/docs/unknown", browser)).text()).toContain('class="contents"');
    const page = await visitor({}).get("/app/unknown", browser);
    expect(page.status).toBe(404);
    expect(await page.text()).not.toContain('id="workspaces"');
  });
});
