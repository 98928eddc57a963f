import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";
import { fromDaemon, lines, report } from "../../mail/reports/samples.ts";
import { database } from "../../support/databases.ts";
import { runMainRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aMail, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

interface EmailDetail {
  status: string;
  events: { event_type: string; metadata: Record<string, unknown> | null }[];
}

const workspace = perTest(aWorkspace);

/** Sends an email, dispatches it, and returns its id and its return path. */
async function sendAndDispatch(changes: Record<string, unknown> = {}, of = workspace) {
  const server = await sinkServer();
  const apiWithoutQueue = of.withoutQueue;
  const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(of, changes));
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
  const line = (await server.commands()).find((command) => command.startsWith("MAIL FROM"));
  await server.close();
  return { id, returnPath: pathIn(line) };
}

/** Delivers a message to the Worker's email handler. Returns the rejection, if any. */
async function deliver(to: string, raw: string | Uint8Array, from = ""): Promise<string | null> {
  const bytes = typeof raw === "string" ? new TextEncoder().encode(raw) : raw;
  let rejection: string | null = null;
  await receiveEmail(
    {
      from,
      to,
      headers: new Headers(),
      raw: new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(),
      rawSize: bytes.byteLength,
      setReject: (reason: string) => {
        rejection = reason;
      },
      forward: async () => ({ messageId: "" }),
      reply: async () => ({ messageId: "" }),
    } as unknown as ForwardableEmailMessage,
    env,
  );
  return rejection;
}

const readEmail = async (id: string, of = workspace) => (await of.get(`/v1/emails/${id}`)).json<EmailDetail>();
const typesOf = ({ events }: EmailDetail) => events.map(({ event_type }) => event_type);

const failure = (recipient: string, status = "5.1.1", action = "failed") =>
  report({
    blocks: [
      "Reporting-MTA: dns; mx.y.test",
      lines(
        `Final-Recipient: rfc822; ${recipient}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${status.startsWith("5") ? "550" : "451"} ${status} as it is`,
      ),
    ],
  });

const complaint = (about: string, extra: string[] = []) =>
  lines(
    "From: fbl@loop.test",
    "Subject: complaint",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "A complaint.",
    "--b",
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: abuse",
    "User-Agent: Loop/1.0",
    "Version: 1",
    ...(about === "" ? [] : [`Original-Mail-From: <${about}>`]),
    ...extra,
    "",
    "--b",
    "Content-Type: message/rfc822",
    "",
    "Subject: A subject",
    "",
    "--b--",
    "",
  );

async function suppressed(of = workspace): Promise<string[]> {
  const list = await (await of.get("/v1/suppressions/")).json<{ email: string; reason: string }[]>();
  return list.map(({ email, reason }) => `${email} ${reason}`);
}

describe("the return path", () => {
  it("is signed, differs by mail, is at most 64 bytes long and does not contain the recipient", async () => {
    const { returnPath } = await sendAndDispatch();
    expect(returnPath).toMatch(/^b[a-z2-7]{1,63}@bounces\.mail\.test$/);
    expect((await sendAndDispatch()).returnPath).not.toBe(returnPath);
  });
});

