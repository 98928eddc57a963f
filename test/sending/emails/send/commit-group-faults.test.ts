/** No email of a group is lost or doubled, whichever call of the mail database fails and whichever client disconnects. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  addWebhook,
  close,
  limitTo,
  REJECTED,
  type Send,
  scheduled,
  sendTogether,
  suppress,
  WITH_WEBHOOKS,
} from "../../../support/commit-groups.ts";
import { mail } from "../../../support/databases.ts";
import { ERRORS } from "../../../support/distance/rules.ts";
import { byExtent } from "../../../support/extent.ts";
import { type Moment, seeded } from "../../../support/failures.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perSuite, perTest } from "../../../support/workspace.ts";

/** More calls than a group makes. */
const MAX_CALLS = 60;
const RANDOM_GROUPS = byExtent({ quick: 10, full: 50, long: 500 });

const opener = perSuite(aWorkspace);
const limited = perTest(aWorkspace);
const other = perTest(aWorkspace);
const closed = perTest(aWorkspace);

afterEach(() => {
  vi.restoreAllMocks();
});

interface Found {
  id: string;
  subject: string;
  status: string;
  outbox: number;
  changes: number;
  responses: number;
  deliveries: number;
}

const FIND = `
  SELECT e.id, e.subject, e.status,
    (SELECT count(*) FROM outbox o, json_each(o.ref) r WHERE o.kind = 'deliver' AND r.value = e.n) AS outbox,
    (SELECT count(*) FROM changes c, json_each(c.emails) r WHERE c.workspace = e.workspace AND r.value = e.n) AS changes,
    (SELECT count(*) FROM idempotency_keys k WHERE k.workspace = e.workspace AND k.answer->>'id' = e.id) AS responses,
    (SELECT count(*) FROM webhook_deliveries d WHERE d.email = e.id) AS deliveries
    FROM emails e WHERE e.workspace IN (SELECT value FROM json_each(?1))
     AND e.subject IN (SELECT value FROM json_each(?2))`;

/** Returns the emails of some sends, and how often rows of other tables name each. */
async function emailsOf(sends: readonly Required<Send>[]): Promise<Found[]> {
  const workspaces = JSON.stringify([limited, other, closed].map(({ workspaceNumber }) => workspaceNumber));
  const subjects = JSON.stringify(sends.map(subjectOf));
  return (await mail.prepare(FIND).bind(workspaces, subjects).all<Found>()).results;
}

const subjectOf = ({ changes }: Required<Send>) => String(changes.subject);

/** Returns sends of every kind, with subjects that begin with `name`. */
const sendsOf = (name: string): Required<Send>[] => {
  const keyed = { "Idempotency-Key": `${name} key` };
  const kinds: Send[] = [
    { workspace: limited, changes: REJECTED },
    { workspace: other },
    { workspace: limited },
    { workspace: other, headers: keyed },
    { workspace: other, changes: scheduled() },
    { workspace: other, changes: REJECTED, headers: { "Idempotency-Key": `${name} rejected` } },
    { workspace: limited, headers: keyed },
    { workspace: closed },
    { workspace: closed, changes: REJECTED },
  ];
  const sends = kinds.map(({ workspace, changes, headers = {} }, at) => {
    return { workspace, headers, changes: { ...changes, subject: `${name} ${at}` } };
  });
  // Those that repeat another are refused, and get its response.
  return [...sends, ...sends.filter(({ headers }) => headers === keyed)];
};

/** Expects that each send has one email with all its rows when it was accepted; after an error it has that or nothing. */
async function expectWhole(sends: readonly Required<Send>[], statuses: readonly number[]): Promise<void> {
  const bySubject = Map.groupBy(await emailsOf(sends), ({ subject }) => subject);
  for (const [at, send] of sends.entries()) {
    const emails = bySubject.get(subjectOf(send)) ?? [];
    const isRejected = emails[0]?.status === "rejected";
    const whole = {
      ...{ subject: subjectOf(send), changes: 1 },
      ...{ outbox: isRejected ? 0 : 1, deliveries: isRejected ? 1 : 0 },
      responses: "Idempotency-Key" in send.headers ? 1 : 0,
    };
    const isClosed = send.workspace === closed;
    expect(isClosed ? [409, 500, 503] : [202, 500, 503]).toContain(statuses[at]);
    const isWritten = !isClosed && (statuses[at] === 202 || emails.length > 0);
    expect(emails).toEqual(isWritten ? [expect.objectContaining(whole)] : []);
  }
}

const dayOf = () =>
  mail
    .prepare("SELECT day_emails AS n FROM shard_workspaces WHERE number = ?1")
    .bind(limited.workspaceNumber)
    .first<number>("n");

const emailsOfLimited = () =>
  mail
    .prepare("SELECT count(*) AS n FROM emails WHERE workspace = ?1")
    .bind(limited.workspaceNumber)
    .first<number>("n");

