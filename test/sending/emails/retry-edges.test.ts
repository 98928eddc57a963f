import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { accepted, eventTypes, readEmail } from "../../support/emails.ts";
import { emptyOutbox, withoutOtherRows } from "../../support/outbox.ts";
import { base64Of, digestOf, patternedBytes } from "../../support/patterned-bytes.ts";
import { run } from "../../support/sending.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import type { Script } from "../../support/smtp-script.ts";
import {
  aKey,
  aMail,
  apiOn,
  apiWith,
  aWorkspace,
  createApiWithoutQueue,
  discardingQueue,
  perTest,
  recordingContext,
} from "../../support/workspace.ts";

const MIB = 1024 * 1024;
const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

beforeEach(async () => {
  await emptyOutbox();
});

const detail = (id: string) => readEmail(workspace, id);
const eventsOf = (id: string) => eventTypes(workspace, id);
const send = async (changes: Record<string, unknown> = {}) =>
  (await accepted(await apiWithoutQueue.post("/v1/emails/", aMail(workspace, changes)))).id;
const retry = (id: string, api = apiWithoutQueue) => api.call("POST", `/v1/emails/${id}/retry`);

/** Delivers an email to a server that follows `script`. Returns the messages it accepted, as text. */
async function delivered(id: string, script: Script = {}): Promise<string[]> {
  const server = await scriptedServer(script);
  const { ctx } = recordingContext({ EGRESS_URL: server.url });
  const results = await database.rows<{ dueAt: number; id: string }>(
    "SELECT due_at AS dueAt, id FROM outbox WHERE id = ?1",
    [id],
  );
  const rows = results.map((row) => ({ ...row, kind: "deliver" as const }));
  await withoutOtherRows([id], () => deliver(ctx, rows, egressOf(ctx.settings)));
  const messages = await server.messages();
  await server.close();
  return messages.map(({ rcpts, raw }) => `${rcpts.join("\n")}\n${new TextDecoder().decode(raw)}`);
}

/** Returns the id of an email whose sender the egress refused, which says nothing about the recipients' addresses. */
async function rejectedEmail(changes: Record<string, unknown> = {}): Promise<string> {
  const id = await send(changes);
  // A transaction for each recipient.
  await delivered(id, { transactions: Array(3).fill({ mail: "554 5.7.1 not this one" }) });
  expect((await detail(id)).status).toBe("rejected");
  return id;
}

/** Returns a bucket that counts reads, writes and aborted multipart uploads. */
function watchedBucket(failReadsAfter = Number.POSITIVE_INFINITY) {
  const counts = { parts: [] as number[], puts: [] as number[], aborts: 0, reads: 0 };
  const CONTENT = {
    async get(key: string, options?: R2GetOptions) {
      counts.reads += 1;
      return counts.reads > failReadsAfter ? null : env.CONTENT.get(key, options);
    },
    put(key: string, value: Uint8Array) {
      counts.puts.push(value.byteLength);
      return env.CONTENT.put(key, value);
    },
    delete: (key: string) => env.CONTENT.delete(key),
    async createMultipartUpload(key: string) {
      const upload = await env.CONTENT.createMultipartUpload(key);
      return {
        uploadPart(number: number, part: Uint8Array) {
          counts.parts.push(part.byteLength);
          return upload.uploadPart(number, part);
        },
        complete: (parts: R2UploadedPart[]) => upload.complete(parts),
        abort() {
          counts.aborts += 1;
          return upload.abort();
        },
      };
    },
  };
  return { CONTENT, counts };
}