describe("a message to the return path", () => {
  it("a failure report bounces a delivered recipient once and suppresses the address", async () => {
    const { id, returnPath } = await sendAndDispatch();
    expect((await readEmail(id)).status).toBe("delivered");
    for (let i = 0; i < 3; i++) expect(await deliver(returnPath, failure("friend@example.org"))).toBeNull();
    const email = await readEmail(id);
    expect(email.status).toBe("bounced");
    expect(typesOf(email)).toEqual(["queued", "delivered", "bounced"]);
    expect(email.events[2]?.metadata).toMatchObject({
      recipient: "friend@example.org",
      dsn: "5.1.1",
      bounce_type: "hard",
    });
    expect(await suppressed()).toEqual(["friend@example.org bounce"]);
  });

  it("a full mailbox bounces without a suppression, and a delay adds an event only", async () => {
    const full = await sendAndDispatch();
    await deliver(full.returnPath, failure("friend@example.org", "5.2.2"));
    expect((await readEmail(full.id)).status).toBe("bounced");
    const late = await sendAndDispatch();
    await deliver(late.returnPath, failure("friend@example.org", "4.4.7", "delayed"));
    expect((await readEmail(late.id)).status).toBe("delivered");
    expect(typesOf(await readEmail(late.id))).toEqual(["queued", "delivered", "deferred"]);
    expect(await suppressed()).toEqual([]);
  });

  it("only the named recipient of a path that eleven share bounces", async () => {
    const to = [..."abcdefghijk"].map((name) => ({ email: `${name}@example.org` }));
    const { id, returnPath } = await sendAndDispatch({ to });
    await deliver(returnPath, failure("b@example.org"));
    const email = await readEmail(id);
    expect(email.events.at(-1)?.metadata).toMatchObject({ recipient: "b@example.org" });
    expect(await suppressed()).toEqual(["b@example.org bounce"]);
    await deliver(returnPath, failure("other@example.org"));
    expect(typesOf(await readEmail(id))).toHaveLength(13);
  });

  it("a recipient is found in other letter case, in U-labels and in A-labels", async () => {
    for (const named of ["ÄNN@BÜCHER.example", "änn@xn--bcher-kva.example", "rfc822; <Änn@bücher.example>"]) {
      const to = [{ email: "änn@bücher.example" }, { email: "b@example.org" }];
      await database.run("DELETE FROM suppressions");
      const { id, returnPath } = await sendAndDispatch({ to });
      await deliver(returnPath, failure(named));
      expect((await readEmail(id)).events.at(-1)?.metadata, named).toMatchObject({ bounce_type: "hard" });
    }
  });

  it("a return path in upper case refers to the same mail", async () => {
    const { id, returnPath } = await sendAndDispatch();
    expect(await deliver(returnPath.toUpperCase(), failure("friend@example.org"))).toBeNull();
    expect((await readEmail(id)).status).toBe("bounced");
  });

  it("a report reads the same with LF, CR and CRLF", async () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      const { id, returnPath } = await sendAndDispatch({
        to: [{ email: `u${end.length}${end.charCodeAt(0)}@example.org` }],
      });
      await deliver(returnPath, failure("x@example.org").replace(/\r\n|\r|\n/g, end));
      const { events } = await readEmail(id);
      expect(events.at(-1)).toMatchObject({ event_type: "bounced", metadata: { dsn: "5.1.1" } });
    }
  });

  it("many blocks for one recipient are one event, and reports without a change stop at 200 events", async () => {
    const { id, returnPath } = await sendAndDispatch();
    const block = (i: number) => lines(`Final-Recipient: rfc822; fwd${i}@z.example`, "Action: failed", "Status: 5.1.1");
    await deliver(
      returnPath,
      report({ blocks: ["Reporting-MTA: dns; mx.y.test", ...Array.from({ length: 50 }, (_, i) => block(i))] }),
    );
    expect(typesOf(await readEmail(id))).toEqual(["queued", "delivered", "bounced"]);
    const events = Array.from({ length: 200 }, (_, i) => ({ id: `e${i}`, type: "deferred", at: 1 }));
    await database.run("UPDATE emails SET events = ?2 WHERE id = ?1", [id, JSON.stringify(events)]);
    for (let i = 0; i < 3; i++) await deliver(returnPath, failure(`x${i}@z.example`));
    expect((await readEmail(id)).events).toHaveLength(200);
    await deliver("fbl@bounces.mail.test", complaint(returnPath));
    expect((await readEmail(id)).events).toHaveLength(201);
  });

  it("ten concurrent copies are one event", async () => {
    const { id, returnPath } = await sendAndDispatch();
    await Promise.all(Array.from({ length: 10 }, () => deliver(returnPath, failure("friend@example.org"))));
    expect(typesOf(await readEmail(id))).toEqual(["queued", "delivered", "bounced"]);
  });
});

