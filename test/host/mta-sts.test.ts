import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DomainOut } from "../../src/domains/domains/schema.ts";
import { chromiumUnavailable, findIssues } from "./support/browser.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { eventually } from "./support/gateway-rig.ts";
import { PAGE_BYTES, weigh } from "./support/page-weight.ts";
import { openSite } from "./support/pages.ts";
import { perSuite, temporaryFolder } from "./support/suite.ts";
import { createAuthority, type TestAuthority } from "./support/test-authority.ts";

/** The MTA-STS policy of a domain: on its page in Chromium, and as the egress of this project fetches and follows it. */

const HOST = "mta-sts.policy.test";
const aRig = egressRigs();

const site = perSuite(() => openSite("policy.test"));
const folder = temporaryFolder();
let authority: TestAuthority;
let front: https.Server;

/** Calls the API for the domain of the workspace. */
const callDomain = (method: string, further = "", body?: object) =>
  site.call<DomainOut>(method, `/v1/domains/${site.workspace.domainId}${further}`, body);

/** Returns the status of the host of the policy, which no response has. */
const hostStatus = () =>
  site.ctx.db.prepare("SELECT status FROM custom_hosts WHERE name = ?1").bind(HOST).first<string>("status");

/** Serves the Worker over TLS at the host, as Cloudflare does with the certificate of a custom hostname. */
async function startFront(): Promise<https.Server> {
  const server = https.createServer(await authority.certify(HOST), (request, response) => {
    const headers = { Host: request.headers.host ?? "" };
    http
      .get(`${site.host.url}${request.url}`, { headers }, (found) => {
        response.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(response);
      })
      .on("error", () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

describe.skipIf(chromiumUnavailable() !== null)("the MTA-STS policy of a domain", () => {
  beforeAll(async () => {
    authority = await createAuthority(folder);
    front = await startFront();
    await eventually(async () => {
      await callDomain("POST", "/verify");
      return (await hostStatus()) === "active" ? true : undefined;
    });
  });

  afterAll(async () => {
    front?.close();
  });

  it("is shown with its mode and what must happen, and an owner changes it, on a page of at most 30 KB", async () => {
    const { page, context, problems } = await site.open();
    const cookies = await site.signIn();
    await context.addCookies(cookies);
    const at = `/app/domains/${site.workspace.domainId}`;
    await page.goto(at);
    const policy = page.getByRole("region", { name: "MTA-STS policy" });
    await policy.getByText("It enforces by itself after 14 days").waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect(
      (await weigh(site.host.url, at, Object.fromEntries(cookies.map(({ name, value }) => [name, value])))).page,
    ).toBeLessThanOrEqual(PAGE_BYTES);
    await policy.getByRole("button", { name: "Enforce now" }).click();
    await page.getByText("The MTA-STS policy is changed.").waitFor();
    await policy.getByText("Other mail systems deliver encrypted").waitFor();
    expect(await findIssues(page)).toEqual([]);
    expect((await callDomain("GET")).mta_sts?.mode).toBe("enforce");
    await policy.getByRole("button", { name: "Back to testing" }).click();
    await policy.getByText("An owner chose testing").waitFor();
    expect((await callDomain("GET")).mta_sts).toMatchObject({ mode: "testing", enforces_from: null });
    expect(problems).toEqual([]);
  }, 60_000);

  /** Sends an email to the domain by the egress, to an MX host with a certificate of this name; returns the result. */
  async function sendTo(certified: string) {
    const { port } = front.address() as AddressInfo;
    const rig = await aRig({}, { policyPort: port, caFile: authority.file });
    const server = await rig.receiver("mail", { capabilities: ["STARTTLS"] }, await authority.certify(certified));
    const announced = (await callDomain("GET")).records.find(({ purpose }) => purpose === "mta_sts_id")?.value ?? "";
    Object.assign(rig.zone, {
      "policy.test": { mx: [[10, "mx.mail.test"]] },
      "_mta-sts.policy.test": { txt: [announced] },
      [HOST]: { a: ["127.0.0.1"] },
    });
    await rig.handOver({ to: ["hello@policy.test"] });
    const results = () => rig.worker.resultsOf("hello@policy.test");
    await expect.poll(() => results().length).toBeGreaterThan(0);
    return { result: results()[0], messages: server.messages.length };
  }

  it.each([
    ["enforce", "mx.mail.test", "accepted", 1],
    ["enforce", "other.test", "deferred", 0],
    ["testing", "other.test", "accepted", 1],
  ] as const)(
    "in mode %s the egress fetches it over TLS, and mail to a server with the certificate of %s is %s",
    async (mode, certified, kind, messages) => {
      await callDomain("PATCH", "", { mta_sts: mode });
      expect(await sendTo(certified)).toMatchObject({ result: { kind }, messages });
    },
  );
});
