import { expect, it } from "vitest";
import { newUnsubscribeUrl } from "../../../src/platform/mail-tokens/return-path.ts";
import { type HitMessage, recordHits } from "../../../src/sending/tracking/index.ts";
import { apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aListWith } from "../segments/support.ts";
import { broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

/** Who opened a broadcast, clicked in it, and left by it. */

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const PERSON = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17 Safari/605.1.15";

const hit = (kind: HitMessage["kind"], email: string): HitMessage => ({
  ...{ type: "hit.v1", id: crypto.randomUUID(), kind, workspace: workspace.workspaceNumber, email, recipient: 0 },
  ...{ at: Date.now(), ua: PERSON, ip: "192.0.2.7", ...(kind === "click" && { url: "https://shop.example/" }) },
});

async function unsubscribe(emailId: string): Promise<void> {
  const about = { workspace: workspace.workspaceNumber, emailId, recipient: 0 };
  const url = await newUnsubscribeUrl(testContext().settings.masterKeys, about, "https://links.test");
  expect((await apiWith(null).post(new URL(url).pathname, undefined)).status).toBe(200);
}

/** Sends a broadcast to people of whom one opened it, one clicked, one unsubscribed twice, and one complained. */
async function aBroadcast() {
  const names = ["opened", "clicked", "unsubscribed", "quiet"].map((name) => `delivered+${name}@simulator.test`);
  const people = [...names, "complained@simulator.test"].map((email) => ({ email }));
  const html_body = '<a href="https://shop.example/">Shop</a>';
  const { id } = await broadcasts.create({ contact_list_id: await aListWith(workspace, people), html_body });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const emails = await emailsOf(id);
  const emailTo = (name: string) => emails.find(({ email }) => email.includes(`+${name}@`))?.id ?? "";
  await recordHits(testContext(), [hit("open", emailTo("opened")), hit("click", emailTo("clicked"))]);
  for (let time = 0; time < 2; time++) await unsubscribe(emailTo("unsubscribed"));
  return id;
}

it("a broadcast counts the people who unsubscribed by it and those who marked it as spam, each once", async () => {
  const id = await aBroadcast();
  expect(await broadcasts.read(id)).toMatchObject({ unsubscribed_count: 1, complained_count: 1, delivered_count: 5 });
});

it("the recipients of a broadcast are listed by what they did, page after page", async () => {
  const id = await aBroadcast();
  const listed = async (activity: string) =>
    (await broadcasts.recipients(id, { activity })).map(({ email, left_by }) => [email, left_by]);
  expect(await listed("opened")).toEqual([["delivered+opened@simulator.test", null]]);
  expect(await listed("clicked")).toEqual([["delivered+clicked@simulator.test", null]]);
  expect((await listed("left")).sort()).toEqual([
    ["complained@simulator.test", "complained"],
    ["delivered+unsubscribed@simulator.test", "unsubscribed"],
  ]);
  const first = await broadcasts.api.get(`${broadcasts.path(id)}/recipients?activity=left&limit=1`);
  expect(await first.json()).toHaveLength(1);
  expect(first.headers.get("Link")).toContain("activity=left");
  expect((await broadcasts.api.get(`${broadcasts.path(id)}/recipients?activity=slept`)).status).toBe(422);
  expect(await broadcasts.recipients(id, { activity: "left", status: "bounced" })).toEqual([]);
});
