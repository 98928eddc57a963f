/** Lets people enter an automation while the host is killed repeatedly, then compares what its steps did with what they should have. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseHistory } from "../../../src/audience/automations/history.ts";
import { chunks } from "../../../src/lib/chunks.ts";
import { seeded } from "../../support/failures.ts";
import { type CallApi, callerOf } from "./call-api.ts";
import { CountingSink } from "./counting-sink.ts";
import { findTestPort } from "./ports.ts";
import { RestartableHost } from "./restartable-host.ts";

export interface AutomationKillPlan {
  people: number;
  /** So many of the people, evenly spread, get two emails and come to a second list; the others wait. */
  mailed: number;
  /** Half of them while people enter, half while they leave. */
  kills: number;
  /** A kill is at a random time within this many milliseconds after people have entered or left. */
  killWithinMs: number;
  /** The wait of everyone: longer than all need to enter, so that all are inside at once. */
  waitMinutes: number;
  /** Least time between two shares of people that enter, in ms. Their timers fall due at the same rate, and kills leave less time for them. */
  shareMs: number;
  seed: number;
}

export interface AutomationKillReport {
  kills: number;
  /** Runs that had ended at each kill. */
  atKills: number[];
  /** People who were inside when all had entered. */
  inside: number;
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
/** People enter no faster than this machine moves them: the next share waits until those have come to their wait who entered so long ago. */
const PACE_MS = 15_000;
/** The steps in which people wait. */
const WAITS = ["1.then_steps.1", "1.else_steps.0"];
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
    const call = callerOf(() => host.url(), seed.apiKey);
    await importContacts(call, plan);
    const second = (await call<{ id: string }>("POST", "/v1/contacts/", { name: "Welcomed" })).id;
    const { id } = await call<{ id: string }>(
      "POST",
      "/v1/automations/",
      toAutomation(seed.mailboxId, second, plan.waitMinutes),
    );
    await call("POST", `/v1/automations/${id}/activate`);
    const read = () => call<State>("GET", `/v1/automations/${id}`);
    const enter = async (people: readonly number[]) => {
      for (const group of chunks(people, 500))
        await call(
          "POST",
          "/v1/events/batch",
          group.map((n) => ({ name: "signed_up", email: addressOf(n) })),
        );
    };
    const random = seeded(plan.seed);
    const atKills: number[] = [];
    const kill = async () => {
      await sleep(random() * plan.killWithinMs);
      atKills.push((await read()).counters.completed ?? 0);
      await host.kill();
      await (await host.start()).restarted;
    };
    const inside = await enterUnderKills(plan, { read, enter, kill });
    await leaveUnderKills(plan, { read, kill });
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
      ...{ kills: host.kills, atKills, inside, counters: state.counters, steps: state.step_counters },
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

const toAutomation = (mailbox_id: string, list_id: string, minutes: number) => ({
  name: "Kill",
  trigger: { event: "signed_up" },
  steps: [
    { kind: "set_field", field: "stage", value: "new" },
    {
      kind: "branch",
      when: { field: "mailed", is: "equals", value: "yes" },
      then_steps: [
        { kind: "send_email", mailbox_id, subject: "First", text: "Hello {{name}}" },
        { kind: "wait", for: { minutes } },
        { kind: "add_to_list", list_id },
        { kind: "send_email", mailbox_id, subject: "Second", text: "Hello {{name}}" },
      ],
      else_steps: [{ kind: "wait", for: { minutes } }],
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

interface State {
  counters: Record<string, number>;
  step_counters: Record<string, number>;
}

interface Actions {
  read(): Promise<State>;
  enter(people: readonly number[]): Promise<void>;
  /** Kills the running host after a random time, and starts the next one. */
  kill(): Promise<void>;
}

/** Lets an equal share of the people enter before each kill, so that their timers are spread over the whole time. Returns how many are inside at the end. */
async function enterUnderKills(plan: AutomationKillPlan, { read, enter, kill }: Actions): Promise<number> {
  const waiting = async () => {
    const { step_counters: steps } = await read();
    return WAITS.reduce((sum, step) => sum + (steps[step] ?? 0), 0);
  };
  const entered: { at: number; people: number }[] = [];
  for (const share of chunks([...Array(plan.people).keys()], Math.ceil(plan.people / (plan.kills / 2)))) {
    const next = (entered.at(-1)?.at ?? 0) + plan.shareMs;
    await sleep(Math.max(0, next - Date.now()));
    const due = entered.findLast(({ at }) => at < Date.now() - PACE_MS)?.people ?? 0;
    while ((await waiting()) < due) await sleep(POLL_MS);
    await enter(share);
    entered.push({ at: Date.now(), people: (entered.at(-1)?.people ?? 0) + share.length });
    await kill();
  }
  while ((await waiting()) < plan.people) await sleep(POLL_MS);
  return (await read()).counters.active ?? 0;
}

/** Kills the host each time that another share of the people has left. */
async function leaveUnderKills(plan: AutomationKillPlan, { read, kill }: Omit<Actions, "enter">): Promise<void> {
  const kills = plan.kills / 2;
  for (let one = 0; one < kills; one += 1) {
    const due = Math.floor((plan.people * one) / kills) + 1;
    while (((await read()).counters.completed ?? 0) < due) await sleep(POLL_MS);
    await kill();
  }
}

interface RunRow {
  id: string;
  history: string | null;
}

/** Reads how late the steps behind the waits of all runs were. */
async function readDelays(host: RestartableHost): Promise<AutomationKillReport["late"]> {
  const delays: number[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { results }: { results: RunRow[] } = await host.sql<RunRow>(HISTORIES, after);
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

/** People of one import: a request body has at most 40 MB. */
const PEOPLE_PER_IMPORT = 50_000;

async function importContacts(call: CallApi, { people, mailed }: AutomationKillPlan): Promise<void> {
  const { id } = await call<{ id: string }>("POST", "/v1/contacts/", { name: "Kill" });
  for (const group of chunks([...Array(people).keys()], PEOPLE_PER_IMPORT)) {
    const rows = group.map((n) => `${addressOf(n)},Person ${n},${n % (people / mailed) === 0 ? "yes" : "no"}`);
    const form = new FormData();
    form.append("file", new Blob([`email,name,mailed\n${rows.join("\n")}\n`], { type: "text/csv" }), "contacts.csv");
    const { imported } = await call<{ imported: number }>("POST", `/v1/contacts/${id}/upload`, form);
    if (imported !== group.length) throw new Error(`${imported} of ${group.length} contacts were imported`);
  }
}
