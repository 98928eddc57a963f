import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { database } from "../../support/databases.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { withoutOtherRows } from "../../support/outbox.ts";
import { run } from "../../support/sending.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

const detail = (id: string) => readEmail(workspace, id);
const retry = (id: string, headers?: Record<string, string>) =>
  apiWithoutQueue.call("POST", `/v1/emails/${id}/retry`, undefined, headers);
const retried = async (id: string) => accepted(await retry(id));

/** Creates an email and sets the outcome of each recipient. */
async function emailWithOutcomes(
  outcomes: Record<string, string>,
  changes: Record<string, unknown> = {},
  status = "failed",
): Promise<string> {
  const to = Object.keys(outcomes).map((email) => ({ email }));
  const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(workspace, { to, ...changes }));
  await setOutcomes(id, outcomes, status);
  return id;
}

async function setOutcomes(id: string, outcomes: Record<string, string>, status: string): Promise<void> {
  const row = await database.row<{ recipients: string }>("SELECT recipients FROM emails WHERE id = ?1", [id]);
  const entries = JSON.parse(row?.recipients ?? "[]") as { email: string; state: string }[];
  const recipients = entries.map((entry) => ({ ...entry, state: outcomes[entry.email] ?? entry.state }));
  await run(
    "UPDATE emails SET status = ?2, recipients = ?3, due_at = NULL WHERE id = ?1",
    id,
    status,
    JSON.stringify(recipients),
  );
  await run("DELETE FROM outbox WHERE id = ?1", id);
}

async function deliveredText(id: string): Promise<string> {
  const server = await sinkServer();
  const { ctx } = recordingContext({ EGRESS_URL: server.url });
  const row = await database.row<{ due_at: number }>("SELECT due_at FROM outbox WHERE id = ?1", [id]);
  const rows = [{ dueAt: row?.due_at ?? 0, id, kind: "deliver" as const }];
  await withoutOtherRows([id], () => deliver(ctx, rows, egressOf(ctx.settings)));
  const [message] = await server.messages();
  await server.close();
  return new TextDecoder().decode(message?.raw);
}

