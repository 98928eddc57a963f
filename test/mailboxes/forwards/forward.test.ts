import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { RecipientResult } from "../../../src/mail/smtp/transport.ts";
import { receiveMail } from "../../../src/mailboxes/inbound/index.ts";
import { database } from "../../support/databases.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aRule, confirmTarget } from "../forwarding-rules/support.ts";
import { aRawMessage } from "../inbound/support.ts";
import { arrive, collectingEgress, eventsOf, forwardAt, forwardRows } from "./support.ts";

const FRIEND = "friend@example.net";
const workspace = perTest(aWorkspace);

const toFriend = { action: { type: "address", target: FRIEND } };
const listOf = async (id: string, folder = "INBOX") =>
  (await env.MAILBOX.getByName(id).list(folder, { limit: 50, offset: 0 }))?.items ?? [];
const header = (raw: string) => raw.slice(0, raw.indexOf("\r\n\r\n") + 2);

describe("a rule with an outside address", () => {
  it("forwards nothing before the address has confirmed, and once after it", async () => {
    await aRule(workspace, toFriend).catch(() => null);
    const rule = await database.value("SELECT count(*) AS n FROM forwarding_rules WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    // Without a mailbox of the service nobody can be asked.
    expect(rule).toBe(0);
    await confirmTarget(workspace, FRIEND);
    await aRule(workspace, toFriend);
    await database.run("UPDATE forward_targets SET confirmed_at = NULL WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    await arrive(workspace.mailbox, aRawMessage());
    expect(await forwardRows(workspace)).toEqual([]);
    await confirmTarget(workspace, FRIEND);
    await arrive(workspace.mailbox, aRawMessage());
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    await forwardAt(workspace, egress);
    expect(sent.map(({ to }) => to)).toEqual([FRIEND]);
  });

  it("sends the message unchanged below new trace fields, from a signed return path", async () => {
    await confirmTarget(workspace, FRIEND);
    const rule = await aRule(workspace, toFriend);
    const raw = aRawMessage({ "DKIM-Signature": "v=1; a=rsa-sha256; d=example.org; s=s1; b=abc" });
    await arrive(workspace.mailbox, raw);
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    const [message = { from: "", to: "", raw: "" }] = sent;
    expect(message.raw.endsWith(raw)).toBe(true);
    expect(header(message.raw)).toMatch(
      /^ARC-Seal: i=1; [\s\S]*\r\nARC-Message-Signature: i=1; [\s\S]*\r\nARC-Authentication-Results: i=1; [\s\S]*\r\nReceived: by /,
    );
    expect(header(message.raw)).toContain(`\r\nDelivered-To: ${workspace.mailbox}\r\n`);
    expect(message.from).toMatch(/^f[a-z2-7]{56}@/);
    expect(await eventsOf(workspace)).toEqual([
      expect.objectContaining({ event: "stored" }),
      expect.objectContaining({ event: "forwarded", rule_id: rule.id, target: FRIEND }),
    ]);
    expect((await listOf(workspace.mailboxId)).length).toBe(1);
  });

  it("sends a message that is too large for memory as it was stored, with CRLF and its exact size", async () => {
    await confirmTarget(workspace, FRIEND);
    await aRule(workspace, toFriend);
    const raw = aRawMessage({}, "A line.\n".repeat(200_000));
    await arrive(workspace.mailbox, raw);
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    const [message = { raw: "" }] = sent;
    expect(message.raw.endsWith(raw.replace(/\r?\n/g, "\r\n"))).toBe(true);
    expect(header(message.raw)).toMatch(/^ARC-Seal: i=1; /);
  });

  it("is tried again later, then given up, with its reason in the log", async () => {
    await confirmTarget(workspace, FRIEND);
    await aRule(workspace, toFriend);
    await arrive(workspace.mailbox, aRawMessage());
    const later: RecipientResult = { kind: "deferred", phase: "rcpt", reply: null, reason: "busy" };
    const { egress, sent } = collectingEgress([later]);
    await forwardAt(workspace, egress);
    await forwardAt(workspace, egress);
    expect([sent.length, (await forwardRows(workspace)).length]).toEqual([0, 1]);
    await forwardAt(workspace, egress, Date.now() + 120_000);
    expect([sent.length, (await forwardRows(workspace)).length]).toEqual([1, 0]);
    await arrive(workspace.mailbox, aRawMessage());
    const always = collectingEgress(Array(8).fill(later));
    for (let day = 1; day < 12; day++) await forwardAt(workspace, always.egress, Date.now() + day * 2 * 86_400_000);
    expect([always.sent.length, await forwardRows(workspace)]).toEqual([0, []]);
    expect((await eventsOf(workspace)).at(-1)).toMatchObject({ event: "forward_failed", reason: "busy" });
    await arrive(workspace.mailbox, aRawMessage());
    const reply = { code: 550, enhanced: "5.1.1", text: "No such user" };
    await forwardAt(workspace, collectingEgress([{ kind: "recipient-refused", phase: "rcpt", reply }]).egress);
    expect((await eventsOf(workspace)).at(-1)).toMatchObject({
      event: "forward_failed",
      reason: "550 5.1.1 No such user",
    });
  });

  it("stops with the rule, the confirmation, a suppression and the owner of the domain", async () => {
    await confirmTarget(workspace, FRIEND);
    const rule = await aRule(workspace, toFriend);
    const { egress, sent } = collectingEgress();
    const ends: [string, () => Promise<unknown>][] = [
      ["suppressed", () => workspace.post("/v1/suppressions/", { email: FRIEND })],
      ["unverified", () => database.run("UPDATE domains SET status = 'failed' WHERE id = ?1", [workspace.domainId])],
      ["deleted", () => workspace.call("DELETE", `/v1/forwarding-rules/${rule.id}`)],
    ];
    for (const [name, end] of ends) {
      await database.run("UPDATE domains SET status = 'verified' WHERE id = ?1", [workspace.domainId]);
      await arrive(workspace.mailbox, aRawMessage());
      await end();
      await forwardAt(workspace, egress);
      expect([sent.length, (await eventsOf(workspace)).at(-1)?.event], name).toEqual([0, "forward_failed"]);
    }
  });
});

describe("what is forwarded", () => {
  it("is mail that matches, once for each rule in their order, also to other mailboxes", async () => {
    await confirmTarget(workspace, FRIEND);
    await aRule(workspace, { ...toFriend, match: { subject_contains: "invoice" }, position: 2 });
    const { id } = await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "books" });
    await aRule(workspace, { action: { type: "mailbox", target: id }, match: { from: "@example.org" }, position: 1 });
    await aRule(workspace, { ...toFriend, mailbox_id: id, domain_id: null, position: 0 });
    const { egress, sent } = collectingEgress();
    for (const Subject of ["Your invoice", "Other"]) await arrive(workspace.mailbox, aRawMessage({ Subject }));
    await forwardAt(workspace, egress);
    expect(sent.map(({ to }) => to)).toEqual([FRIEND]);
    expect((await listOf(id)).map(({ subject }) => subject).sort()).toEqual(["Other", "Your invoice"]);
    expect(await forwardRows(workspace)).toEqual([]);
    const size = await database.value<number>("SELECT used_bytes FROM mailboxes WHERE id = ?1", [id]);
    expect(size).toBeGreaterThan(0);
  });

  it("is not spam: mail that fails DMARC, and mail of a blocked sender, also when it is delivered again", async () => {
    await confirmTarget(workspace, FRIEND);
    await aRule(workspace, toFriend);
    const raw = aRawMessage();
    const dmarc = { result: "fail", domain: "example.org" };
    const spoofed = (policy: string | null) =>
      receiveMail(testContext(), {
        from: "ada@example.org",
        to: workspace.mailbox,
        raw: new Blob([raw]).stream(),
        size: null,
        authentication: { spf: null, dkim: [], dmarc, dmarc_policy: policy, arc: null },
      });
    await spoofed("reject");
    await spoofed(null);
    await env.MAILBOX.getByName(workspace.mailboxId).replaceBlockedSenders(["bob@example.org"]);
    await arrive(workspace.mailbox, aRawMessage({ From: "Bob@example.org" }));
    expect([await forwardRows(workspace), (await listOf(workspace.mailboxId, "Spam")).length]).toEqual([[], 2]);
  });

  it("reaches no target that its rule has no more when the forward leaves", async () => {
    await confirmTarget(workspace, FRIEND);
    await confirmTarget(workspace, "other@example.net");
    const [first, second] = await Promise.all(
      ["books", "desk"].map(async (local_part) => {
        return (await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part })).id;
      }),
    );
    const toMailbox = await aRule(workspace, { action: { type: "mailbox", target: first } });
    const toAddress = await aRule(workspace, toFriend);
    await arrive(workspace.mailbox, aRawMessage());
    const change = (id: string, action: object) => workspace.call("PATCH", `/v1/forwarding-rules/${id}`, { action });
    expect((await change(toMailbox.id, { type: "mailbox", target: second })).status).toBe(200);
    expect((await change(toAddress.id, { type: "address", target: "other@example.net" })).status).toBe(200);
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    expect([await listOf(first ?? ""), sent]).toEqual([[], []]);
    expect((await eventsOf(workspace)).map(({ event }) => event)).toEqual([
      "stored",
      "forward_failed",
      "forward_failed",
    ]);
  });

  it("is forwarded once although it is delivered again, before and after its forward", async () => {
    await confirmTarget(workspace, FRIEND);
    await aRule(workspace, toFriend);
    const raw = aRawMessage();
    const { egress, sent } = collectingEgress();
    await arrive(workspace.mailbox, raw);
    await arrive(workspace.mailbox, `Received: again\r\n${raw}`);
    expect((await forwardRows(workspace)).length).toBe(1);
    await forwardAt(workspace, egress);
    await arrive(workspace.mailbox, raw);
    await forwardAt(workspace, egress);
    expect(sent.length).toBe(1);
  });
});

