/** The effects of steps whose run of the engine was killed at any of its calls. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { failingDatabase } from "../../support/failures.ts";
import { eventsOf } from "../../support/person-events.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine, runFailingEngine, silent } from "./support.ts";

const person = "delivered+a@simulator.test";
const hour = 3_600_000;
/** Just before the end of a UTC day, of which notifications are counted. */
const NIGHT = Date.UTC(2027, 0, 1) - 5_000;

/** Databases of which each call from a number on fails: the process was killed there. */
function killedAt(dies: number) {
  let calls = 0;
  const bindings = Object.fromEntries(
    (["DB", "MAIL_0", "MAIL_1"] as const).map((name) => [
      name,
      failingDatabase(env[name], {
        random: () => (calls++ >= dies ? 0 : 0.99),
        ...{ chance: 0.5, bindings: ["database"], moments: ["before"], count: 0 },
      }),
    ]),
  );
  return { bindings, calls: () => calls };
}

/**
 * Runs the engine until it is killed at a call, pauses the automation, and activates it again. Returns the effects, and the calls by then.
 */
async function effectsAfter(dies: number) {
  const workspace = await aWorkspace();
  const own = automationsOf(workspace, silent);
  const topic = await own.expectJson<{ id: string }>(await own.api.post("/v1/topics/", { name: "News" }), 201);
  await aList(workspace, [{ email: person }]);
  const steps = [
    { kind: "notify", message: "Came here" },
    { kind: "change_topic", topic_id: topic.id, subscribed: false },
    { kind: "add_to_list", list_id: await aList(workspace, []) },
    { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello", text: "Hello" },
  ];
  const { id } = await own.start({ steps });
  await anEvent(workspace, person, { at: NIGHT });
  const killed = killedAt(dies);
  await runFailingEngine(NIGHT, killed.bindings);
  await own.act(id, "pause");
  await runEngine(NIGHT + hour, silent);
  await own.act(id, "activate");
  for (const later of [2, 3]) await runEngine(Math.max(NIGHT, Date.now()) + later * hour, silent);
  const count = (sql: string) => database.value<number>(sql, [workspace.workspaceNumber]);
  const effects = {
    notices: await count("SELECT count(*) FROM notifications WHERE workspace = ?1 AND title = 'Came here'"),
    choices: await count("SELECT count(*) FROM topic_choices WHERE workspace = ?1 AND choice = 'unsubscribed'"),
    events: (await eventsOf(workspace)).filter(({ name }) => name !== "signed_up").map(({ name }) => name),
    emails: (await emailsOf(workspace)).length,
    status: (await own.runs(id)).map(({ status }) => status),
    steps: (await own.read(id)).step_counters,
  };
  return { effects, calls: killed.calls() };
}

const once = {
  ...{ notices: 1, choices: 1, emails: 1, events: ["topic.unsubscribed", "contact.added"], status: ["completed"] },
  steps: { 0: 1, 1: 1, 2: 1, 3: 1 },
};

const never = { notices: 0, choices: 0, emails: 0, events: [], status: [], steps: {} };

it("each effect of a run happens once when the engine is killed at any call, and the automation activated again on another day", async () => {
  let dies = 1;
  for (; ; dies++) {
    const { effects, calls } = await effectsAfter(dies);
    // An event that was not read by then begins no run of an automation that is paused.
    expect({ dies, ...effects }).toEqual({ dies, ...(effects.status.length === 0 ? never : once) });
    if (calls <= dies) break;
  }
  expect(dies).toBeGreaterThan(20);
}, 120_000);

it("a choice of the person between two tries of a step stays", async () => {
  const workspace = await aWorkspace();
  const own = automationsOf(workspace, silent);
  const topic = await own.expectJson<{ id: string }>(await own.api.post("/v1/topics/", { name: "News" }), 201);
  await aList(workspace, [{ email: person }]);
  const { id } = await own.start({ steps: [{ kind: "change_topic", topic_id: topic.id, subscribed: false }] });
  const at = Date.now();
  await anEvent(workspace, person, { at });
  const choice = () =>
    database.value("SELECT choice FROM topic_choices WHERE workspace = ?1", [workspace.workspaceNumber]);
  for (let dies = 1; (await choice()) === null; dies++) {
    await runFailingEngine(at, killedAt(dies).bindings);
    expect(dies).toBeLessThan(50);
  }
  const path = `/v1/people/${person}/topics`;
  const chosen = { topics: [{ id: topic.id, choice: "subscribed" }] };
  expect((await own.api.call("PUT", path, chosen)).status).toBe(200);
  await runEngine(at + hour, silent);
  expect(await own.runs(id)).toMatchObject([{ status: "completed" }]);
  expect(await choice()).toBe("subscribed");
});
