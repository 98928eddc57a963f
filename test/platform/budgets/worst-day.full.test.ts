/** A workspace does its worst by every writing operation in a simulated day, while another one works. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { aMail, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { nameOf } from "./worst-day/attack.ts";
import { attacks } from "./worst-day/attacks.ts";
import { findings } from "./worst-day/known-growth.ts";
import { DAY_SECONDS, type Outcome, runAttack } from "./worst-day/run-attack.ts";
import { endlessPlaces, tableOf } from "./worst-day/table.ts";

const outcomes: Outcome[] = [];
let neighbour: TestWorkspace;
let listPath: string;
let startedAt: number;

beforeAll(async () => {
  startedAt = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: startedAt });
  neighbour = await aWorkspace();
  const { id } = await neighbour.create("/v1/contacts/", { name: "Readers" });
  listPath = `/v1/contacts/${id}`;
  await neighbour.create(`${listPath}/contacts`, { email: "reader@example.org" });
});

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the first parameter of a hook in its source.
afterAll(({}, suite) => {
  vi.useRealTimers();
  suite.file.meta.report = tableOf(outcomes);
});

/** Makes the calls of the other workspace. Throws for one that is not a success. */
async function workNextDoor(): Promise<void> {
  const responses = [
    await neighbour.post("/v1/emails/", aMail(neighbour, { to: [{ email: "delivered@simulator.test" }] })),
    await neighbour.get(listPath),
    await neighbour.post("/v1/templates/", { name: "Welcome", html_body: "<p>Hello {{name}}</p>" }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([202, 200, 201]);
}

describe("on the worst day", () => {
  for (const [n, attack] of attacks.entries())
    it(`the other workspace works during ${nameOf(attack)}`, async () => {
      vi.setSystemTime(startedAt + (n / attacks.length) * DAY_SECONDS * 1_000);
      await workNextDoor();
      const outcome = await runAttack(attack, workNextDoor);
      outcomes.push(outcome);
      await workNextDoor();
      const { budgets } = attack;
      if (budgets === undefined) return;
      // A lowered budget ends its attack, and admits no more rows.
      expect(outcome.refusal).toMatchObject({ status: 409, detail: expect.stringContaining("which is the limit") });
      expect(outcome.accepted).toBeLessThanOrEqual(Math.max(...Object.values(budgets)));
    });

  it("no operation but the known ones grows a place that neither a budget nor a reason bounds", () => {
    expect(outcomes.length).toBe(attacks.length);
    const endless = outcomes.flatMap((outcome) =>
      endlessPlaces(outcome).map((place) => [place, nameOf(outcome.attack)]),
    );
    const known = Object.entries(findings).flatMap(([place, ways]) => ways.map((way) => [place, way]));
    expect(endless.map(String).sort()).toEqual(known.map(String).sort());
  });
});