/** When a call of the mail database fails, by its number, if it does; and the error. */
interface Failure {
  momentOf: (call: number) => Moment | null;
  error: string;
}

/** Sends a group while calls of the mail database fail. Returns the statuses, and how many calls failed. */
async function sendWithFailures(sends: Send[], { momentOf, error }: Failure) {
  let [calls, failures] = [0, 0];
  const responses = await sendTogether(opener, sends, {
    bindings: WITH_WEBHOOKS,
    async call(_, __, run) {
      const moment = momentOf(calls++);
      if (moment === null) return run();
      failures += 1;
      if (moment === "after") await run();
      throw new Error(error);
    },
  });
  return { statuses: responses.map(({ status }) => status), failures };
}

/** Sends a group while calls fail, and expects that each send is accepted once or fails. Returns how many calls failed. */
async function expectOnce(name: string, failure: Failure): Promise<number> {
  const sends = sendsOf(name);
  const { statuses, failures } = await sendWithFailures(sends, failure);
  await expectWhole(sends, statuses);
  expect(await dayOf()).toBe(await emailsOfLimited());
  // A client that repeats a send with its key has one email.
  const keyed = sends.filter(({ headers }) => "Idempotency-Key" in headers);
  for (const send of keyed) {
    const again = await sendAgain(send);
    expect(again.status).toBe(202);
    if (statuses[sends.indexOf(send)] === 202) expect(again.headers.get("Idempotency-Replayed")).toBe("true");
  }
  await expectWhole(keyed, Array(keyed.length).fill(202));
  return failures;
}

const sendAgain = ({ workspace, changes, headers }: Required<Send>) =>
  apiOn({ ...WITH_WEBHOOKS, WORK: discardingQueue }, workspace.apiKey).post(
    "/v1/emails/",
    aMail(workspace, changes),
    headers,
  );

/** Returns when calls fail: `count` of them, from call `from` on. */
const failFrom = (from: number, count: number, moment: Moment) => (call: number) =>
  call >= from && call < from + count ? moment : null;

describe("each send of a group is accepted once or fails", () => {
  beforeEach(async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const workspaces = [limited, other, closed];
    await Promise.all(workspaces.flatMap((workspace) => [suppress(workspace), addWebhook(workspace)]));
    await close(closed);
    await limitTo(limited, 1_000_000);
  });

  it.each([
    ["one call fails before it runs", 1, "before", ERRORS.D1.lost],
    ["one call loses its connection after it ran", 1, "after", ERRORS.D1.lost],
    ["three calls fail before they run", 3, "before", ERRORS.D1.lost],
    ["three calls lose their connection after they ran", 3, "after", ERRORS.D1.lost],
    ["the database is overloaded for one call", 1, "before", ERRORS.D1.overloaded],
    ["the database is overloaded for two calls", 2, "before", ERRORS.D1.overloaded],
  ] as const)("when %s, whichever it is", async (what, count, moment, error) => {
    let from = 0;
    while (from < MAX_CALLS) {
      const failures = await expectOnce(`${what} ${from}`, { momentOf: failFrom(from, count, moment), error });
      if (failures === 0) break;
      from += 1;
    }
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThan(MAX_CALLS);
  });

  it(`when calls fail at random, ${RANDOM_GROUPS} times`, async () => {
    for (let seed = 1; seed <= RANDOM_GROUPS; seed++) {
      const random = seeded(seed);
      const chance = random();
      const momentOf = () => (random() >= chance ? null : random() < 0.5 ? "before" : "after");
      await expectOnce(`seed ${seed}`, { momentOf, error: ERRORS.D1.lost });
    }
  });
});

describe("a send at the end of its daily limit whose transaction loses its connection after it ran", () => {
  it.each([
    ["that is due", {}],
    ["that is scheduled", scheduled()],
    ["whose recipients are all suppressed", REJECTED],
  ])("is accepted, %s, alone and in a group", async (_, changes) => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    await Promise.all([suppress(limited), addWebhook(limited)]);
    await limitTo(limited, 1);
    const failure = { momentOf: failFrom(0, 1, "after"), error: ERRORS.D1.lost };
    const alone = [{ workspace: limited, headers: {}, changes: { ...changes, subject: "alone" } }];
    expect((await sendWithFailures(alone, failure)).statuses).toEqual([202]);
    await expectWhole(alone, [202]);
    expect(await dayOf()).toBe(1);
    await limitTo(limited, 2);
    const group = [limited, limited].map((workspace, at) => {
      return { workspace, headers: {}, changes: { ...changes, subject: `group ${at}` } };
    });
    expect((await sendWithFailures(group, failure)).statuses).toEqual([202, 429]);
    await expectWhole(group.slice(0, 1), [202]);
    expect([await dayOf(), await emailsOfLimited()]).toEqual([2, 2]);
  });
});
