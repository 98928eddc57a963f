import { expect } from "vitest";
import { runAutomations } from "../../../src/audience/automations/index.ts";
import type { RunItemOut, RunOut } from "../../../src/audience/automations/runs/schema.ts";
import type { AutomationOut } from "../../../src/audience/automations/schema.ts";
import { insertEventsStatements } from "../../../src/platform/person-events/insert.ts";
import { database, mail } from "../../support/databases.ts";
import { apiOn, discardingQueue, type TestWorkspace, testContext, until } from "../../support/workspace.ts";

/** Queues that discard messages: the test decides when the engine runs. */
export const silent = { WORK: discardingQueue, AUTOMATIONS: discardingQueue };

/** Returns functions that work with the automations of a workspace; nothing runs in the background. */
export function automationsOf(workspace: TestWorkspace, bindings: object = {}) {
  const api = apiOn({ WORK: discardingQueue, ...bindings }, workspace.apiKey);
  const path = (id = "", rest = "") => `/v1/automations/${id}${rest}`;

  async function expectJson<Out>(response: Response, status = 200): Promise<Out> {
    expect(response.status, await response.clone().text()).toBe(status);
    return response.json<Out>();
  }

  const create = async (changes: Record<string, unknown> = {}): Promise<AutomationOut> =>
    expectJson(await api.post(path(), { name: "A", trigger: { event: "signed_up" }, ...changes }), 201);
  const act = async (id: string, action: "activate" | "pause" | "archive"): Promise<AutomationOut> =>
    expectJson(await api.post(path(id, `/${action}`), undefined));
  /** Creates and activates an automation. */
  const start = async (changes: Record<string, unknown> = {}): Promise<AutomationOut> =>
    act((await create(changes)).id, "activate");
  const read = async (id: string): Promise<AutomationOut> => expectJson(await api.get(path(id)));
  const runs = async (id: string, query = ""): Promise<RunItemOut[]> =>
    expectJson(await api.get(path(id, `/runs${query}`)));
  const run = async (id: string, runId: string): Promise<RunOut> =>
    expectJson(await api.get(path(id, `/runs/${runId}`)));
  /** Returns the texts of the history of the only run. */
  const texts = async (id: string): Promise<string[]> => {
    const [only] = await runs(id);
    return (await run(id, only?.id ?? "")).history.map(({ text }) => text);
  };

  return { api, path, create, act, start, read, runs, run, texts, expectJson };
}

export type Automations = ReturnType<typeof automationsOf>;

/**
 * Runs the engine on bindings of which a call fails, as `withFailingCall` makes them, then ends its lease as time would and makes runs due
 * whose move failed. Throws other errors than the injected one.
 */
export async function runFailingEngine(now: number, bindings: object): Promise<void> {
  await runAutomations(testContext({ ...silent, ...bindings }, () => now)).catch((error: unknown) => {
    if (!String(error).includes("injected failure")) throw error;
  });
  await database.run("UPDATE automation_engine SET token = NULL, until = 0");
  await database.run("UPDATE automation_runs SET due_at = ?1 WHERE failures > 0 AND due_at IS NOT NULL", [now]);
}

/** Runs the engine as if the time were `now`, in milliseconds since 1970, once a run that the queue has started has ended. */
export async function runEngine(now = Date.now(), bindings: object = {}): Promise<void> {
  await until(
    () => runAutomations(testContext({ ...silent, ...bindings }, () => now)),
    (hasRun) => hasRun,
  );
}

/** Inserts an event of a person, as the time `at`. Returns its id. */
export async function anEvent(
  workspace: TestWorkspace,
  email: string,
  {
    name = "signed_up",
    data = {},
    at = Date.now(),
  }: { name?: string; data?: Record<string, unknown>; at?: number } = {},
): Promise<string> {
  const id = testContext().newId();
  const event = { workspace: workspace.workspaceNumber, id, emailKey: email, name, data, occurredAt: at };
  await mail.batch(
    insertEventsStatements(
      testContext({}, () => at),
      [event],
    ) as unknown as D1PreparedStatement[],
  );
  return id;
}

/** Counts a run of each version of a workspace: a version with runs stays when another replaces it. */
export const markEntered = ({ workspaceNumber }: TestWorkspace) =>
  database.run(
    "INSERT OR IGNORE INTO automation_counts (version, step, workspace, runs) SELECT n, 'entered', workspace, 1 FROM automation_versions WHERE workspace = ?1",
    [workspaceNumber],
  );

/** A contact to be inserted. */
export interface NewContact {
  email: string;
  name?: string;
  metadata?: Record<string, unknown>;
  pending?: boolean;
}

/** Inserts a list of contacts. Returns its id. */
export async function aList(
  workspace: TestWorkspace,
  contacts: readonly NewContact[],
  name = "A list",
): Promise<string> {
  const id = testContext().newId();
  const list = await database
    .prepare(
      "INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) VALUES (?1, ?2, ?3, ?4, 0) RETURNING n",
    )
    .bind(workspace.workspaceNumber, id, name, contacts.length)
    .first<number>("n");
  const rows = contacts.map((contact) => ({ ...contact, id: testContext().newId() }));
  await database.run(
    `INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at, pending_since)
       SELECT ?1, ?2, value->>'id', value->>'email', value->>'email', value->>'name', value->>'metadata', 0, iif(value->>'pending', 1, NULL)
         FROM json_each(?3)`,
    [workspace.workspaceNumber, list, JSON.stringify(rows)],
  );
  return id;
}

/** Returns the emails that automations made in a workspace. */
export async function emailsOf(workspace: TestWorkspace) {
  const results = await database.rows<{ id: string; status: string; subject: string; email: string; source: string }>(
    `SELECT id, status, subject, recipients->>'$[0].email' AS email, source FROM emails WHERE workspace = ?1 AND source = 'automation' ORDER BY n`,
    [workspace.workspaceNumber],
  );
  return results;
}
