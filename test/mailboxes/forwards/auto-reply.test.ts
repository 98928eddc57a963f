import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Authentication } from "../../../src/mail/authentication-results/stored-results.ts";
import { parseMessage } from "../../../src/mail/messages/parse.ts";
import { mayReply } from "../../../src/mailboxes/auto-replies/index.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aRawMessage } from "../inbound/support.ts";
import { arrive as arriveAt, collectingEgress, eventsOf, forwardAt, forwardRows } from "./support.ts";

const DAY = 86_400_000;
const workspace = perTest(aWorkspace);
const arrive = (to: string, raw: string, options: { from?: string } = {}) =>
  arriveAt(to, raw, { isAuthentic: true, ...options });
const path = () => `/v1/inbox/${workspace.mailboxId}/auto-reply`;
const set = (reply: object) => workspace.call("PUT", path(), { is_active: true, text: "I am away.", ...reply });
const toMailbox = (changes: Record<string, string | undefined> = {}) =>
  aRawMessage({ To: `Hello <${workspace.mailbox}>`, ...changes });

/** A local part of the form that the signed addresses of the service have. */
const newLocalPart = (kind: string) => `${kind}${"a2bcdefg".repeat(7)}`;

describe("an email gets a reply", () => {
  const replies = (
    changes: Record<string, string>,
    from = "ada@example.org",
    authentication: Authentication | null = {
      spf: { result: "pass", domain: from.split("@").at(-1) ?? "" },
      dkim: [],
      dmarc: null,
    },
  ) => {
    const { fields, to, cc, subject } = parseMessage(new TextEncoder().encode(aRawMessage(changes)));
    const addressed = [...to, ...cc].map(({ email }) => email);
    return mayReply({ from, fields, subject, addressed, mailbox: "hello@example.com", authentication });
  };
  const signed = (domain: string, result = "pass") => ({
    ...{ spf: { result: "fail", domain: "example.org" }, dmarc: null },
    dkim: [{ result, domain, selector: "s" }],
  });

  it.each(["out.example.org", "example.org", "Example.ORG"])("whose return path DKIM of %s authenticates", (domain) => {
    expect(replies({}, "ada@out.example.org", signed(domain))).toBe(true);
  });

  it.each<[string, Authentication | null]>([
    ["no server has checked", null],
    ["SPF fails", { spf: { result: "fail", domain: "example.org" }, dkim: [], dmarc: null }],
    ["SPF passes for another domain", { spf: { result: "pass", domain: "forged.example" }, dkim: [], dmarc: null }],
    ["another domain has signed", signed("ample.org")],
    ["a domain below it has signed", signed("out.example.org")],
    ["a signature is not valid", signed("example.org", "fail")],
  ])("but none for whose return path %s", (_, authentication) => {
    expect(replies({}, "ada@example.org", authentication)).toBe(false);
  });

  it.each<[string, Record<string, string>, string?]>([
    ["that names the mailbox in To", {}],
    ["in Cc", { To: "other@example.org", Cc: "x <HELLO@example.com>" }],
    ["with a plus-label", { To: "hello+news@example.com" }],
    ["with Auto-Submitted: no", { "Auto-Submitted": "no" }],
    ["about a vacation", { Subject: "Vacation pictures and our next meeting" }],
    ["about an office", { Subject: "Re: the new office" }],
    ["that a forwarder rewrote (SRS)", {}, "SRS0=HHH=TT=example.net=ada@forwarder.example.org"],
    ["with a tagged return path (BATV)", {}, "prvs=1234567890=ada@example.org"],
    ["with a plus-label of the sender", {}, "ada+news@example.org"],
  ])("%s", (_, changes, from) => {
    expect(replies(changes, from)).toBe(true);
  });

  it.each<[string, Record<string, string>, string?]>([
    ["that names the mailbox nowhere", { To: "undisclosed-recipients:;" }],
    ["of a bounce", {}, ""],
    ["of the mailbox itself", {}, "Hello@Example.com"],
    ["of a list", { "List-Id": "<a.example.org>" }],
    ["of a list that can be left", { "List-Unsubscribe": "<https://example.org/u>" }],
    ["with Precedence: bulk", { Precedence: "bulk" }],
    ["with Precedence: List", { Precedence: " List" }],
    ["that is an automatic reply", { "Auto-Submitted": "auto-replied" }],
    ["that a program made", { "Auto-Submitted": "auto-generated; x=y" }],
    ["that asks for none", { "X-Auto-Response-Suppress": "DR, OOF, AutoReply" }],
    ["that is a report", { "Content-Type": "multipart/report; boundary=b" }],
    ...[
      "noreply",
      "no-reply-7",
      "do_not_reply",
      "MAILER-DAEMON",
      "postmaster",
      "owner-list",
      "list-request",
      "list-bounces",
    ].map((local): [string, Record<string, string>, string] => [`from ${local}`, {}, `${local}@example.org`]),
    ...[
      "news-bounces+ada=example.org",
      "news-bounces+hello",
      "mailman-bounces",
      "mailman",
      "news-confirm+0123456789abcdef",
      "news-return-42-hello=example.com",
      "bounce-42_HTML-1234",
      "bounces+123-ab-hello=example.com",
      "notice-hello=example.com",
      "0102018f3c6b1a2b-1f2e3d4c-0000-4000-8000-0123456789ab-000000",
      newLocalPart("b"),
      newLocalPart("f"),
      newLocalPart("u"),
    ].map((local): [string, Record<string, string>, string] => [
      `to the return path ${local}`,
      {},
      `${local}@example.org`,
    ]),
    ["of a notice from a domain of bounces", {}, "ada@bounces.example.org"],
    ["with Precedence: auto_reply", { Precedence: "auto_reply" }],
    ...["X-Autoreply", "X-Autorespond", "X-Auto-Reply", "X-Vacation", "X-Mail-Autoreply", "X-Autoresponder"].map(
      (name): [string, Record<string, string>] => [`with ${name}`, { [name]: "yes" }],
    ),
    ...[
      "Out of Office",
      "Out of Office: your receipt",
      "Automatische Antwort: Ihre Quittung",
      "Automatic reply: your receipt",
      "Auto: your receipt",
      "R\u00e9ponse automatique : votre re\u00e7u",
      "Abwesenheitsnotiz",
      "Autosvar: kvitto",
      "\u81ea\u52a8\u56de\u590d: x",
    ].map((Subject): [string, Record<string, string>] => [`with the subject ${Subject}`, { Subject }]),
    ["with a null Return-Path", { "Return-Path": "<>" }],
    ["of a feedback loop's id", { "Feedback-ID": "a:b:c:d" }],
    ["with a return path of several lines", {}, "ada@example.org\r\nX: y"],
  ])("but none %s", (_, changes, from) => {
    expect(replies(changes, from)).toBe(false);
  });
});

