/** Lets people enter an automation while the host is killed repeatedly, then compares what its steps did with what they should have. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseHistory } from "../../../src/audience/automations/history.ts";
import { chunks } from "../../../src/lib/chunks.ts";
import { seeded } from "../../support/failures.ts";
import { CountingSink } from "./counting-sink.ts";
import { findTestPort } from "./ports.ts";
import { RestartableHost } from "./restartable-host.ts";

export interface AutomationKillPlan {
  people: number;
  /** So many of the people, evenly spread, get two emails and come to a second list; the others wait. */
  mailed: number;
  kills: number;
  /** A kill is at a random time within this many milliseconds after the host has started. */
  killWithinMs: number;
  seed: number;
}

export interface AutomationKillReport {
  kills: number;
  /** Runs that had ended at each kill. */
  atKills: number[];
  /** People who were inside at a kill, at most. */
  mostInside: number;
  counters: Record<string, number>;
  steps: Record<string, number>;
  /** People with another number of emails of the automation than none or two, and the emails in all. */
  wrongEmails: number;
  emails: number;
  /** People with another number of contacts than two, or one without emails, or with another value of the field. */
  wrongContacts: number;
  /** Messages that the egress took: more than the emails where a kill came between a message and its outcome. */
  messages: number;
  /** Delays of timers, in ms: the time from the end of a wait to the next line of the history. */
  late: { p50: number; p99: number; max: number };
  seconds: number;
}

const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;
const POLL_MS = 250;
/** People enter no faster than this machine moves them: the next share waits until those have ended who entered so long ago. */
const PACE_MS = 75_000;
const addressOf = (n: number) => `c${n}@example.org`;

// The emails of anyone who is missing here are missing in their number too.
const WRONG_EMAILS = `
  SELECT count(*) AS n, (SELECT count(*) FROM emails WHERE source = 'automation') AS emails FROM (
    SELECT 1 FROM emails WHERE source = 'automation' GROUP BY recipients->>'$[0].email' HAVING count(*) <> 2)`;
const WRONG_CONTACTS = `
  SELECT count(*) AS n FROM (
    SELECT email_key FROM contacts GROUP BY email_key
    HAVING count(*) <> max(iif(metadata->>'$.mailed' = 'yes', 2, 1)) OR min(metadata->>'$.stage') IS NOT 'welcomed' OR max(metadata->>'$.stage') IS NOT 'welcomed')`;
const HISTORIES = "SELECT id, history FROM automation_runs WHERE id > ?1 ORDER BY id LIMIT 5000";

