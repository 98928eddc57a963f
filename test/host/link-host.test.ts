import { beforeAll, describe, expect, it } from "vitest";
import { newUnsubscribeUrl } from "../../src/platform/mail-tokens/return-path.ts";
import { newClickToken, newOpenToken } from "../../src/platform/mail-tokens/tracking.ts";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { eventually } from "./support/gateway-rig.ts";
import { openSite } from "./support/pages.ts";
import { perSuite } from "./support/suite.ts";

/** The links of an email under the host of a customer's domain, over HTTP and in Chromium. */

const HOST = "links.linkhost.test";

const site = perSuite(() => openSite("linkhost.test"));
let base = "";
let paths: { pixel: string; link: string; unsubscribe: string };

describe.skipIf(chromiumUnavailable() !== null)("the host of a domain in Chromium", () => {
  beforeAll(async () => {
    base = `http://${HOST}:${new URL(site.host.url).port}`;
    await activateHost();
    paths = await pathsOf(await site.sendEmail());
  });

  /** Checks the domain until its host is active: the CNAME, the hostname and its certificate take a check each. */
  async function activateHost(): Promise<void> {
    const verify = async () => {
      const path = `/v1/domains/${site.workspace.domainId}/verify`;
      return (await site.call<{ link_host: { status: string } | null }>("POST", path)).link_host?.status;
    };
    await eventually(async () => ((await verify()) === "active" ? true : undefined));
  }

  async function pathsOf(emailId: string) {
    const { masterKeys } = site.ctx.settings;
    const mail = { workspace: site.workspace.workspaceNumber, emailId, recipient: 0 };
    return {
      pixel: `/t/o/${await newOpenToken(masterKeys, mail)}`,
      link: `/t/c/${await newClickToken(masterKeys, { ...mail, url: "https://shop.example/" })}`,
      unsubscribe: new URL(await newUnsubscribeUrl(masterKeys, mail, base)).pathname,
    };
  }

  it("shows the unsubscribe page with its style, and takes the address off", async () => {
    const { page, problems } = await site.open({}, base);
    await page.goto(paths.unsubscribe);
    expect(new URL(page.url()).hostname).toBe(HOST);
    expect(await page.evaluate("getComputedStyle(document.body).fontFamily")).not.toMatch(/^"?Times/);
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("button").first().click();
    await page.waitForLoadState();
    expect(await site.call("GET", "/v1/suppressions/")).toMatchObject([{ email: "friend@example.org" }]);
    expect(problems).toEqual([]);
  });

  it("serves the pixel and the redirect of a link", async () => {
    const { page } = await site.open({}, base);
    const pixel = await page.goto(paths.pixel);
    expect([pixel?.status(), pixel?.headers()["content-type"]]).toEqual([200, "image/gif"]);
    const clicked = await page.request.get(`${site.host.url}${paths.link}`, {
      headers: { Host: HOST },
      maxRedirects: 0,
    });
    expect([clicked.status(), clicked.headers().location]).toEqual([302, "https://shop.example/"]);
  });

  it("has nothing else of the service", async () => {
    const { page } = await site.open({}, base);
    for (const path of [
      "/",
      "/app",
      "/auth/sign-in",
      "/v1/me",
      "/health",
      "/docs",
      "/u/no/token",
      "/.well-known/mta-sts.txt",
    ]) {
      const response = await page.goto(path);
      expect([path, response?.status(), await response?.text()]).toEqual([path, 404, "Not found"]);
    }
  });
});
