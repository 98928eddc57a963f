/** Mail comes in, is forwarded and gets a response while one call in ten of every storage fails (safety R11). */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runForwards } from "../../../src/mailboxes/forwards/index.ts";
import { byExtent } from "../../support/extent.ts";
import {
  type FailureInjection,
  failingDatabase,
  failingMailboxes,
  failingObjects,
  seeded,
} from "../../support/failures.ts";
import { aWorkspace, discardingQueue, recordingContext, type TestWorkspace } from "../../support/workspace.ts";
import { aRule, confirmTarget } from "../forwarding-rules/support.ts";
import { collectingEgress, eventsOf, forwardRows } from "../forwards/support.ts";
import { aRawMessage, deliver, objectsOf } from "./support.ts";

const FRIEND = "friend@example.net";
const FILTERED = "filtered@example.net";
const COUNT = byExtent({ quick: 15, full: 40, long: 100 });
/** After this time a lease has ended. */
const LEASE_MS = 130_000;

beforeEach(() => {
  // Each failure writes a log line; hundreds of them would hide the test output.
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

type Egress = ReturnType<typeof collectingEgress>["egress"];

function failingStorage() {
  const injection: FailureInjection = {
    random: seeded(17),
    chance: 0.1,
    bindings: ["database", "objects", "mailboxes"],
    moments: ["before", "after"],
    count: 0,
  };
  const bindings = {
    DB: failingDatabase(env.DB, injection),
    MAIL_0: failingDatabase(env.MAIL_0, injection),
    MAIL_1: failingDatabase(env.MAIL_1, injection),
    CONTENT: failingObjects(env.CONTENT, injection),
    MAILBOX: failingMailboxes(env.MAILBOX, injection),
    WORK: discardingQueue,
  };
  return { injection, bindings };
}

/** Delivers messages as a server does that tries again until each one is accepted. Returns the attempts. */
async function deliverAll(workspace: TestWorkspace, bindings: Record<string, unknown>): Promise<number> {
  let attempts = 0;
  for (let number = 0; number < COUNT; number++) {
    const from = `sender${number}@example.org`;
    const raw = aRawMessage({ Subject: `Message ${number}`, From: from, To: workspace.mailbox });
    for (let isAccepted = false; !isAccepted; ) {
      attempts += 1;
      const again = `Received: attempt ${attempts}\r\n${raw}`;
      isAccepted = await deliver(workspace.mailbox, again, { from, bindings, isAuthentic: true }).then(
        (rejection) => rejection === null,
        () => false,
      );
    }
  }
  return attempts;
}

/** Runs what is due, and again after each lease, until nothing is left. Returns the runs that failed. */
async function forwardAll(
  workspace: TestWorkspace,
  bindings: Record<string, unknown>,
  egress: Egress,
): Promise<number> {
  let failures = 0;
  for (let now = Date.now() + 1_000; ; now += LEASE_MS) {
    const rows = await forwardRows(workspace);
    if (rows.length === 0) return failures;
    const { ctx } = recordingContext(bindings, () => now);
    await runForwards(ctx, rows.filter(({ dueAt }) => dueAt <= now).slice(0, 20), egress).catch(() => {
      failures += 1;
    });
  }
}

const subjectsIn = async (mailboxId: string) => {
  const found = await env.MAILBOX.getByName(mailboxId).list("INBOX", { limit: 1_000, offset: 0 });
  return (found?.items ?? []).map(({ subject }) => subject).sort();
};
const subjects = Array.from({ length: COUNT }, (_, number) => `Message ${number}`).sort();

describe("with storage that fails one call in ten", () => {
  it("mail that was accepted is stored and filtered once, and forwarded and replied to once", async () => {
    const workspace = await aWorkspace();
    const { id: otherId } = await workspace.create("/v1/mailboxes/", {
      domain_id: workspace.domainId,
      local_part: "other",
    });
    await confirmTarget(workspace, FRIEND);
    const mailbox_id = workspace.mailboxId;
    await aRule(workspace, { mailbox_id, domain_id: undefined, action: { type: "address", target: FRIEND } });
    await aRule(workspace, { mailbox_id, domain_id: undefined, action: { type: "mailbox", target: otherId } });
    await confirmTarget(workspace, FILTERED);
    const filter = {
      match: { conditions: [{ field: "subject", op: "contains", value: "message" }] },
      actions: [{ type: "flag" }, { type: "forward", address: FILTERED }],
    };
    expect((await workspace.post(`/v1/inbox/${mailbox_id}/filters`, filter)).status).toBe(201);
    await workspace.call("PUT", `/v1/inbox/${mailbox_id}/auto-reply`, { is_active: true, text: "I am away." });
    const { injection, bindings } = failingStorage();
    const { egress, sent } = collectingEgress();

    const attempts = await deliverAll(workspace, bindings);
    const failures = await forwardAll(workspace, bindings, egress);
    expect([injection.count > COUNT / 4, attempts > COUNT, failures > 0]).toEqual([true, true, true]);

    expect(await subjectsIn(mailbox_id)).toEqual(subjects);
    expect(await subjectsIn(otherId)).toEqual(subjects);
    const recipients = sent.map(({ to }) => to).sort();
    const senders = Array.from({ length: COUNT }, (_, number) => `sender${number}@example.org`);
    expect(recipients).toEqual([...senders, ...senders.map(() => FRIEND), ...senders.map(() => FILTERED)].sort());
    const counts = Object.entries(Object.groupBy(await eventsOf(workspace), ({ event }) => event));
    expect(Object.fromEntries(counts.map(([event, list]) => [event, list?.length]))).toEqual({
      stored: COUNT,
      forwarded: 3 * COUNT,
      answered: COUNT,
    });
    const found = await env.MAILBOX.getByName(mailbox_id).list("INBOX", { limit: 1_000, offset: 0 });
    expect(found?.items.filter(({ flagged }) => !flagged)).toEqual([]);
    await expectObjects(mailbox_id);
    await expectObjects(otherId);
  });
});

/** Each message of INBOX has its object, with its text. */
async function expectObjects(mailboxId: string): Promise<void> {
  const store = env.MAILBOX.getByName(mailboxId);
  const items = (await store.list("INBOX", { limit: 1_000, offset: 0 }))?.items ?? [];
  const found = await Promise.all(items.map(({ uid }) => store.find("INBOX", uid)));
  const objects = new Set(await objectsOf(mailboxId));
  expect(found.filter((message) => !objects.has(message?.object ?? ""))).toEqual([]);
  expect(new Set(found.map((message) => message?.object)).size).toBe(items.length);
}