/** Runs a plan. Throws when the runs have not ended after `timeoutMs`. */
export async function automationKillRun(plan: AutomationKillPlan, timeoutMs: number): Promise<AutomationKillReport> {
  const startedAt = Date.now();
  const sink = new CountingSink();
  await sink.listen();
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-automation-kill-"));
  const port = await findTestPort();
  const vars = { MASTER_KEYS, EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` };
  const host = new RestartableHost({ stateDir, port, vars, queueSeconds: 0 });
  try {
    const [seed] = await host.startAndSeed("kill.example");
    if (!seed) throw new Error("the host has no workspace");
    await host.start();
    const call = caller(host, seed.apiKey);
    await importContacts(call, plan);
    const second = (await call<{ id: string }>("POST", "/v1/contacts/", { name: "Welcomed" })).id;
    const { id } = await call<{ id: string }>("POST", "/v1/automations/", toAutomation(seed.mailboxId, second));
    await call("POST", `/v1/automations/${id}/activate`);
    const read = () =>
      call<{ counters: Record<string, number>; step_counters: Record<string, number> }>("GET", `/v1/automations/${id}`);
    const enter = async (people: readonly number[]) => {
      for (const group of chunks(people, 500))
        await call(
          "POST",
          "/v1/events/batch",
          group.map((n) => ({ name: "signed_up", email: addressOf(n) })),
        );
    };
    const { atKills, mostInside } = await killRepeatedly(plan, host, read, enter);
    const end = Date.now() + timeoutMs;
    let state = await read();
    for (; state.counters.completed !== plan.people || (await waiting(host)) > 0; state = await read()) {
      if (Date.now() > end)
        throw new Error(`seed ${plan.seed}: ${JSON.stringify(state)}, ${await waiting(host)} emails wait`);
      await sleep(POLL_MS);
    }
    const one = async (sql: string) =>
      (await host.sql<{ n: number; emails?: number }>(sql)).results.find(({ n, emails }) => n > 0 || (emails ?? 0) > 0);
    const emails = await one(WRONG_EMAILS);
    return {
      ...{ kills: host.kills, atKills, mostInside, counters: state.counters, steps: state.step_counters },
      ...{
        wrongEmails: emails?.n ?? 0,
        emails: emails?.emails ?? 0,
        wrongContacts: (await one(WRONG_CONTACTS))?.n ?? 0,
      },
      messages: sink.receipts.length,
      late: await readDelays(host),
      seconds: (Date.now() - startedAt) / 1000,
    };
  } finally {
    await host.stop();
    sink.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}

const toAutomation = (mailbox_id: string, list_id: string) => ({
  name: "Kill",
  trigger: { event: "signed_up" },
  steps: [
    { kind: "set_field", field: "stage", value: "new" },
    {
      kind: "branch",
      when: { field: "mailed", is: "equals", value: "yes" },
      then_steps: [
        { kind: "send_email", mailbox_id, subject: "First", text: "Hello {{name}}" },
        { kind: "wait", for: { minutes: 1 } },
        { kind: "add_to_list", list_id },
        { kind: "send_email", mailbox_id, subject: "Second", text: "Hello {{name}}" },
      ],
      else_steps: [{ kind: "wait", for: { minutes: 1 } }],
    },
    {
      kind: "branch",
      when: { field: "stage", is: "equals", value: "new" },
      then_steps: [{ kind: "set_field", field: "stage", value: "welcomed" }],
      else_steps: [{ kind: "set_field", field: "stage", value: "wrong" }],
    },
  ],
});

async function waiting(host: RestartableHost): Promise<number> {
  const { results } = await host.sql<{ n: number }>(
    "SELECT count(*) AS n FROM outbox WHERE kind IN ('bulk', 'deliver')",
  );
  return results.reduce((sum, { n }) => sum + n, 0);
}

/**
 * Kills the running host and starts the next one, `plan.kills` times. An equal share of the people enters before each kill, so that their
 * timers are spread over the whole time. Returns how many runs had ended before each kill, and how many people were inside at most.
 */
async function killRepeatedly(
  plan: AutomationKillPlan,
  host: RestartableHost,
  read: () => Promise<{ counters: Record<string, number> }>,
  enter: (people: readonly number[]) => Promise<void>,
): Promise<Pick<AutomationKillReport, "atKills" | "mostInside">> {
  const random = seeded(plan.seed);
  const atKills: number[] = [];
  let mostInside = 0;
  const entered: { at: number; people: number }[] = [];
  for (const share of chunks([...Array(plan.people).keys()], Math.ceil(plan.people / plan.kills))) {
    const due = entered.findLast(({ at }) => at < Date.now() - PACE_MS)?.people ?? 0;
    while (((await read()).counters.completed ?? 0) < due) await sleep(POLL_MS);
    await enter(share);
    entered.push({ at: Date.now(), people: (entered.at(-1)?.people ?? 0) + share.length });
    await sleep(random() * plan.killWithinMs);
    const { active = 0, completed = 0 } = (await read()).counters;
    atKills.push(completed);
    mostInside = Math.max(mostInside, active);
    await host.kill();
    const { restarted } = await host.start();
    await restarted;
  }
  return { atKills, mostInside };
}

/** Reads how late the steps behind the waits of all runs were. */
async function readDelays(host: RestartableHost): Promise<AutomationKillReport["late"]> {
  const delays: number[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { results } = await host.sql<{ id: string; history: string | null }>(HISTORIES, after);
    delays.push(...results.flatMap(({ history }) => delaysOf(history ?? "")));
    // A database without runs returns none: the greatest id is the last one.
    after = results.at(-1)?.id;
  }
  const sorted = Float64Array.from(delays).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

function delaysOf(history: string): number[] {
  const lines = parseHistory(history);
  return lines.flatMap(({ text }, index) => {
    const until = /^Waits until (\S+)\.$/.exec(text)?.[1];
    const next = lines[index + 1];
    return until && next ? [next.at - Date.parse(until)] : [];
  });
}

type Call = <Out>(method: string, path: string, body?: object) => Promise<Out>;

/** Returns a function that calls the API as JSON, or with a form. Throws unless the response is 2xx. */
function caller(host: RestartableHost, apiKey: string): Call {
  return async <Out>(method: string, target: string, body?: object) => {
    const isForm = body instanceof FormData;
    const headers = { Authorization: `Bearer ${apiKey}`, ...(isForm ? {} : { "Content-Type": "application/json" }) };
    const payload = body === undefined ? null : isForm ? body : JSON.stringify(body);
    const response = await fetch(`${await host.url()}${target}`, { method, headers, body: payload });
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Out>;
  };
}

/** People of one import: a request body has at most 40 MB. */
const PEOPLE_PER_IMPORT = 50_000;

async function importContacts(call: Call, { people, mailed }: AutomationKillPlan): Promise<void> {
  const { id } = await call<{ id: string }>("POST", "/v1/contacts/", { name: "Kill" });
  for (const group of chunks([...Array(people).keys()], PEOPLE_PER_IMPORT)) {
    const rows = group.map((n) => `${addressOf(n)},Person ${n},${n % (people / mailed) === 0 ? "yes" : "no"}`);
    const form = new FormData();
    form.append("file", new Blob([`email,name,mailed\n${rows.join("\n")}\n`], { type: "text/csv" }), "contacts.csv");
    const { imported } = await call<{ imported: number }>("POST", `/v1/contacts/${id}/upload`, form);
    if (imported !== group.length) throw new Error(`${imported} of ${group.length} contacts were imported`);
  }
}
