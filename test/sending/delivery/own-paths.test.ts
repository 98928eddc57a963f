/** Transactions of emails to several recipients (docs/contract/delivery.md#return-path). */
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { readReturnPath } from "../../../src/platform/mail-tokens/return-path.ts";
import { deliver, egressOf, newRunLimits } from "../../../src/sending/delivery/index.ts";
import { receiveFeedback } from "../../../src/sending/feedback/index.ts";
import { lines, report } from "../../mail/reports/samples.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { emptyOutbox } from "../../support/outbox.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import type { Detail } from "../../support/sending.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aMail, aWorkspace, perTest, recordingContext, testContext, until } from "../../support/workspace.ts";

const MINUTE_MS = 60_000;
const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await emptyOutbox();
});

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `r${n}@one.example`);

async function send(to: readonly string[]): Promise<string> {
  const body = aMail(workspace, { to: to.map((email) => ({ email })) });
  return (await workspace.withoutQueue.create("/v1/emails/", body)).id;
}

const detailOf = async (id: string) => (await workspace.get(`/v1/emails/${id}`)).json<Detail>();
const eventsOf = async (id: string) =>
  (await detailOf(id)).events.flatMap(({ event_type: type, metadata }) =>
    metadata?.recipient === undefined ? [] : [`${type} ${metadata.recipient}`],
  );
const recipientsOf = (messages: readonly { rcpts: string[] }[]) =>
  messages.map(({ rcpts }) => rcpts.map(pathIn).join());

