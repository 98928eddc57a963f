import { expect, it } from "vitest";
import type { Definition } from "../../../../src/audience/automations/definition.ts";
import { simulate } from "../../../../src/audience/automations/runs/simulate.ts";
import type { Person } from "../../../../src/audience/conditions/index.ts";
import { HOUR_MS } from "../../../../src/lib/time.ts";

const START = Date.UTC(2026, 10, 30, 9);
const contact = { list: "l", id: "c", name: "Ada", metadata: {}, createdAt: 0, isPending: false };
const person: Person = {
  key: "ada@example.org",
  contacts: [{ ...contact, email: "ada@example.org" }],
  activity: {},
  broadcasts: new Set(),
  topics: new Set(),
};

function run(
  { steps, exit_events, ...limits }: { steps: object[]; exit_events?: string[]; quiet_hours?: object },
  events: readonly { name: string; hours: number; data?: Record<string, unknown> }[],
) {
  const entry = { mode: "once", ...limits, ...(exit_events ? { exit_events } : {}) };
  const { history, endsAt } = simulate({
    definition: { trigger: { event: "order.made" }, entry, steps } as unknown as Definition,
    person,
    segments: new Map(),
    zone: "UTC",
    runId: "019aa7c0-4a00-7b3d-8f21-000000000001",
    start: START,
    data: { order_id: 7 },
    events: events.map(({ name, hours, data = {} }) => ({ name, data, at: START + hours * HOUR_MS })),
  });
  return { texts: history.map(({ text }) => text), hours: (endsAt - START) / HOUR_MS };
}

const waitFor = (event: string, filter?: object) => ({
  ...{ kind: "wait_for_event", event, limit: { days: 1 }, then_steps: [], else_steps: [] },
  ...(filter ? { filter } : {}),
});
const came = "order.paid came: took the first branch.";
const missed = "order.paid did not come: took the other branch.";
const ended = ({ texts }: { texts: string[] }) => texts.filter((text) => text === came || text === missed);

it("one event ends one wait", () => {
  const steps = [waitFor("order.paid"), waitFor("order.paid")];
  expect(ended(run({ steps }, [{ name: "order.paid", hours: 1 }]))).toEqual([came, missed]);
  const two = [1, 2].map((hours) => ({ name: "order.paid", hours }));
  expect(ended(run({ steps }, two))).toEqual([came, came]);
});

it("a wait is ended by the event that has the same value as the trigger's", () => {
  const steps = [waitFor("order.paid", { event: "order_id", is: "same" })];
  const paid = (hours: number, order_id: unknown) => ({ name: "order.paid", hours, data: { order_id } });
  expect(run({ steps }, [paid(1, 8), paid(3, "7")])).toMatchObject({ hours: 3 });
  expect(ended(run({ steps }, [paid(1, 8), paid(2, null), paid(3, { id: 7 })]))).toEqual([missed]);
});

it("a person who leaves by an event leaves when the wait ends, as in a run", () => {
  const steps = [{ kind: "wait", for: { hours: 5 } }, { kind: "end" }];
  const { texts, hours } = run({ steps, exit_events: ["order.lost"] }, [{ name: "order.lost", hours: 1 }]);
  expect(texts.at(-1)).toBe("Left: order.lost came.");
  expect(hours).toBe(5);
});

it("an event before the run began does not make its person leave", () => {
  const steps = [{ kind: "wait", for: { hours: 5 } }];
  const { texts } = run({ steps, exit_events: ["order.lost"] }, [{ name: "order.lost", hours: -1 }]);
  expect(texts.at(-1)).not.toContain("Left");
});

it("the history names the zone by which an email or a step waits", () => {
  const steps = [{ kind: "wait_until", time: "23:00" }, { kind: "send_email" }];
  const { texts } = run({ steps, quiet_hours: { from: "22:00", to: "08:00" } }, []);
  expect(texts.filter((text) => text.startsWith("Waits"))).toEqual([
    "Waits until 2026-11-30T23:00:00.000Z (UTC).",
    "Waits until 2026-12-01T08:00:00.000Z (UTC): quiet hours.",
  ]);
});
