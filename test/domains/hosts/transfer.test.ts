import { beforeAll, expect, it } from "vitest";
import { newClickToken } from "../../../src/platform/mail-tokens/tracking.ts";
import { database } from "../../support/databases.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { apiOn, aWorkspace, testContext } from "../../support/workspace.ts";
import { aPolicy, rowOf, servedAt, setMode } from "./policy-support.ts";
import { advanceIn, anActiveHost, domainOf, requestAt } from "./support.ts";

beforeAll(aSystemWorkspace);

/** Returns the id of an email that was made at a time, in milliseconds since 1970. New ids of this isolate may be in the future. */
function idAt(at: number): string {
  const time = at.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}${testContext().newId().slice(13)}`;
}

async function clickOf(workspace: { workspaceNumber: number }, emailId = idAt(Date.now())): Promise<string> {
  const link = { workspace: workspace.workspaceNumber, emailId, recipient: 0, url: "https://shop.example/" };
  return `/t/c/${await newClickToken(testContext().settings.masterKeys, link)}`;
}

it("a transfer moves the host with its domain, and links of emails from before it still work", async () => {
  const [made, target] = await Promise.all([anActiveHost(), aWorkspace()]);
  const source = { ...made, domain: made.registered.name };
  const before = await clickOf(made);
  const past = JSON.stringify(Array.from({ length: 10 }, (_, n) => [900_000_000 + n, n]));
  await database.run("UPDATE custom_hosts SET past_owners = ?2 WHERE name = ?1", [made.host, past]);
  await transfer(source, target);
  const owners = await database.row<{ count: number; last: number }>(
    "SELECT json_array_length(past_owners) AS count, past_owners->>'$[9][0]' AS last FROM custom_hosts WHERE name = ?1",
    [made.host],
  );
  expect(owners).toEqual({ count: 10, last: made.workspaceNumber });
  const { link_host: host } = await domainOf(apiOn(hostSettings(), target.apiKey), made.domainId);
  expect(host).toEqual({ name: made.host, status: "active", detail: null });
  // Past the days of the safety window by which the test moves the clock.
  const later = idAt(Date.now() + 30 * 86_400_000);
  const statusOf = async (path: string) => (await requestAt(made.host, path)).status;
  expect(await statusOf(before)).toBe(302);
  expect(await statusOf(await clickOf(target))).toBe(302);
  expect(await statusOf(await clickOf(made, later))).toBe(404);
});

it("a transfer moves the MTA-STS policy as it is, and only the new owner changes it", async () => {
  const [made, target] = await Promise.all([aPolicy(), aWorkspace()]);
  await setMode(made.api, made.domainId, "enforce");
  await transfer({ ...made, domain: made.name }, target);
  const api = apiOn(hostSettings(), target.apiKey);
  expect(await servedAt(made.policyHost)).toMatchObject({ mode: "enforce" });
  expect((await domainOf(api, made.domainId)).mta_sts?.mode).toBe("enforce");
  expect((await setMode(made.api, made.domainId, "testing")).status).toBe(404);
  expect((await setMode(api, made.domainId, "testing")).status).toBe(200);
});

it("the MTA-STS policy of a workspace that is deleted is none for as long as senders may keep it", async () => {
  const start = Date.now();
  const made = await aPolicy();
  await setMode(made.api, made.domainId, "enforce");
  expect((await made.call("DELETE", `/v1/workspaces/${made.workspaceId}`)).status).toBe(204);
  expect(await servedAt(made.policyHost)).toMatchObject({ mode: "none" });
  await advanceIn(0);
  await advanceIn(86_400_000);
  expect(await servedAt(made.policyHost)).toMatchObject({ mode: "none" });
  expect((await rowOf(made.policyHost))?.next_check_at).toBeGreaterThan(start + 13 * 86_400_000);
});