it("a loop between two domains stops, although a server on the way changes each copy", async () => {
  const other = await aWorkspace();
  await confirmTarget(workspace, other.mailbox);
  await confirmTarget(other, workspace.mailbox);
  await aRule(workspace, { action: { type: "address", target: other.mailbox } });
  await aRule(other, { action: { type: "address", target: workspace.mailbox } });
  const { egress, sent } = collectingEgress();
  await arrive(workspace.mailbox, aRawMessage());
  let hops = 0;
  for (; hops < 40; hops++) {
    await forwardAt(workspace, egress);
    await forwardAt(other, egress);
    const [next] = sent.splice(0);
    if (!next) break;
    // A list that changes the text: the copy is not known as a repeated delivery.
    await arrive(next.to, `${next.raw}Footer ${hops}\r\n`, { from: next.from });
  }
  expect(hops).toBe(2);
  expect((await eventsOf(workspace)).map(({ event }) => event)).toEqual([
    "stored",
    "forwarded",
    "stored",
    "not_forwarded",
  ]);
  expect([(await listOf(workspace.mailboxId)).length, (await listOf(other.mailboxId)).length]).toEqual([2, 1]);
});

it("a bounce of a forward is an event of the inbound log, once, and reaches no mailbox and no suppression list", async () => {
  await confirmTarget(workspace, FRIEND);
  await aRule(workspace, toFriend);
  await arrive(workspace.mailbox, aRawMessage());
  const { egress, sent } = collectingEgress();
  await forwardAt(workspace, egress);
  const [{ from } = { from: "" }] = sent;
  const type = 'multipart/report; report-type=delivery-status; boundary="b"';
  const report = `--b\r\n\r\nFailed.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.net\r\n\r\nFinal-Recipient: rfc822; ${FRIEND}\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 gone\r\n--b--\r\n`;
  const bounce = aRawMessage({ From: "MAILER-DAEMON@example.net", To: from, "Content-Type": type }, report);
  const forged = `${from[0]}${"a".repeat(56)}${from.slice(57)}`;
  expect(await arrive(forged, bounce, { from: "" })).toBe("550 5.1.1 No such recipient");
  expect([await arrive(from, bounce, { from: "" }), await arrive(from.toUpperCase(), bounce, { from: "" })]).toEqual([
    null,
    null,
  ]);
  expect(
    await arrive(from, aRawMessage({ Subject: "Out of office", "Auto-Submitted": "auto-replied" }), { from: FRIEND }),
  ).toBeNull();
  expect((await eventsOf(workspace)).slice(2)).toEqual([
    expect.objectContaining({ event: "forward_bounced", dsn: "5.1.1" }),
  ]);
  expect((await listOf(workspace.mailboxId)).length).toBe(1);
  expect(await (await workspace.get("/v1/suppressions/")).json()).toEqual([]);
});
