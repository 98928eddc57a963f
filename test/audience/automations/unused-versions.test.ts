import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runAutomations } from "../../../src/audience/automations/index.ts";
import { database, wrapDatabases } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine, silent } from "./support.ts";

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace));
const PERSON = "delivered+ada@simulator.test";

const email = (subject: string) => ({
  kind: "send_email",
  mailbox_id: workspace.mailboxId,
  subject,
  html: `<p>${subject}</p>`,
});
const edit = async (id: string, subject: string) =>
  automations.expectJson(await automations.api.call("PATCH", automations.path(id), { steps: [email(subject)] }));
const rowsOf = (table: string) =>
  database.value(`SELECT count(*) FROM ${table} WHERE workspace = ?1`, [workspace.workspaceNumber]);
const objects = async () =>
  (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/broadcasts/` })).objects.length;

it("a version without runs is deleted with its emails when the next one replaces it", async () => {
  const { id } = await automations.start({ steps: [email("First")] });
  for (let n = 0; n < 10; n++) await edit(id, `Edit ${n}`);
  expect([await rowsOf("automation_versions"), await rowsOf("broadcasts")]).toEqual([1, 1]);
  await runOutboxAt(Date.now() + 180_000, {}, ["purge"]);
  expect(await objects()).toBe(1);
});

it("a version with runs stays, and its emails leave as they were", async () => {
  const now = Date.now();
  await aList(workspace, [{ email: PERSON }]);
  const { id } = await automations.start({ steps: [{ kind: "wait", for: { minutes: 1 } }, email("First")] });
  await anEvent(workspace, PERSON, { at: now });
  await runEngine(now);
  for (const subject of ["Second", "Third"]) await edit(id, subject);
  expect(await rowsOf("automation_versions")).toBe(2);
  await runEngine(now + 60_000);
  expect((await emailsOf(workspace)).map(({ subject }) => subject)).toEqual(["First"]);
});

it("a person whose event was read before the version was replaced enters the next one", async () => {
  const now = Date.now();
  await aList(workspace, [{ email: PERSON }]);
  const { id } = await automations.start({ steps: [email("First")] });
  await anEvent(workspace, PERSON, { at: now });
  let isReplaced = false;
  const bindings = wrapDatabases((real) => ({
    prepare: (sql) => real.prepare(sql),
    batch: async (statements) => {
      const text = JSON.stringify(statements.map((statement) => (statement as { statement?: string }).statement ?? ""));
      if (!isReplaced && text.includes("INSERT INTO automation_runs")) {
        isReplaced = true;
        await edit(id, "Second");
      }
      return real.batch(statements);
    },
  }));
  await runAutomations(testContext({ ...silent, ...bindings }, () => now)).catch(() => undefined);
  await database.run("UPDATE automation_engine SET token = NULL, until = 0");
  await runEngine(now + 1_000);
  expect(isReplaced).toBe(true);
  expect((await emailsOf(workspace)).map(({ subject }) => subject)).toEqual(["Second"]);
});
