import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { aGateway, aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
let message: ReturnType<typeof messagesOf>["message"];
let detail: ReturnType<typeof messagesOf>["detail"];
let count: ReturnType<typeof messagesOf>["count"];

beforeEach(async () => {
  ({ message, detail, count } = messagesOf(workspace));
});

describe("a message is refused", () => {
  const rows: [string, string | Uint8Array, RegExp][] = [
    ["with a bare LF", "From: a\r\n\r\nx\ny\r\n", /^554 5\.6\.0 .*bare LF/],
    ["with a bare CR", "From: a\r\n\r\nx\ry\r\n", /^554 5\.6\.0 .*bare CR/],
    ["with a NUL", "From: a\r\n\r\nx\u0000y\r\n", /^554 5\.6\.0 .*NUL/],
    ["with a line of 999 bytes", `From: a\r\n\r\n${"x".repeat(999)}\r\n`, /^554 5\.6\.0 a line is 999 bytes/],
    [
      "with a header of one word of 999 bytes",
      `From: a\r\nX-A: ${"x".repeat(998)}\r\n\r\nx\r\n`,
      /^554 5\.6\.0 a line is 999 bytes/,
    ],
    ["with a header line of 33 KB", `From: a\r\nX-A: ${"x ".repeat(17_000)}\r\n\r\nx\r\n`, /^554 5\.6\.0 a line is/],
    ["without a final CRLF", "From: a\r\n\r\nx", /^554 5\.6\.0 .*does not end in CRLF/],
    ["without From", "Subject: a\r\n\r\nx\r\n", /^554 5\.6\.0 .*no From/],
    ["that is empty", "", /^554 5\.6\.0 .*no From/],
    ["with a line that is no field", "From: a\r\nnonsense\r\n\r\nx\r\n", /^554 5\.6\.0 .*no field/],
    ["with a header that relays obey", "From: a\r\nX-SMTPAPI: {}\r\n\r\nx\r\n", /^554 5\.6\.0 X-SMTPAPI/],
    ["with a header of 300 KB", `From: a\r\n${"X-A: b\r\n".repeat(40_000)}\r\nx\r\n`, /^552 5\.3\.4 the header/],
    [
      "with 1,001 parts",
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n".repeat(1_001)}`,
      /^554 5\.6\.0 .*1000 parts/,
    ],
  ];
  for (const [what, raw, reply] of rows)
    it(what, async () => {
      const { submit } = await aSubmitter(workspace);
      expect((await submit(raw)).reply).toMatch(reply);
      expect(await count()).toBe(0);
    });

  it("that was cut off, and nothing of it is stored", async () => {
    const { gateway, token } = await aSubmitter(workspace);
    for (const end of ["", "\0", "\0en", "\r\n"])
      expect((await gateway.submit(token, workspace.mailbox, ["a@example.org"], message(), end)).reply).toMatch(
        /^451 4\.3\.0/,
      );
    expect(await count()).toBe(0);
    const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` });
    expect(objects).toEqual([]);
  });

  it.runIf(env.TEST_FULL)("with more than 24 MiB of attachments or 36 MiB in all", async () => {
    const { submit } = await aSubmitter(workspace);
    const head = message({ "Content-Type": "application/pdf", "Content-Transfer-Encoding": "base64" }, "");
    const line = `${"A".repeat(76)}\r\n`;
    expect((await submit(head + line.repeat(442_000))).reply).toMatch(/^552 5\.3\.4 the attachments decode to/);
    expect((await submit(head + line.repeat(485_000))).reply).toMatch(/^552 5\.3\.4 the message is larger/);
    expect(await count()).toBe(0);
    const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` });
    expect(objects).toEqual([]);
    const { id } = await submit(head + line.repeat(441_000));
    expect((await detail(id)).status).toBe("queued");
  });

  it("while the account is restricted for good, while sending is paused for now", async () => {
    const { submit, gateway, token } = await aSubmitter(workspace);
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { sending_paused: true });
    expect((await submit(message())).reply).toMatch(/^450 4\.7\.1/);
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toMatch(/^450 4\.7\.1/);
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { sending_paused: false });
    await database.run("UPDATE users SET restricted_at = 1 WHERE id = ?1", [workspace.userId]);
    expect((await submit(message())).reply).toMatch(/^550 5\.7\.1/);
    expect(await count()).toBe(0);
  });

  it("for now beyond the limit of sends a minute, which counts a group once", async () => {
    const { token, gateway } = await aSubmitter(
      workspace,
      aGateway({ SEND_RATE_LIMIT: (env as unknown as Record<string, RateLimit>).TEST_SEND_RATE_LIMIT }),
    );
    const group = (n: number) =>
      ["a", "b"].map((name) => ({ token, to: ["a@example.org"], text: message({ Subject: `${name}${n}` }) }));
    const submitted: (string | null)[][] = [];
    // Five groups a minute are allowed. The minute may change once meanwhile.
    while (submitted.length < 11 && !submitted.at(-1)?.[0]) {
      const replies = await gateway.submitGroup(workspace.mailbox, group(submitted.length));
      submitted.push(replies.map(({ reply }) => reply?.slice(0, 9) ?? null));
    }
    const allowed = submitted.length - 1;
    expect(submitted).toEqual([...Array(allowed).fill([null, null]), ["451 4.7.1", "451 4.7.1"]]);
    expect(allowed).toBeGreaterThanOrEqual(5);
    expect(await count()).toBe(2 * allowed);
  });

  it("for now while the mail database is full", async () => {
    const { submit } = await aSubmitter(workspace, aGateway({ SHARD_ACCEPT_LIMIT: "1" }));
    const setSize = (size: number) =>
      database.run("INSERT OR REPLACE INTO mail_shards (number, size) VALUES (?1, ?2)", [FILE_SHARD, size]);
    await setSize(2);
    expect((await submit(message())).reply).toMatch(/^452 4\.3\.1/);
    expect(await count()).toBe(0);
    await setSize(0);
    expect((await submit(message())).reply).toBeNull();
  });

  it("after the domain stopped being verified", async () => {
    const { submit } = await aSubmitter(workspace);
    await database.run("UPDATE domains SET status = 'failed' WHERE id = ?1", [workspace.domainId]);
    expect((await submit(message())).reply).toMatch(/^550 5\.7\.1 The sender's domain/);
  });
});