describe("an email to two to ten recipients", () => {
  it("has a transaction and a return path for each, in their order, over one connection, with the same message", async () => {
    const server = await sinkServer();
    const id = await send(addresses(10));
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const messages = await server.messages();
    expect(recipientsOf(messages)).toEqual(addresses(10));
    expect((await server.counters()).connections).toBe(1);
    const { masterKeys } = testContext().settings;
    const paths = await Promise.all(messages.map(({ mail }) => readReturnPath(masterKeys, pathIn(mail))));
    expect(paths).toEqual(
      addresses(10).map((_, recipient) => ({ workspace: workspace.workspaceNumber, emailId: id, recipient })),
    );
    expect(new Set(messages.map(({ raw }) => new TextDecoder().decode(raw))).size).toBe(1);
    await server.close();
    expect(await detailOf(id)).toMatchObject({ status: "delivered" });
  });

  it("has a bounce that names another address on the recipient of its return path", async () => {
    const server = await sinkServer();
    const id = await send(addresses(3));
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const path = pathIn((await server.messages())[1]?.mail ?? "");
    await server.close();
    const raw = report({
      blocks: [
        "Reporting-MTA: dns; mx.y.test",
        lines(
          "Final-Recipient: rfc822; where.it.is.forwarded@elsewhere.test",
          "Action: failed",
          "Status: 5.1.1",
          "Diagnostic-Code: smtp; 550 5.1.1 no such user",
        ),
      ],
    });
    await receiveFeedback(testContext(), { from: "", to: path, raw: new TextEncoder().encode(raw) });
    expect((await eventsOf(id)).filter((event) => event.startsWith("bounced"))).toEqual(["bounced r1@one.example"]);
  });

  it("asks for reports of each transaction with dsn=on", async () => {
    const server = await sinkServer();
    await send(addresses(2));
    await runOutboxAt(Date.now(), { EGRESS_URL: `${server.url}&dsn=on` });
    const rcpts = (await server.commands()).filter((command) => command.startsWith("RCPT"));
    await server.close();
    expect(rcpts).toEqual(
      addresses(2).map((address) => `RCPT TO:<${address}> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;${address}`),
    );
  });

  it("tries only the recipients again that were deferred", async () => {
    const first = await scriptedServer({
      recipients: { "r1@one.example": "451 4.7.1 greylisted", "r2@one.example": "550 5.1.1 unknown" },
    });
    const id = await send(addresses(4));
    await runOutboxAt(Date.now(), { EGRESS_URL: first.url });
    expect(recipientsOf(await first.messages())).toEqual(["r0@one.example", "r3@one.example"]);
    await first.close();
    const second = await sinkServer();
    await runOutboxAt(Date.now() + 2 * MINUTE_MS, { EGRESS_URL: second.url });
    expect(recipientsOf(await second.messages())).toEqual(["r1@one.example"]);
    await second.close();
    expect(await eventsOf(id)).toEqual([
      "delivered r0@one.example",
      "bounced r2@one.example",
      "deferred r1@one.example",
      "delivered r3@one.example",
      "delivered r1@one.example",
    ]);
  });

  it("ends at a broken connection: what has left stays, the others are tried again", async () => {
    const first = await scriptedServer({ transactions: [{}, { dot: { drop: true } }] });
    const id = await send(addresses(4));
    await runOutboxAt(Date.now(), { EGRESS_URL: first.url });
    expect(recipientsOf(await first.messages())).toEqual(["r0@one.example", "r1@one.example"]);
    await first.close();
    const second = await sinkServer();
    await runOutboxAt(Date.now() + 2 * MINUTE_MS, { EGRESS_URL: second.url });
    expect(recipientsOf(await second.messages())).toEqual(["r1@one.example", "r2@one.example", "r3@one.example"]);
    await second.close();
    expect(await detailOf(id)).toMatchObject({ status: "delivered" });
  });

  it("goes on over a second connection when the first ends between two transactions", async () => {
    const server = await scriptedServer({ transactions: [{}, { mail: { drop: true } }] });
    await send(addresses(3));
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    expect(recipientsOf(await server.messages())).toEqual(addresses(3));
    expect((await server.counters()).connections).toBe(2);
    await server.close();
  });

  it("is not repeated to a recipient whose outcome is written, when the run ends between two transactions", async () => {
    // The run hangs in the third transaction, as one that was killed there does.
    const first = await scriptedServer({ transactions: [{}, {}, { dot: { silent: true } }] });
    const id = await send(addresses(4));
    const now = Date.now();
    const hanging = runOutboxAt(now, { EGRESS_URL: first.url });
    await until(
      () => eventsOf(id),
      (events) => events.length === 2,
    );
    expect(await eventsOf(id)).toEqual(["delivered r0@one.example", "delivered r1@one.example"]);
    const second = await sinkServer();
    await runOutboxAt(now + 3 * MINUTE_MS, { EGRESS_URL: second.url });
    expect(recipientsOf(await second.messages())).toEqual(["r2@one.example", "r3@one.example"]);
    await second.close();
    await first.close();
    await hanging;
    expect(await detailOf(id)).toMatchObject({ status: "delivered" });
  });

  it("leaves the recipients that a run may not reach to the next one, at once and without an event", async () => {
    const server = await sinkServer();
    const file = { filename: "a.txt", content_base64: btoa("A file") };
    const body = aMail(workspace, { to: addresses(3).map((email) => ({ email })), attachments: [file] });
    const { id } = await (await workspace.withoutQueue.post("/v1/emails/", body)).json<{
      id: string;
    }>();
    const { ctx } = recordingContext({ EGRESS_URL: server.url });
    const rows = await database.prepare("SELECT due_at AS dueAt, id, kind FROM outbox").all<WakeUp>();
    // Reads of the content, and of the attachment to sign the message and to send it once.
    await deliver(ctx, rows.results, egressOf(ctx.settings), { ...newRunLimits(), objectReads: 3 });
    expect(recipientsOf(await server.messages())).toEqual(["r0@one.example"]);
    expect(await eventsOf(id)).toEqual(["delivered r0@one.example"]);
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    expect(recipientsOf(await server.messages())).toEqual(addresses(3));
    await server.close();
  });

  it("costs D1 no more than one of eleven recipients", async () => {
    const cost = async (recipients: number) => {
      const server = await sinkServer();
      await send(addresses(recipients));
      const { bindings, trips } = countingDb();
      await runOutboxAt(Date.now(), { ...bindings, EGRESS_URL: server.url });
      const { messages } = await server.counters();
      await server.close();
      const rows = trips.reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0);
      return { transactions: messages, calls: trips.length, rows };
    };
    const [one, ten, eleven] = [await cost(1), await cost(10), await cost(11)];
    expect([one.transactions, ten.transactions, eleven.transactions]).toEqual([1, 10, 1]);
    expect([ten.calls, ten.rows]).toEqual([eleven.calls, eleven.rows]);
    expect([ten.calls, ten.rows]).toEqual([one.calls, one.rows]);
  });
});

describe("an email to more than ten recipients", () => {
  it("has one transaction, whose return path names none of them", async () => {
    const server = await sinkServer();
    const id = await send(addresses(11));
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const messages = await server.messages();
    await server.close();
    expect(recipientsOf(messages)).toEqual([addresses(11).join()]);
    const path = await readReturnPath(testContext().settings.masterKeys, pathIn(messages[0]?.mail));
    expect(path).toEqual({ workspace: workspace.workspaceNumber, emailId: id, recipient: "all" });
  });
});