describe("the automatic reply of a mailbox", () => {
  it("is off at first, is replaced as a whole, and refuses what is not valid", async () => {
    const off = { is_active: false, starts_at: null, ends_at: null, subject: null, text: "" };
    expect(await (await workspace.get(path())).json()).toEqual(off);
    const full = {
      is_active: true,
      starts_at: "2026-12-01T09:00:00+01:00",
      ends_at: "2026-12-02T00:00:00Z",
      subject: "Away",
    };
    expect((await set(full)).status).toBe(200);
    const stored = {
      ...full,
      starts_at: "2026-12-01T08:00:00.000Z",
      ends_at: "2026-12-02T00:00:00.000Z",
      text: "I am away.",
    };
    expect(await (await workspace.get(path())).json()).toEqual(stored);
    await set({ is_active: false });
    expect(await (await workspace.get(path())).json()).toEqual({ ...off, text: "I am away." });
    const issues = [
      { subject: "a\r\nBcc: b@example.org" },
      { subject: "a\0" },
      { text: "" },
      { text: "x".repeat(20_001) },
    ];
    const times = [{ starts_at: "tomorrow" }, { ends_at: "2026-12-01T08:00:00" }, { ...full, ends_at: full.starts_at }];
    for (const issue of [...issues, ...times])
      expect((await set(issue)).status, JSON.stringify(issue).slice(0, 80)).toBe(422);
  });

  it("goes to the return path with a null return path, signed, as a reply, once a day to a sender", async () => {
    await set({ subject: "Am Strand \u{1f3d6}", text: "Ich bin verreist.\n\nGr\u00fc\u00dfe" });
    const raw = toMailbox({ "Message-ID": "<42@example.org>", "Reply-To": "else@example.org" });
    await arrive(workspace.mailbox, raw, { from: "return@example.org" });
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    const [reply = { from: "?", to: "", raw: "" }] = sent;
    expect([reply.from, reply.to]).toEqual(["", "return@example.org"]);
    const { fields, ...parsed } = parseMessage(Uint8Array.from(reply.raw, (char) => char.charCodeAt(0)));
    expect(parsed).toMatchObject({
      from: { email: workspace.mailbox },
      to: [{ email: "return@example.org" }],
      subject: "Am Strand \u{1f3d6}",
      inReplyTo: "<42@example.org>",
      references: ["<42@example.org>"],
      problem: null,
    });
    expect(parsed.text.replaceAll("\r\n", "\n").trim()).toBe("Ich bin verreist.\n\nGr\u00fc\u00dfe");
    expect([fields.get("auto-submitted"), fields.has("dkim-signature")]).toEqual(["auto-replied", true]);
    await arrive(workspace.mailbox, raw, { from: "return@example.org" });
    await arrive(workspace.mailbox, toMailbox(), { from: "Return@example.org" });
    await arrive(workspace.mailbox, toMailbox(), { from: "other@example.org" });
    await forwardAt(workspace, egress);
    expect(sent.map(({ to }) => to)).toEqual(["return@example.org", "other@example.org"]);
    expect((await eventsOf(workspace)).map(({ event }) => event).sort()).toEqual([
      "answered",
      "answered",
      "not_answered",
      "stored",
      "stored",
      "stored",
    ]);
    const store = env.MAILBOX.getByName(workspace.mailboxId);
    expect(await store.takeReplyTurn("return@example.org", "new", Date.now() + DAY - 60_000)).toBe(false);
    expect(await store.takeReplyTurn("return@example.org", "new", Date.now() + DAY + 60_000)).toBe(true);
  });

  it("is not sent to a forged sender, and to no more than 100 senders in an hour", async () => {
    await set({});
    await arriveAt(workspace.mailbox, toMailbox());
    expect(await forwardRows(workspace)).toEqual([]);
    const store = env.MAILBOX.getByName(workspace.mailboxId);
    const now = Date.now();
    for (let n = 0; n < 100; n++) expect(await store.takeReplyTurn(`sender${n}@example.org`, `${n}`, now)).toBe(true);
    await arrive(workspace.mailbox, toMailbox());
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    expect([sent, (await eventsOf(workspace)).at(-1)?.event]).toEqual([[], "not_answered"]);
    expect(await store.takeReplyTurn("sender99@example.org", "99", now + 60_000)).toBe(true);
    expect(await store.takeReplyTurn("later@example.org", "later", now + 3_600_000)).toBe(true);
  });

  it("is sent only between its times, and not once it is switched off", async () => {
    const { egress, sent } = collectingEgress();
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    for (const reply of [{ starts_at: at(DAY) }, { ends_at: at(-1_000) }]) {
      await set(reply);
      await arrive(workspace.mailbox, toMailbox());
      await forwardAt(workspace, egress);
    }
    await set({});
    await arrive(workspace.mailbox, toMailbox());
    await set({ is_active: false });
    await forwardAt(workspace, egress);
    await arrive(workspace.mailbox, toMailbox());
    expect([sent.length, await forwardRows(workspace)]).toEqual([0, []]);
    await set({ starts_at: at(-1_000), ends_at: at(DAY) });
    await arrive(workspace.mailbox, toMailbox());
    await forwardAt(workspace, egress);
    expect(sent.length).toBe(1);
  });

  it("puts nothing of the email it replies to into its header but an encoded subject", async () => {
    await set({});
    const Subject = "=?utf-8?q?a=0D=0ABcc=3A_victim=40example.org?=";
    await arrive(workspace.mailbox, toMailbox({ Subject, "Message-ID": "<a b@c>" }));
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    const { fields, bcc, subject } = parseMessage(Uint8Array.from(sent[0]?.raw ?? "", (char) => char.charCodeAt(0)));
    expect([bcc, subject, fields.has("in-reply-to")]).toEqual([[], "Auto: a Bcc: victim@example.org", false]);
  });

  it("does not reply to an email whose subject or return path is that of a program", async () => {
    await set({});
    await arrive(workspace.mailbox, toMailbox({ Subject: "Automatische Antwort: Ihre Quittung" }));
    await arrive(workspace.mailbox, toMailbox(), { from: "news-bounces+ada=example.org@lists.example.org" });
    expect(await forwardRows(workspace)).toEqual([]);
  });

  it("does not reply to spam, and two mailboxes that are away do not reply to each other", async () => {
    await set({});
    await env.MAILBOX.getByName(workspace.mailboxId).replaceBlockedSenders(["ada@example.org"]);
    await arrive(workspace.mailbox, toMailbox());
    expect(await forwardRows(workspace)).toEqual([]);
    const other = await aWorkspace();
    await other.call("PUT", `/v1/inbox/${other.mailboxId}/auto-reply`, { is_active: true, text: "Away too." });
    await arrive(workspace.mailbox, toMailbox({ From: other.mailbox }), { from: other.mailbox });
    const { egress, sent } = collectingEgress();
    await forwardAt(workspace, egress);
    const [{ from, to, raw } = { from: "?", to: "", raw: "" }] = sent;
    await arrive(to, raw, { from });
    expect([from, to, await forwardRows(other)]).toEqual(["", other.mailbox, []]);
  });
});