describe("POST /v1/emails/{email_id}/retry", () => {
  it("sends a new email to the recipients that failed, and does not change the original", async () => {
    const outcomes = { "a@example.org": "delivered", "b@example.org": "failed", "c@example.org": "bounced" };
    const id = await emailWithOutcomes(outcomes, {
      cc: [{ email: "d@example.org", name: "Dee" }],
      tags: ["t"],
      headers: { "X-A": "1" },
    });
    await setOutcomes(id, { "d@example.org": "rejected" }, "bounced");
    const before = [await detail(id), await database.row("SELECT * FROM emails WHERE id = ?1", [id])];
    const again = await retried(id);
    const email = await detail(again.id);
    expect(email).toMatchObject({
      status: "queued",
      retry_of_id: id,
      to_addresses: ["b@example.org", "c@example.org"],
      cc_addresses: ["d@example.org"],
      tags: ["t"],
      headers: { "X-A": "1" },
      text_body: "A text.",
    });
    expect(email.events.map(({ event_type }) => event_type)).toEqual(["retried", "queued"]);
    expect(email.events[0]?.metadata).toEqual({ retry_of_id: id });
    expect([await detail(id), await database.row("SELECT * FROM emails WHERE id = ?1", [id])]).toEqual(before);
    const text = await deliveredText(again.id);
    expect(text).toContain("Cc: Dee <d@example.org>");
    expect((await detail(again.id)).status).toBe("delivered");
  });

  it("copies the attachments byte for byte, so that the original's object can be deleted", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    const attachments = [
      { filename: "empty", content_base64: "" },
      { filename: "a.bin", content_base64: base64 },
    ];
    const id = await emailWithOutcomes({ "a@example.org": "failed" }, { attachments });
    const again = await retried(id);
    await env.CONTENT.delete(`w/${workspace.workspaceId}/emails/${id}`);
    expect((await deliveredText(again.id)).replaceAll("\r\n", "")).toContain(base64);
  });

  it("copies the content of an email whose batch shares one object", async () => {
    const item = (name: string) =>
      aMail(workspace, {
        text: `Text ${name}`,
        attachments: [{ filename: name, content_base64: btoa(`file ${name}`) }],
      });
    const { results } = await apiWithoutQueue.create<{ results: { id: string }[] }>("/v1/emails/batch", [
      item("one"),
      item("two"),
      item("three"),
    ]);
    const id = results[1]?.id ?? "";
    await run(
      "UPDATE emails SET status = 'failed', recipients = replace(recipients, 'queued', 'failed') WHERE id = ?1",
      id,
    );
    const again = await retried(id);
    expect((await detail(again.id)).text_body).toBe("Text two");
    expect(await deliveredText(again.id)).toContain(btoa("file two"));
  });

  it("is a 409 for every other status, and for deleted content", async () => {
    const id = await emailWithOutcomes({ "a@example.org": "failed" }, { text: "x".repeat(20_000) });
    for (const status of ["queued", "sent", "delivered", "cancelled", "scheduled"]) {
      await run("UPDATE emails SET status = ?2 WHERE id = ?1", id, status);
      expect((await retry(id)).status, status).toBe(409);
    }
    await run("UPDATE emails SET status = 'failed' WHERE id = ?1", id);
    await env.CONTENT.delete(`w/${workspace.workspaceId}/emails/${id}`);
    expect((await retry(id)).status).toBe(409);
  });

  it("drops an address that was suppressed since, and is rejected when no other is left", async () => {
    await workspace.post("/v1/suppressions/", { email: "b@example.org", reason: "complaint" });
    const alone = await retried(
      await emailWithOutcomes({ "b@example.org": "queued" }, {}, "rejected").then(async (id) => {
        await setOutcomes(id, { "b@example.org": "bounced" }, "bounced");
        return id;
      }),
    );
    expect(alone.status).toBe("rejected");
    const id = await emailWithOutcomes({ "a@example.org": "failed", "b@example.org": "bounced" });
    const email = await detail((await retried(id)).id);
    expect(email.status).toBe("queued");
    expect(email.events.map(({ event_type }) => event_type)).toEqual(["retried", "suppressed", "queued"]);
  });

  it("sends an email whose recipients were all suppressed after they are removed from the list", async () => {
    await workspace.post("/v1/suppressions/", { email: "friend@example.org" });
    const { id, status } = await (await apiWithoutQueue.post("/v1/emails/", aMail(workspace))).json<{
      id: string;
      status: string;
    }>();
    expect(status).toBe("rejected");
    await workspace.call("DELETE", "/v1/suppressions/friend@example.org");
    expect((await retried(id)).status).toBe("queued");
  });

  it("checks the sender again", async () => {
    const id = await emailWithOutcomes({ "a@example.org": "failed" });
    await run("UPDATE mailboxes SET is_active = 0 WHERE id = ?1", workspace.mailboxId);
    expect((await retry(id)).status).toBe(422);
    await run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", workspace.workspaceNumber);
    expect((await retry(id)).status).toBe(403);
  });

  it("ten calls with one Idempotency-Key create one email; without a key each call creates one", async () => {
    const id = await emailWithOutcomes({ "a@example.org": "failed" });
    const count = async () =>
      (await database.row<{ n: number }>("SELECT count(*) AS n FROM emails WHERE retry_of_id = ?1", [id]))?.n;
    const responses = await Promise.all(Array.from({ length: 10 }, () => retry(id, { "Idempotency-Key": "k" })));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202));
    expect(new Set(await Promise.all(responses.map((result) => result.text()))).size).toBe(1);
    expect(await count()).toBe(1);
    await Promise.all([retry(id), retry(id)]);
    expect(await count()).toBe(3);
  });
});
