/** Random groups of sends have the results, and leave the rows, of the same sends one after the other. */
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import {
  addWebhook,
  close,
  countRows,
  limitTo,
  REJECTED,
  type Send,
  sendTogether,
  suppress,
  WITH_WEBHOOKS,
} from "../../../support/commit-groups.ts";
import { mail } from "../../../support/databases.ts";
import { byExtent } from "../../../support/extent.ts";
import { storedObjects } from "../../../support/stored-objects.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest, type TestWorkspace } from "../../../support/workspace.ts";

const MIXES = byExtent({ quick: 20, full: 100, long: 100 });
/** Each has workspaces of its own. fast-check prints the seed with the mix that fails. */
const SEEDS = Array.from({ length: byExtent({ quick: 1, full: 2, long: 10 }) }, (_, at) => 4_711 + at);
const WORKSPACES = 3;

const opener = perTest(aWorkspace);
const together = perTest(someWorkspaces);
const alone = perTest(someWorkspaces);

afterEach(() => {
  vi.useRealTimers();
});

async function someWorkspaces() {
  const workspaces = await Promise.all(Array.from({ length: WORKSPACES }, () => aWorkspace()));
  for (const workspace of workspaces) await Promise.all([suppress(workspace), addWebhook(workspace)]);
  return { workspaces };
}

const place = fc.nat({ max: WORKSPACES - 1 });
const mixOf = fc.record({
  sends: fc.array(
    fc.record({
      place,
      kind: fc.constantFrom("good", "good", "rejected", "scheduled"),
      /** Its Idempotency-Key, and its subject: the sends of a key have the same body, or another one. */
      key: fc.constantFrom(null, null, 0, 0, 1),
      subject: fc.constantFrom(0, 0, 0, 1),
      isLarge: fc.boolean(),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  /** Emails that each workspace may still have accepted today. */
  left: fc.array(fc.constantFrom(null, 0, 1, 2, 4), { minLength: WORKSPACES, maxLength: WORKSPACES }),
  closed: fc.constantFrom(null, null, 0, 1, 2),
});
type Mix = typeof mixOf extends fc.Arbitrary<infer Value> ? Value : never;

const LATER = new Date(Date.now() + 1_800_000).toISOString();
let mixes = 0;

/** Returns the sends of a mix to one set of workspaces, which it prepares. */
async function prepare({ sends, left, closed }: Mix, workspaces: readonly TestWorkspace[]): Promise<Send[]> {
  for (const [at, workspace] of workspaces.entries()) {
    const { day } = await countRows(workspace);
    const more = left[at] ?? null;
    await limitTo(workspace, more === null ? null : day + more);
    if (at === closed) await close(workspace);
  }
  return sends.flatMap(({ place, kind, key, subject, isLarge }) => {
    const workspace = workspaces[place];
    const changes = {
      subject: `mix ${mixes} subject ${key === null ? "" : subject}`,
      ...(kind === "rejected" ? REJECTED : kind === "scheduled" ? { send_at: LATER } : {}),
      ...(isLarge ? { text: "x".repeat(20_000) } : {}),
    };
    const headers: Record<string, string> = key === null ? {} : { "Idempotency-Key": `mix ${mixes} key ${key}` };
    return workspace ? [{ workspace, changes, headers }] : [];
  });
}

/** Opens a workspace that a mix has closed, and deletes the rows that the next mix would count again. */
const clear = ({ workspaceNumber }: TestWorkspace) =>
  mail.batch(
    [
      "UPDATE shard_workspaces SET status = 'open' WHERE number = ?1",
      ...["outbox", "changes", "webhook_deliveries"].map((table) => `DELETE FROM ${table} WHERE workspace = ?1`),
    ].map((sql) => mail.prepare(sql).bind(workspaceNumber)),
  );

const EMAILS = `
  SELECT subject, status, count(*) AS emails, sum(outbox_id IS NOT NULL AND status <> 'queued') AS shared FROM emails
   WHERE workspace = ?1 AND subject LIKE ?2 GROUP BY subject, status ORDER BY subject, status`;

/** Returns what sends have stored for workspaces: counts of rows, and the emails of this mix. */
const storedOf = (workspaces: readonly TestWorkspace[]) =>
  Promise.all(
    workspaces.map(async (workspace) => {
      const emails = mail.prepare(EMAILS).bind(workspace.workspaceNumber, `mix ${mixes} %`);
      return { rows: await countRows(workspace), emails: (await emails.all()).results };
    }),
  );

/** Returns how many contents workspaces have in R2. */
const objectsOf = (workspaces: readonly TestWorkspace[]) =>
  Promise.all(workspaces.map(async ({ workspaceId }) => (await storedObjects(`w/${workspaceId}/`)).length));

/** Returns what clients see of responses, with names in place of the ids and domains, which differ. */
async function seenOf(responses: readonly Response[], workspaces: readonly TestWorkspace[]): Promise<string[]> {
  const names = new Map(workspaces.map(({ domain }, at) => [domain, `workspace ${at}`]));
  const seen: string[] = [];
  for (const response of responses) {
    const text = `${response.status} ${response.headers.get("Idempotency-Replayed")} ${await response.text()}`;
    const named = text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=@)[\w.-]+/g, (name) => {
      const known = names.get(name) ?? `id ${names.size}`;
      names.set(name, known);
      return known;
    });
    seen.push(named);
  }
  return seen;
}

it.each(SEEDS)(
  `${MIXES} random groups of seed %i have the responses and the rows of the same sends one after the other`,
  async (seed) => {
    // The day does not end between the two.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const outcomes = new Map<string, number>();
    const compare = async (mix: Mix) => {
      mixes += 1;
      const group = await prepare(mix, together.workspaces);
      const inGroup = await seenOf(await sendTogether(opener, group, { bindings: WITH_WEBHOOKS }), together.workspaces);
      const responses = [];
      for (const { workspace, changes, headers } of await prepare(mix, alone.workspaces)) {
        const api = apiOn({ ...WITH_WEBHOOKS, WORK: discardingQueue }, workspace.apiKey);
        responses.push(await api.post("/v1/emails/", aMail(workspace, changes), headers));
      }
      const oneByOne = await seenOf(responses, alone.workspaces);
      const stored = [await storedOf(together.workspaces), await storedOf(alone.workspaces)];
      await Promise.all([...together.workspaces, ...alone.workspaces].map(clear));
      expect(inGroup).toEqual(oneByOne);
      expect(stored[0]).toEqual(stored[1]);
      for (const text of inGroup) {
        const outcome = text.split(" ", 2).join(" ");
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await fc.assert(fc.asyncProperty(mixOf, compare), { numRuns: MIXES, seed });
    expect([...outcomes.keys()].toSorted()).toEqual(["202 null", "202 true", "409 null", "429 null"]);
    expect(await objectsOf(together.workspaces)).toEqual(await objectsOf(alone.workspaces));
  },
  3_600_000,
);