describe("a failure of the whole domain", () => {
  const DAY = 24 * 3_600_000;
  const noDomain = () => failure("friend@example.org", "5.4.4", "failed");
  const ageFailures = (days: number) =>
    database.run("UPDATE domain_failures SET first_at = first_at - ?1", [days * DAY]);

  it("suppresses at the second report, a day or more after the first", async () => {
    const first = await sendAndDispatch();
    await deliver(first.returnPath, noDomain());
    expect((await readEmail(first.id)).status).toBe("bounced");
    expect(await suppressed()).toEqual([]);
    const second = await sendAndDispatch();
    await deliver(second.returnPath, noDomain());
    expect(await suppressed()).toEqual([]);
    await ageFailures(1);
    const third = await sendAndDispatch();
    await deliver(third.returnPath, noDomain());
    expect(await suppressed()).toEqual(["friend@example.org bounce"]);
  });

  it("starts again after the address is removed from the list, in another workspace, and after 90 days", async () => {
    await deliver((await sendAndDispatch()).returnPath, noDomain());
    const other = await aWorkspace();
    await ageFailures(2);
    await deliver((await sendAndDispatch({}, other)).returnPath, noDomain());
    expect(await suppressed(other)).toEqual([]);
    await deliver((await sendAndDispatch()).returnPath, noDomain());
    expect(await suppressed()).toHaveLength(1);
    await workspace.call("DELETE", "/v1/suppressions/friend@example.org");
    await deliver((await sendAndDispatch()).returnPath, noDomain());
    expect(await suppressed()).toEqual([]);
    await ageFailures(91);
    await deliver((await sendAndDispatch()).returnPath, noDomain());
    expect(await suppressed()).toEqual([]);
    await runMainRetention(testContext({}, () => Date.now() + 91 * DAY));
    const results = await database.rows("SELECT * FROM domain_failures");
    expect(results).toEqual([]);
  });

  it("is deleted when a DSN confirms a delivery, and one report that arrives twice is one report", async () => {
    const { returnPath } = await sendAndDispatch();
    await deliver(returnPath, noDomain());
    await ageFailures(2);
    await deliver(returnPath, noDomain());
    expect(await suppressed()).toEqual([]);
    await deliver((await sendAndDispatch()).returnPath, failure("friend@example.org", "2.1.5", "delivered"));
    await deliver((await sendAndDispatch()).returnPath, noDomain());
    expect(await suppressed()).toEqual([]);
  });

  it("ten concurrent reports of ten emails suppress once and only after a day", async () => {
    const paths: string[] = [];
    for (let i = 0; i < 10; i++) paths.push((await sendAndDispatch()).returnPath);
    await Promise.all(paths.map((path) => deliver(path, noDomain())));
    expect(await suppressed()).toEqual([]);
  });
});

describe("a report that names no recipient, or another one", () => {
  it("is about the only recipient of its return path", async () => {
    const { id, returnPath } = await sendAndDispatch();
    const unnamed = report({
      text: "Your message could not be delivered. 550 5.1.1 User unknown",
      blocks: ["Reporting-MTA: dns; mx.y.test"],
      enclosed: ["Content-Type: text/plain", "", "removed"],
    });
    await deliver(returnPath, unnamed);
    expect((await readEmail(id)).status).toBe("bounced");
    expect(await suppressed()).toEqual(["friend@example.org bounce"]);
  });

  it("changes nothing when eleven recipients share its return path", async () => {
    const to = [..."abcdefghijk"].map((name) => ({ email: `${name}@example.org` }));
    const { id, returnPath } = await sendAndDispatch({ to });
    const words = fromDaemon(
      { subject: "failure notice" },
      "Your message could not be delivered. 550 5.1.1 User unknown",
    );
    await deliver(returnPath, words);
    expect((await readEmail(id)).status).toBe("delivered");
    expect(await suppressed()).toEqual([]);
  });

  it("does not suppress the recipient for an address to which it forwards, when it names both", async () => {
    const { returnPath } = await sendAndDispatch();
    const block = (recipient: string, status: string) =>
      lines(`Final-Recipient: rfc822; ${recipient}`, "Action: failed", `Status: ${status}`);
    const both = [block("friend@example.org", "5.2.2"), block("forward@z.example", "5.1.1")];
    await deliver(returnPath, report({ blocks: ["Reporting-MTA: dns; mx.y.test", ...both] }));
    expect(await suppressed()).toEqual([]);
  });
});

