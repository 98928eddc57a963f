import { expect, it } from "vitest";
import { type FlowFigures, readFlowFigures } from "../../../src/audience/automations/figures.ts";
import { findAutomation } from "../../../src/audience/automations/queries.ts";
import { newUnsubscribeUrl } from "../../../src/platform/mail-tokens/return-path.ts";
import { type HitMessage, recordHits } from "../../../src/sending/tracking/index.ts";
import { database } from "../../support/databases.ts";
import { apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { runBroadcasts } from "../broadcasts/support.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine } from "./support.ts";

/** The people and emails at the steps of an automation, as its page shows them. */

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace));

const PERSON = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17 Safari/605.1.15";
const addresses = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `delivered+${from + index}@simulator.test`);
const series = (subject: string) => [
  { kind: "send_email", mailbox_id: workspace.mailboxId, subject, html: '<a href="https://shop.example/">Shop</a>' },
  { kind: "wait", for: { days: 1 } },
];

async function read(id: string): Promise<FlowFigures> {
  const row = await findAutomation(testContext(), workspace.workspaceNumber, id);
  if (!row) throw new Error("the automation exists");
  return readFlowFigures(testContext() as never, row);
}

async function enter(people: readonly string[]): Promise<void> {
  for (const email of people) await anEvent(workspace, email);
  await runEngine();
  await runBroadcasts();
}

function click(email: string): Promise<void> {
  const hit: HitMessage = {
    ...{ type: "hit.v1", id: crypto.randomUUID(), kind: "click", workspace: workspace.workspaceNumber, email },
    ...{ recipient: 0, at: Date.now(), ua: PERSON, ip: "192.0.2.7", url: "https://shop.example/" },
  };
  return recordHits(testContext(), [hit]);
}

async function unsubscribe(emailId: string): Promise<void> {
  const about = { workspace: workspace.workspaceNumber, emailId, recipient: 0 };
  const url = await newUnsubscribeUrl(testContext().settings.masterKeys, about, "https://links.test");
  const response = await apiWith(null).post(new URL(url).pathname, undefined);
  expect(response.status).toBe(200);
}

it("people who are inside count at the step of the version that people enter, and the emails by version, newest first", async () => {
  await aList(
    workspace,
    addresses(0, 5).map((email) => ({ email })),
  );
  const { id } = await automations.start({ steps: series("One") });
  await enter(addresses(0, 3));
  const [first, second] = await emailsOf(workspace);
  await click(first?.id ?? "");
  await unsubscribe(second?.id ?? "");
  await unsubscribe(second?.id ?? "");
  const before = await read(id);
  expect(before.steps.get("1")).toMatchObject({ here: 3, waiting: 3, emails: [] });
  expect(before.steps.get("0")).toMatchObject({
    here: 0,
    emails: [{ version: 1, delivered: 3, clicked: 1, unsubscribed: 1 }],
    comparison: null,
  });
  await workspace.call("PATCH", `/v1/automations/${id}`, { steps: series("Two") });
  await enter(addresses(3, 5));
  const after = await read(id);
  expect(after).toMatchObject({ inOthers: 3, isCapped: false });
  expect(after.steps.get("1")).toMatchObject({ here: 2 });
  const { emails = [], comparison } = after.steps.get("0") ?? {};
  expect(emails.map(({ version, delivered, clicked }) => [version, delivered, clicked])).toEqual([
    [2, 2, 0],
    [1, 3, 1],
  ]);
  expect(comparison).toMatchObject({ difference: -0.333333, is_significant: false });
});

it("an automation that was never active has no figures", async () => {
  const { id } = await automations.create({ steps: series("One") });
  expect(await read(id)).toEqual({ steps: new Map(), inOthers: 0, isCapped: false });
});

it("runs beyond 5,000 are not counted", async () => {
  const { id } = await automations.start({ steps: series("One") });
  await database.run(
    `WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 5100)
     INSERT INTO automation_runs (workspace, id, automation, version, email_key, entry_key, node, wait_until, entered_event, mark, data, started_at)
     SELECT a.workspace, 'run-' || a.n || '-' || i, a.n, a.version, i || '@example.org', '', 1, 9e15, 0, 0, '{}', 0 FROM automations a, i WHERE a.id = ?1`,
    [id],
  );
  const figures = await read(id);
  expect([figures.isCapped, figures.steps.get("1")?.here]).toEqual([true, 5_000]);
});
