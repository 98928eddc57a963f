import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTNAME_TARGET } from "../../dev/custom-hostnames/target.ts";
import { listDomains } from "../../dev/dns/list-domains.ts";
import { startLocalDns } from "../../dev/dns/local.ts";
import { newClickToken, newOpenToken, newUnsubscribeUrl } from "../../src/platform/mail-tokens/index.ts";
import { chromiumUnavailable, findIssues, launchBrowser, openPage } from "./support/browser.ts";
import { eventually } from "./support/gateway-rig.ts";
import { type Site, startSite } from "./support/pages.ts";

/** The links of an email under the host of a customer's domain, over HTTP and in Chromium. */

const HOST = "links.example.test";

let site: Site;
let dns: Awaited<ReturnType<typeof startLocalDns>>;
let base = "";
let paths: { pixel: string; link: string; unsubscribe: string };

describe.skipIf(chromiumUnavailable() !== null)("the host of a domain in Chromium", () => {
  beforeAll(async () => {
    let api = { url: "", key: "" };
    dns = await startLocalDns(0, () => listDomains(api.url, api.key));
    const server = `http://127.0.0.1:${dns.port}`;
    site = await startSite({
      ...{ DNS_RESOLVER_URL: `${server}/dns-query`, HOSTNAME_API_URL: `${server}/client/v4` },
      ...{ HOSTNAME_ZONE_ID: "zone", HOSTNAME_API_TOKEN: "token", HOSTNAME_TARGET },
    });
    api = { url: `${site.host.url}/v1`, key: site.workspace.apiKey };
    base = `http://${HOST}:${new URL(site.host.url).port}`;
    await activateHost();
    paths = await pathsOf(await site.sendEmail());
  }, 120_000);

  afterAll(async () => {
    await site?.stop();
    await dns?.close();
  });

  /** Checks the domain until its host is active: the CNAME, the hostname and its certificate take a check each. */
  async function activateHost(): Promise<void> {
    const verify = async () => {
      const response = await fetch(`${site.host.url}/v1/domains/${site.workspace.domainId}/verify`, {
        method: "POST",
        headers: { Authorization: `Bearer ${site.workspace.apiKey}` },
      });
      return ((await response.json()) as { link_host: { status: string } | null }).link_host?.status;
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

  /** Opens a page whose browser finds the host on this machine. */
  async function open() {
    const browser = await launchBrowser([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]);
    return { browser, ...(await openPage(browser, base)) };
  }

  it("shows the unsubscribe page with its style, and takes the address off", async () => {
    const { browser, page, problems } = await open();
    await page.goto(paths.unsubscribe);
    expect(new URL(page.url()).hostname).toBe(HOST);
    expect(await page.evaluate("getComputedStyle(document.body).fontFamily")).not.toMatch(/^"?Times/);
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole("button").first().click();
    await page.waitForLoadState();
    const response = await fetch(`${site.host.url}/v1/suppressions/`, {
      headers: { Authorization: `Bearer ${site.workspace.apiKey}` },
    });
    expect(await response.json()).toMatchObject([{ email: "friend@example.org" }]);
    expect(problems).toEqual([]);
    await browser.close();
  });

  it("serves the pixel and the redirect of a link", async () => {
    const { browser, page } = await open();
    const pixel = await page.goto(paths.pixel);
    expect([pixel?.status(), pixel?.headers()["content-type"]]).toEqual([200, "image/gif"]);
    const clicked = await page.request.get(`${site.host.url}${paths.link}`, {
      headers: { Host: HOST },
      maxRedirects: 0,
    });
    expect([clicked.status(), clicked.headers().location]).toEqual([302, "https://shop.example/"]);
    await browser.close();
  });

  it("has nothing else of the service", async () => {
    const { browser, page } = await open();
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
    await browser.close();
  });
});
