import { beforeEach, describe, expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { applyFacts, findEmail } from "../../../src/sending/emails/index.ts";
import { database } from "../../support/databases.ts";
import { accepted, eventTypes, readEmail } from "../../support/emails.ts";
import { emptyOutbox, withoutOtherRows } from "../../support/outbox.ts";
import { run } from "../../support/sending.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import type { Script } from "../../support/smtp-script.ts";
import {
  aMail,
  aWorkspace,
  type createApiWithoutQueue,
  recordingContext,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

let workspace: TestWorkspace;
let api: ReturnType<typeof createApiWithoutQueue>;

beforeEach(async () => {
  workspace = await aWorkspace();
  api = workspace.withoutQueue;
  await emptyOutbox();
});

const detail = (id: string) => readEmail(workspace, id);
const send = async (changes: Record<string, unknown> = {}) =>
  (await accepted(await api.post("/v1/emails/", aMail(workspace, changes)))).id;
const retry = async (id: string) => accepted(await api.call("POST", `/v1/emails/${id}/retry`));
const reasonFor = (email: string) =>
  database.value<string>("SELECT reason FROM suppressions WHERE workspace = ?1 AND email = ?2", [
    workspace.workspaceNumber,
    email,
  ]);
const suppress = (email: string, reason: string, at = 1) =>
  run(
    "INSERT OR REPLACE INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, ?3, ?4)",
    workspace.workspaceNumber,
    email,
    reason,
    at,
  );

/** Delivers emails in one run to a server that follows `script`. Returns envelope recipients and text of each message. */
async function delivered(ids: string[], script: Script = {}) {
  const server = await scriptedServer(script);
  const { ctx } = recordingContext({ EGRESS_URL: server.url });
  const results = await database.rows<{ dueAt: number; id: string }>(
    "SELECT due_at AS dueAt, id FROM outbox WHERE id IN (SELECT value FROM json_each(?1))",
    [JSON.stringify(ids)],
  );
  const rows = results.map((row) => ({ ...row, kind: "deliver" as const }));
  await withoutOtherRows(ids, () => deliver(ctx, rows, egressOf(ctx.settings)));
  const messages = await server.messages();
  await server.close();
  return messages.map(({ rcpts, raw }) => ({ rcpts: rcpts.join(), text: new TextDecoder().decode(raw) }));
}

const hardBounce = (email: string): Script => ({ recipients: { [email]: "550 5.1.1 no such user" } });
const FRIEND = "friend@example.org";

/** Returns the id of an email that bounced at an unknown address, which is suppressed from then on. */
async function bounced(changes: Record<string, unknown> = {}, email = FRIEND): Promise<string> {
  const id = await send(changes);
  await delivered([id], hardBounce(email));
  expect(await reasonFor(email)).toBe("bounce");
  return id;
}

/** Records a success DSN or a hit for the only recipient of an email. */
async function record(id: string, what: "dsn" | "open" | "machine open", at = Date.now()): Promise<void> {
  const ctx = testContext({});
  const found = await findEmail(ctx, { workspace: workspace.workspaceNumber, emailId: id });
  if (!found) throw new Error("no such email");
  const { state } = found;
  const hit = { id: ctx.newId(), kind: "open" as const, at, recipient: 0, userAgent: "UA", ip: "192.0.2.1" };
  const update =
    what === "dsn"
      ? { state, facts: [{ id: ctx.newId(), recipient: FRIEND, on: "dsn-delivered" as const, at }], attempt: 0 }
      : { state, facts: [], attempt: 0, hits: [{ ...hit, machine: what === "machine open" }] };
  await applyFacts(ctx, [update]);
}

describe("a retry to an address that a bounce suppressed", () => {
  it("is queued and sent, and the suppression stays for other emails", async () => {
    const id = await bounced();
    const again = await retry(id);
    expect(again).toMatchObject({ status: "queued", rejection_reason: null });
    expect((await delivered([again.id])).map(({ rcpts }) => rcpts)).toEqual([`RCPT TO:<${FRIEND}>`]);
    expect(await detail(again.id)).toMatchObject({ status: "delivered" });
    expect(await reasonFor(FRIEND)).toBe("bounce");
    expect((await accepted(await api.post("/v1/emails/", aMail(workspace)))).status).toBe("rejected");
  });

  it("is sent by a run that drops another email to the same address", async () => {
    const waiting = await send();
    const again = await retry(await bounced());
    expect(await delivered([waiting, again.id])).toHaveLength(1);
    expect((await detail(again.id)).status).toBe("delivered");
    expect(await detail(waiting)).toMatchObject({ status: "rejected" });
    expect(await eventTypes(workspace, waiting)).toEqual(["queued", "suppressed"]);
  });

  it("leaves the suppression when it bounces too", async () => {
    const again = await retry(await bounced());
    await delivered([again.id], hardBounce(FRIEND));
    expect((await detail(again.id)).status).toBe("bounced");
    expect(await reasonFor(FRIEND)).toBe("bounce");
  });

  it("removes the suppression by a success DSN or a person's open, not by a machine's", async () => {
    for (const [what, reason] of [
      ["machine open", "bounce"],
      ["open", null],
      ["dsn", null],
    ] as const) {
      workspace = await aWorkspace();
      api = workspace.withoutQueue;
      const again = await retry(await bounced());
      await delivered([again.id]);
      await record(again.id, what);
      expect(await reasonFor(FRIEND), what).toBe(reason);
    }
  });

  it("does not remove a suppression that is newer than the retry, or has another reason", async () => {
    const again = await retry(await bounced());
    await delivered([again.id]);
    await suppress(FRIEND, "bounce", Date.now() + 60_000);
    await record(again.id, "dsn");
    expect(await reasonFor(FRIEND)).toBe("bounce");
    await suppress(FRIEND, "complaint");
    await record(again.id, "open");
    expect(await reasonFor(FRIEND)).toBe("complaint");
  });

  it("is the only email that removes a suppression", async () => {
    const id = await send();
    await delivered([id]);
    await suppress(FRIEND, "bounce");
    await record(id, "dsn");
    await record(id, "open");
    expect(await reasonFor(FRIEND)).toBe("bounce");
  });
});

describe("an address whose last three retries bounced", () => {
  it("is dropped, and alone makes the retry rejected", async () => {
    let id = await bounced();
    for (let n = 0; n < 3; n++) {
      const again = await retry(id);
      expect(again.status, String(n)).toBe("queued");
      await delivered([again.id], hardBounce(FRIEND));
      id = again.id;
    }
    const fourth = await retry(id);
    expect(fourth).toMatchObject({ status: "rejected", rejection_reason: expect.stringContaining("retries") });
    expect(await eventTypes(workspace, fourth.id)).toEqual(["retried", "suppressed", "rejected"]);
  });

  it("is counted over all its emails, and dropped beside others", async () => {
    const ids = [await bounced()];
    for (const subject of ["one", "two"]) {
      const original = await send({ to: [{ email: "x@example.org" }], subject });
      const recipients = JSON.stringify([{ kind: "to", email: FRIEND, state: "bounced" }]);
      await run("UPDATE emails SET status = 'bounced', recipients = ?2 WHERE id = ?1", original, recipients);
      ids.push(original);
    }
    for (const id of ids) await delivered([(await retry(id)).id], hardBounce(FRIEND));
    const both = await send({ to: [{ email: "x@example.org" }] });
    const recipients = [FRIEND, "x@example.org"].map((email) => ({ kind: "to", email, state: "bounced" }));
    await run("UPDATE emails SET status = 'bounced', recipients = ?2 WHERE id = ?1", both, JSON.stringify(recipients));
    const again = await retry(both);
    expect(again).toMatchObject({ status: "queued", rejection_reason: null });
    expect((await delivered([again.id])).map(({ rcpts }) => rcpts)).toEqual(["RCPT TO:<x@example.org>"]);
  });

  it("is retried when one of the three was delivered", async () => {
    const id = await bounced();
    for (const script of [hardBounce(FRIEND), {}, hardBounce(FRIEND), hardBounce(FRIEND)])
      await delivered([(await retry(id)).id], script);
    expect((await retry(id)).status).toBe("queued");
  });

  it("is not confused with the same address of another workspace", async () => {
    const id = await bounced();
    for (let n = 0; n < 3; n++) await delivered([(await retry(id)).id], hardBounce(FRIEND));
    expect((await retry(id)).status).toBe("rejected");
    workspace = await aWorkspace();
    api = workspace.withoutQueue;
    expect((await retry(await bounced())).status).toBe("queued");
  });
});

describe("other suppressions", () => {
  for (const reason of ["complaint", "manual"]) {
    it(`with reason ${reason} drop the recipient of a retry`, async () => {
      const id = await bounced();
      await suppress(FRIEND, reason);
      expect(await retry(id)).toMatchObject({
        status: "rejected",
        rejection_reason: "Every recipient is on the suppression list",
      });
    });
    it(`with reason ${reason} added after the retry drop it at dispatch`, async () => {
      const again = await retry(await bounced());
      await suppress(FRIEND, reason);
      expect(await delivered([again.id])).toEqual([]);
      expect((await detail(again.id)).status).toBe("rejected");
    });
  }

  it("with reason unsubscribe drop the recipient when the original is bulk or broadcast mail", async () => {
    const id = await bounced();
    await suppress(FRIEND, "unsubscribe");
    expect((await retry(id)).status).toBe("queued");
    for (const source of ["bulk", "broadcast"]) {
      await run("UPDATE emails SET source = ?2 WHERE id = ?1", id, source);
      expect((await retry(id)).status, source).toBe("rejected");
    }
  });
});

describe("the headers of a retry", () => {
  it("show To and Cc of the original; envelope and recipients are those retried", async () => {
    const changes = {
      to: [{ email: "ann@example.org", name: "Ann" }, { email: "bob@example.org" }],
      cc: [{ email: FRIEND, name: "Fred" }, { email: "dee@example.org" }],
      bcc: [{ email: "secret@example.org" }],
    };
    const id = await bounced(changes);
    const again = await retry(id);
    expect(await detail(again.id)).toMatchObject({ to_addresses: [], cc_addresses: [FRIEND], bcc_addresses: null });
    const [message] = await delivered([again.id], hardBounce(FRIEND));
    expect(message).toBeUndefined();
    // A retry of the retry has the headers of the first original.
    const third = await retry(again.id);
    const [last] = await delivered([third.id]);
    expect(last?.rcpts).toBe(`RCPT TO:<${FRIEND}>`);
    expect(last?.text).toContain("To: Ann <ann@example.org>, bob@example.org\r\n");
    expect(last?.text).toContain(`Cc: Fred <${FRIEND}>, dee@example.org\r\n`);
    expect(last?.text).not.toContain("secret@example.org");
  });
});
