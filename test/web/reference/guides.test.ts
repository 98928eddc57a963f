import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ORDER, pathOf, readGuides } from "../../../src/web/reference/guides.ts";
import { apiWith } from "../../support/workspace.ts";

const visitor = apiWith(null);
const get = async (path: string) => (await visitor.call("GET", path)).text();

/** Returns the links of a page with their texts. */
const linksOf = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]*)/g)].map(([, href = "", text = ""]) => ({ href, text }));

describe("a search of the reference", () => {
  const placesOf = async (query: string) =>
    linksOf((await get(`/docs?q=${encodeURIComponent(query)}`)).split('<main id="main">')[1] ?? "");

  it.each([
    ["attachments", "attachments[].content_base64", "/docs/emails#sendEmail"],
    ["422", "422 The request is not valid", "/docs/accounts#getMe"],
    ["idempotency", "Idempotency", "/docs/rules/idempotency"],
    ["idempotent", "Idempotency", "/docs/rules/idempotency"],
    ["webhook signature", "Receive webhooks: Verify a signature", "/docs/guides/webhooks#verify-a-signature"],
    ["rate limits", "Limits: Rate limits", "/docs/rules/limits#rate-limits"],
  ])("for %s finds %s", async (query, text, href) => {
    const places = await placesOf(query);
    expect(places.map((place) => place.text)).toContain(text);
    const found = places.find((place) => place.text === text);
    expect(found?.href).toBe(href);
  });

  it("shows at most twelve places of a kind, whatever the words", async () => {
    expect((await placesOf("e")).length).toBeLessThanOrEqual(4 * 12);
    expect((await visitor.call("GET", `/docs?q=${"a".repeat(10_000)}`)).status).toBe(200);
  });
});

describe("the guides and rules", () => {
  it("are each in the order in which people need them", async () => {
    const guides = (await readGuides(env.ASSETS)).filter(({ kind }) => kind === "guides");
    expect(guides.map(({ slug }) => slug)).toEqual(ORDER);
  });

  it("have pages, and each link within them leads to a heading that is there", async () => {
    const pages = new Map(
      await Promise.all(
        (await readGuides(env.ASSETS)).map(async (guide) => [pathOf(guide), await get(pathOf(guide))] as const),
      ),
    );
    expect(pages.size).toBeGreaterThan(25);
    for (const [path, html] of pages) {
      const article = html.split('<article class="prose">')[1] ?? "";
      expect(article, path).not.toContain("<!--");
      for (const { href } of linksOf(article).filter(
        (link) => link.href.startsWith("/docs/") || link.href.startsWith("#"),
      )) {
        const [page, heading] = href.split("#");
        const target = pages.get(page === "" ? path : (page ?? "")) ?? "";
        expect(target, `${path}: ${href}`).not.toBe("");
        if (heading) expect(target, `${path}: ${href}`).toContain(`id="${heading}"`);
      }
    }
  });
});

describe("the Markdown of the reference", () => {
  it("of each kind of resource has the call, the fields and the errors of every operation", async () => {
    const response = await visitor.call("GET", "/docs/emails.md");
    expect(response.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    const text = await response.text();
    expect(text).toContain("## Send an email\n\n`POST /v1/emails/`");
    expect(text).toContain("| `attachments[].filename` |");
    expect(text).toContain("requests.post(");
    expect(text).toContain(
      '- 403: Missing scope, restricted account or paused sending `{"detail":"Missing scope: emails:send"}`',
    );
  });

  it("is listed in llms.txt, and every link there leads to Markdown", async () => {
    const text = await get("/llms.txt");
    const links = [...text.matchAll(/\]\(http:\/\/[^/]+(\/[^)]+)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(50);
    for (const path of links.filter((one) => one !== "/openapi.json")) {
      const response = await visitor.call("GET", path);
      expect([response.status, response.headers.get("Content-Type")], path).toEqual([
        200,
        "text/markdown; charset=utf-8",
      ]);
    }
  });
});
