/** Messages that the gateway submits together: POST /gateway/submission-groups. */
import { beforeEach, describe, expect, it } from "vitest";
import { aCredential } from "../../support/smtp-credentials.ts";
import { aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
let message: ReturnType<typeof messagesOf>["message"];
let detail: ReturnType<typeof messagesOf>["detail"];
let count: ReturnType<typeof messagesOf>["count"];
let sent: ReturnType<typeof messagesOf>["sent"];

beforeEach(async () => {
  ({ message, detail, count, sent } = messagesOf(workspace));
});

const to = ["friend@example.org"];

describe("messages that are submitted together", () => {
  it("are accepted each for itself, and leave as they were sent", async () => {
    const { token, gateway } = await aSubmitter(workspace);
    const texts = [1, 2, 3].map((n) => message({ Subject: `Message ${n}`, "Message-ID": `<${n}@c>`, Date: "x" }));
    const responses = await gateway.submitGroup(
      workspace.mailbox,
      texts.map((text, n) => ({ token, to: [`r${n}@example.org`], text })),
    );
    expect(responses.map(({ reply }) => reply)).toEqual([null, null, null]);
    for (const [n, { id }] of responses.entries())
      expect(await detail(id)).toMatchObject({ subject: `Message ${n + 1}`, source: "smtp", status: "queued" });
    const { unsigned, rcpts } = await sent(responses[0]?.id);
    expect(unsigned).toBe(texts[0]);
    expect(rcpts.join()).toContain("<r0@example.org>");
  });

  it("get a refusal each of its own, and the others are accepted", async () => {
    const { token, gateway } = await aSubmitter(workspace);
    await workspace.post("/v1/suppressions/", { email: "gone@example.org" });
    const ended = await aCredential(await aWorkspace());
    const foreign = (await gateway.login(ended)).token ?? "";
    const responses = await gateway.submitGroup(workspace.mailbox, [
      { token, to, text: message({ Subject: "good" }) },
      { token, to, text: message({ From: "boss@bank.example" }) },
      { token: "no token", to, text: message() },
      { token: foreign, to, text: message() },
      { token, to: ["gone@example.org"], text: message({ Subject: "suppressed" }) },
      { token, to: ["not an address"], text: message() },
      { token, to, text: message({ Subject: "good too" }) },
    ]);
    const replies = responses.map(({ reply }) => reply?.slice(0, 9) ?? null);
    expect(replies).toEqual([null, "550 5.7.1", "421 4.7.0", "550 5.7.1", null, "553 5.1.3", null]);
    expect((await detail(responses[4]?.id)).status).toBe("rejected");
    expect(await count()).toBe(3);
  });

  it("that are equal on two connections, or repeats of an earlier one, are one email", async () => {
    const { token, gateway, credential } = await aSubmitter(workspace);
    const { token: second = "" } = await gateway.login(credential, "c2");
    const first = await gateway.submit(token, workspace.mailbox, to, message({ Subject: "first" }));
    const responses = await gateway.submitGroup(workspace.mailbox, [
      { token, to, text: message({ Subject: "equal" }) },
      { token: second, to, text: message({ Subject: "equal" }) },
      { token: second, to, text: message({ Subject: "first" }) },
      { token, to, text: message({ Subject: "other" }) },
    ]);
    const ids = responses.map(({ id }) => id);
    expect(responses.map(({ reply }) => reply)).toEqual([null, null, null, null]);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).toBe(first.id);
    expect(await count()).toBe(3);
  });

  it("with one token are of the connections that the gateway names", async () => {
    const { token, gateway } = await aSubmitter(workspace);
    const send = async (connection: string, sequence: number) => {
      const item = { token, connection, sequence, to, text: message({ Subject: "same" }) };
      return (await gateway.submitGroup(workspace.mailbox, [item]))[0];
    };
    const first = await send("c1", 0);
    expect((await send("c2", 0))?.id).toBe(first?.id);
    const second = await send("c1", 1);
    expect(second?.id).not.toBe(first?.id);
    await gateway.confirm(token, [second?.repeat], "c2");
    expect((await send("c3", 0))?.id).toBe(second?.id);
    await gateway.confirm(token, [second?.repeat], "c1");
    expect([first?.id, second?.id]).not.toContain((await send("c3", 0))?.id);
  });

  it("are second emails on a connection whose client has received the repeat of an earlier one", async () => {
    const { token, gateway } = await aSubmitter(workspace);
    const item = (connection: string, sequence: number, Subject: string) => ({
      token,
      connection,
      sequence,
      to,
      text: message({ Subject }),
    });
    const send = async (...items: ReturnType<typeof item>[]) =>
      (await gateway.submitGroup(workspace.mailbox, items)).map(({ id }) => id);
    const lost = await send(item("c1", 0, "a"), item("c1", 1, "b"));
    expect(await send(item("c2", 0, "a"), item("c2", 1, "b"))).toEqual(lost);
    const again = await send(item("c2", 2, "a"), item("c2", 3, "b"));
    expect(new Set([...lost, ...again]).size).toBe(4);
    expect(await count()).toBe(4);
  });

  it("are all refused after the credential was deleted", async () => {
    const { token, gateway, credential } = await aSubmitter(workspace);
    await workspace.call("DELETE", `/v1/smtp-credentials/${credential.id}`);
    const responses = await gateway.submitGroup(
      workspace.mailbox,
      ["a", "b"].map((Subject) => ({ token, to, text: message({ Subject }) })),
    );
    expect(responses.map(({ reply }) => reply?.slice(0, 9))).toEqual(["535 5.7.8", "535 5.7.8"]);
  });

  it("of a group that was cut off anywhere are not accepted, nor is a malformed group", async () => {
    const { token, gateway } = await aSubmitter(workspace);
    const group = ["a", "b"].map((Subject) => ({ token, to, text: message({ Subject }) }));
    for (const cut of [1, 4, 5, 100, 300, 700])
      await expect(gateway.submitGroup(workspace.mailbox, group, cut), String(cut)).rejects.toThrow("400");
    const unmarked = group.map((item) => ({ ...item, end: "" }));
    await expect(gateway.submitGroup(workspace.mailbox, unmarked)).rejects.toThrow("400");
    await expect(gateway.submitGroup(workspace.mailbox, [])).rejects.toThrow("400");
    await expect(gateway.submitGroup(workspace.mailbox, Array(65).fill(group[0]))).rejects.toThrow("400");
    const large = { token, to, text: message({}, "x\n".repeat(1_100_000)) };
    await expect(gateway.submitGroup(workspace.mailbox, [large])).rejects.toThrow("400");
    expect(await count()).toBe(0);
  });
});

