import { beforeAll, expect, it } from "vitest";
import { newClickToken } from "../../../src/platform/mail-tokens/index.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { apiOn, aWorkspace, testContext } from "../../support/workspace.ts";
import { anActiveHost, domainOf, requestAt } from "./support.ts";

beforeAll(aSystemWorkspace);

async function clickOf(workspace: { workspaceNumber: number }, emailId = testContext().newId()): Promise<string> {
  const link = { workspace: workspace.workspaceNumber, emailId, recipient: 0, url: "https://shop.example/" };
  return `/t/c/${await newClickToken(testContext().settings.masterKeys, link)}`;
}

it("a transfer moves the host with its domain, and links of emails from before it still work", async () => {
  const [made, target] = await Promise.all([anActiveHost(), aWorkspace()]);
  const source = { ...made, domain: made.registered.name };
  const before = await clickOf(made);
  await transfer(source, target);
  const { link_host: host } = await domainOf(apiOn(hostSettings(), target.apiKey), made.domainId);
  expect(host).toEqual({ name: made.host, status: "active", detail: null });
  // Past the days of the safety window by which the test moves the clock.
  const later = `ffffffff-ffff${testContext().newId().slice(13)}`;
  const statusOf = async (path: string) => (await requestAt(made.host, path)).status;
  expect(await statusOf(before)).toBe(302);
  expect(await statusOf(await clickOf(target))).toBe(302);
  expect(await statusOf(await clickOf(made, later))).toBe(404);
});