const objectsOf = async () =>
  (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects.map(({ key }) => key).sort();

describe("a retried email with 11 MiB attached", () => {
  const size = 11 * MIB + 7;
  const attachments = () => [
    { filename: "small.txt", content_base64: btoa("small") },
    { filename: "large.bin", content_base64: base64Of(patternedBytes(size)) },
  ];

  it("stores its own copy of the content, one part at a time", async () => {
    const id = await rejectedEmail({ attachments: attachments() });
    const { CONTENT, counts } = watchedBucket();
    const again = await accepted(await retry(id, apiOn({ CONTENT, WORK: discardingQueue }, workspace.apiKey)));
    expect(counts.puts).toEqual([]);
    expect(counts.parts.slice(0, -1)).toEqual([5 * MIB, 5 * MIB]);
    await env.CONTENT.delete(`w/${workspace.workspaceId}/emails/${id}`);
    const range = { offset: 5, length: size };
    const copy = await env.CONTENT.get(`w/${workspace.workspaceId}/emails/${again.id}`, { range });
    expect(await digestOf((await copy?.arrayBuffer()) ?? new Uint8Array())).toBe(await digestOf(patternedBytes(size)));
    expect((await detail(again.id)).text_body).toBe("A text.");
    await delivered(again.id, { capabilities: ["PIPELINING", "8BITMIME", "SIZE 37748736"], countOnly: true });
    const { status, events } = await detail(again.id);
    expect(status, JSON.stringify(events)).toBe("delivered");
  });

  it("is a 409 and stores nothing when the content is deleted while it is copied", async () => {
    const id = await rejectedEmail({
      attachments: [...attachments(), { filename: "last", content_base64: btoa("last") }],
    });
    const before = await objectsOf();
    // One read for the document, then one for each file.
    const { CONTENT, counts } = watchedBucket(3);
    const response = await retry(id, apiOn({ CONTENT, WORK: discardingQueue }, workspace.apiKey));
    expect([response.status, await response.json()]).toEqual([
      409,
      { detail: "The content of this email is no longer kept" },
    ]);
    expect(counts.aborts).toBe(1);
    expect(await objectsOf()).toEqual(before);
    const results = await database.rows("SELECT 1 FROM emails WHERE retry_of_id = ?1", [id]);
    expect(results).toEqual([]);
  });
});

describe("POST /v1/emails/{email_id}/retry", () => {
  it("keeps subject, both bodies, headers, reply-to, tags, files and recipients of the original", async () => {
    const changes = {
      to: [{ email: "a@example.org", name: "Ä" }],
      cc: [{ email: "b@example.org" }],
      bcc: [{ email: "c@example.org" }],
      reply_to: { email: "reply@example.org", name: "Re" },
      subject: "Grüße",
      html: '<img src="cid:logo">',
      headers: { "X-A": "1" },
      tags: ["t", "u"],
      attachments: [
        {
          filename: "l.png",
          content_base64: "AAEC",
          content_id: "logo",
          disposition: "inline",
          content_type: "image/png",
        },
      ],
    };
    const id = await rejectedEmail(changes);
    const again = await accepted(await retry(id));
    const [original, copy] = [await detail(id), await detail(again.id)];
    expect(copy).toEqual({
      ...original,
      id: again.id,
      message_id: again.message_id,
      status: "queued",
      created_at: copy.created_at,
      retry_of_id: id,
      events: copy.events,
    });
    expect(again.message_id).not.toBe(original.message_id);
    const messages = await delivered(again.id);
    expect(messages.map((message) => message.split("\n")[0])).toEqual(
      ["a", "b", "c"].map((name) => `RCPT TO:<${name}@example.org>`),
    );
    const [message = ""] = messages;
    expect(message.match(/<[abc]@example.org>/g)).toHaveLength(2);
    for (const part of ["Reply-To: Re <reply@example.org>", "X-A: 1", "Content-ID: <logo>", "AAEC", "image/png"])
      expect(message).toContain(part);
    expect(message).not.toMatch(/^Bcc/m);
  });

  it("sends to a blind copy alone when only that recipient bounced", async () => {
    const id = await send({ bcc: [{ email: "blind@example.org" }] });
    await delivered(id, { recipients: { "blind@example.org": "550 5.7.1 no" } });
    expect((await detail(id)).status).toBe("bounced");
    const again = await accepted(await retry(id));
    const [message = ""] = await delivered(again.id);
    // The first line is the envelope; the header shows To of the original and no Bcc.
    expect(message.split("\n")[0]).toBe("RCPT TO:<blind@example.org>");
    expect(message.match(/blind@example\.org/g)).toHaveLength(1);
    expect(message).toContain("To: friend@example.org\r\n");
    expect(await detail(again.id)).toMatchObject({
      status: "delivered",
      to_addresses: [],
      bcc_addresses: ["blind@example.org"],
    });
  });

  it("is rejected when a complaint suppressed its only recipient, and goes out after the removal", async () => {
    const id = await send();
    await delivered(id, { recipients: { "friend@example.org": "550 5.1.1 nobody" } });
    await run("UPDATE suppressions SET reason = 'complaint' WHERE workspace = ?1", workspace.workspaceNumber);
    const again = await accepted(await retry(id));
    expect(again).toMatchObject({ status: "rejected", rejection_reason: "Every recipient is on the suppression list" });
    expect(await eventsOf(again.id)).toEqual(["retried", "suppressed", "rejected"]);
    await workspace.call("DELETE", "/v1/suppressions/friend@example.org");
    // No recipient of the second email was tried, so all of them are retried.
    const third = await accepted(await retry(again.id));
    expect(third.status).toBe("queued");
    expect((await detail(third.id)).retry_of_id).toBe(again.id);
  });

  it("does not retry recipients that were suppressed when others were refused", async () => {
    await workspace.post("/v1/suppressions/", { email: "b@example.org" });
    const id = await rejectedEmail({ to: [{ email: "a@example.org" }, { email: "b@example.org" }] });
    await workspace.call("DELETE", "/v1/suppressions/b@example.org");
    const again = await accepted(await retry(id));
    expect((await detail(again.id)).to_addresses).toEqual(["a@example.org"]);
  });

  it("returns the same 404 for a foreign, an unknown and a malformed id, and for an email of another domain", async () => {
    const foreignWorkspace = await aWorkspace();
    const { id: foreign } = await (
      await foreignWorkspace.withoutQueue.post("/v1/emails/", aMail(foreignWorkspace))
    ).json<{
      id: string;
    }>();
    const responses = [];
    for (const id of [foreign, crypto.randomUUID(), "nonsense"]) {
      const response = await retry(id);
      responses.push(`${response.status} ${await response.text()}`);
    }
    const other = apiWith(await aKey(workspace, { domainIds: [crypto.randomUUID()] }));
    const response = await retry(await rejectedEmail(), other);
    responses.push(`${response.status} ${await response.text()}`);
    expect(new Set(responses)).toEqual(new Set(['404 {"detail":"Email not found"}']));
    const own = createApiWithoutQueue(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await retry(await rejectedEmail(), own)).status).toBe(202);
  });

  it("is a 403 for a restricted account, and writes nothing", async () => {
    const id = await rejectedEmail();
    await run("UPDATE users SET restricted_at = 1 WHERE id = ?1", workspace.userId);
    const before = await objectsOf();
    expect((await retry(id)).status).toBe(403);
    expect(await objectsOf()).toEqual(before);
  });

  it("stores one copy of the content when concurrent calls carry one Idempotency-Key", async () => {
    const id = await rejectedEmail({ text: "x".repeat(20_000) });
    const calls = Array.from({ length: 6 }, () =>
      apiWithoutQueue.call("POST", `/v1/emails/${id}/retry`, undefined, { "Idempotency-Key": "once" }),
    );
    const [{ id: copy = "" } = {}] = await Promise.all((await Promise.all(calls)).map(accepted));
    expect(await objectsOf()).toEqual([id, copy].map((name) => `w/${workspace.workspaceId}/emails/${name}`).sort());
    const other = await apiWithoutQueue.call("POST", `/v1/emails/${copy}/retry`, undefined, {
      "Idempotency-Key": "once",
    });
    expect(other.status).toBe(409);
  });

  it("creates one email when a commit is ambiguous, and records no change of the original", async () => {
    const id = await rejectedEmail();
    const before = await database.rows("SELECT emails FROM changes WHERE workspace = ?1", [workspace.workspaceNumber]);
    let failures = 0;
    const failing = {
      prepare: (sql: string) => mail.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        const results = await mail.batch(statements);
        // The first batch only reads.
        if (results.some(({ meta }) => meta.changes > 0) && failures++ === 0) throw new Error("the response was lost");
        return results;
      },
    };
    const again = await accepted(
      await retry(id, apiOn({ [MAIL_BINDING]: failing, WORK: discardingQueue }, workspace.apiKey)),
    );
    expect(failures).toBeGreaterThan(0);
    const copies = await database
      .prepare("SELECT id, n FROM emails WHERE retry_of_id = ?1")
      .bind(id)
      .all<{ id: string; n: number }>();
    expect(copies.results.map((row) => row.id)).toEqual([again.id]);
    const after = await database.rows("SELECT emails FROM changes WHERE workspace = ?1 ORDER BY at_us", [
      workspace.workspaceNumber,
    ]);
    expect(after.slice(before.length)).toEqual([{ emails: JSON.stringify([copies.results[0]?.n]) }]);
  });
});