describe("a complaint", () => {
  it("that contains the return path of its mail suppresses the recipient for all later mail", async () => {
    const { id, returnPath } = await sendAndDispatch();
    expect(await deliver("fbl@bounces.mail.test", complaint(returnPath), "loop@x.test")).toBeNull();
    const email = await readEmail(id);
    expect(typesOf(email)).toEqual(["queued", "delivered", "complained"]);
    expect(email.events[2]?.metadata).toMatchObject({ feedback_type: "abuse", recipient: "friend@example.org" });
    expect(await suppressed()).toEqual(["friend@example.org complaint"]);
    const again = await workspace.post("/v1/emails/", aMail(workspace));
    expect(await again.json()).toMatchObject({ status: "rejected" });
  });

  it("without a return path, or with a forged one, changes nothing", async () => {
    const { id, returnPath } = await sendAndDispatch();
    const forged = `${returnPath.slice(0, 30)}${returnPath[30] === "a" ? "b" : "a"}${returnPath.slice(31)}`;
    for (const about of ["", forged, "hello@example.org"]) await deliver("abuse@bounces.mail.test", complaint(about));
    expect(typesOf(await readEmail(id))).toEqual(["queued", "delivered"]);
    expect(await suppressed()).toEqual([]);
  });
});

describe("other messages", () => {
  it("to a forged return path are rejected", async () => {
    const { id, returnPath } = await sendAndDispatch();
    const [local = "", domain] = returnPath.split("@");
    for (let at = 0; at < local.length; at += 5) {
      const other = local[at] === "q" ? "r" : "q";
      const forged = `${local.slice(0, at)}${other}${local.slice(at + 1)}@${domain}`;
      expect(await deliver(forged, failure("friend@example.org")), forged).toMatch(/^550 5\.1\.1/);
    }
    expect(await deliver("somebody@bounces.mail.test", failure("friend@example.org"))).toMatch(/^550/);
    expect((await readEmail(id)).status).toBe("delivered");
  });

  it("that only look like a bounce, replies and automatic replies change nothing", async () => {
    const { id, returnPath } = await sendAndDispatch();
    const mails = [
      lines("From: a@x.test", "Subject: Undelivered Mail Returned to Sender", "", "Your report failed, see 550 5.1.1."),
      lines("From: a@x.test", "Subject: Re: Your bill", "", "> 550 5.1.1 user unknown", "What is this?"),
      lines("From: a@x.test", "Auto-Submitted: auto-replied", "Subject: Out of office", "", "Back on Monday."),
      lines(
        "From: a@x.test",
        "Return-Path: <>",
        "Subject: Out of office",
        "",
        "<friend@example.org>: 550 5.1.1 unknown",
      ),
      "",
      "\0\0\0",
    ];
    for (const mail of mails) expect(await deliver(returnPath, mail, "a@x.test")).toBeNull();
    expect(typesOf(await readEmail(id))).toEqual(["queued", "delivered"]);
  });

  it("that report a deleted mail are accepted and change nothing", async () => {
    const { id, returnPath } = await sendAndDispatch();
    await database.run("DELETE FROM emails WHERE id = ?1", [id]);
    expect(await deliver(returnPath, failure("friend@example.org"))).toBeNull();
    expect(await suppressed()).toEqual([]);
  });

  it("a bounce in plain text from a mail system bounces the recipient", async () => {
    const { id, returnPath } = await sendAndDispatch();
    const words = fromDaemon(
      { subject: "failure notice" },
      lines(
        "Hi. This is the qmail-send program at mail.y.test.",
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        "",
        "<friend@example.org>:",
        "Sorry, no mailbox here by that name. (#5.1.1)",
      ),
    );
    expect(await deliver(returnPath, words)).toBeNull();
    expect((await readEmail(id)).status).toBe("bounced");
  });
});