describe("logins of several connections", () => {
  const connections = ["c1", "c2", "c3"].map((connection, n) => ({ connection, ip: `192.0.2.${n}` }));

  it("get a session each", async () => {
    const { credential, gateway } = await aSubmitter(workspace);
    const { username, password } = credential;
    const { answers: responses = [] } = await gateway.call("sessions", { username, password, connections });
    expect(responses.map(({ reply }) => reply)).toEqual([null, null, null]);
    expect(new Set(responses.map(({ token }) => token)).size).toBe(3);
    for (const { token = "" } of responses)
      expect((await gateway.checkSender(token, workspace.mailbox)).reply).toBeNull();
  });

  it("are each refused with a wrong password, and each counts as a failure", async () => {
    const { credential, gateway } = await aSubmitter(workspace);
    const guess = { username: credential.username, password: "wrong" };
    const guesses = Array.from({ length: 12 }, (_, n) => ({ connection: `g${n}`, ip: "198.51.100.7" }));
    const { answers: responses = [] } = await gateway.call("sessions", { ...guess, connections: guesses });
    const replies = responses.map(({ reply }) => reply?.slice(0, 9));
    expect(replies).toEqual([...Array(10).fill("535 5.7.8"), ...Array(2).fill("454 4.7.0")]);
  });

  it("are not more than 16 in a call", async () => {
    const { credential, gateway } = await aSubmitter(workspace);
    const login = { username: credential.username, password: credential.password };
    const many = Array.from({ length: 17 }, (_, n) => ({ connection: `c${n}`, ip: "192.0.2.1" }));
    await expect(gateway.call("sessions", { ...login, connections: many })).rejects.toThrow("422");
    await expect(gateway.call("sessions", { ...login, connections: [] })).rejects.toThrow("422");
  });
});

describe("returns that several connections have received", () => {
  it("are forgotten for these connections only", async () => {
    const { token, gateway, credential } = await aSubmitter(workspace);
    const { token: second = "" } = await gateway.login(credential, "c2");
    const submit = (by: string, Subject: string) => gateway.submit(by, workspace.mailbox, to, message({ Subject }));
    const [a, b, c] = [await submit(token, "a"), await submit(second, "b"), await submit(second, "c")];
    const confirmations = [
      { token, connection: "c1", keys: [a.repeat, c.repeat] },
      { token: second, connection: "c2", keys: [b.repeat] },
      { token: "ended", connection: "c2", keys: [c.repeat] },
    ];
    await gateway.call("confirmations", { confirmations });
    const { token: third = "" } = await gateway.login(credential, "c3");
    expect((await submit(third, "a")).id).not.toBe(a.id);
    expect((await submit(third, "b")).id).not.toBe(b.id);
    expect((await submit(third, "c")).id).toBe(c.id);
  });
});
