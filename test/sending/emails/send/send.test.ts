import { describe, expect, it } from "vitest";
import { database } from "../../../support/databases.ts";
import { consumeQueues } from "../../../support/queues.ts";
import { type Detail, run, sendingFrom } from "../../../support/sending.ts";
import {
  aKey,
  aMail,
  apiWith,
  aWorkspace,
  createApiWithoutQueue,
  perSuite,
  type TestWorkspace,
  until,
} from "../../../support/workspace.ts";

consumeQueues("work");

const workspace = perSuite(aWorkspace);
const sending = perSuite(() => sendingFrom(workspace));

describe("a valid send", () => {
  it("returns 202 with id, status, message id and no rejection_reason", async () => {
    const response = await sending.send({});
    expect(response.status).toBe(202);
    const result = await response.json<{ id: string }>();
    expect(result).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      status: "queued",
      message_id: `<${result.id}@${workspace.domain}>`,
      rejection_reason: null,
    });
  });

  it("is delivered without further calls, with events for it", async () => {
    const { id } = await workspace.create("/v1/emails/", aMail(workspace));
    const read = async () => (await workspace.get(`/v1/emails/${id}`)).json<Detail>();
    const email = await until(read, ({ status }) => status === "delivered");
    expect(email.events.map(({ event_type }) => event_type)).toEqual(["queued", "delivered"]);
  });

  it("returns every field as it was given", async () => {
    const given = {
      from_: { email: workspace.mailbox, name: 'Ä "B" <c>' },
      to: [{ email: "One@Example.org", name: "One" }, { email: "two@example.org" }],
      cc: [{ email: "three@example.org" }],
      bcc: [{ email: "four@example.org", name: null }],
      reply_to: { email: "reply@example.org", name: "Reply" },
      subject: "Größe €",
      html: "<p>a\r\nb</p>",
      text: "a\nb\t \n.\n",
      headers: { "X-One": "1 ü", "x-two": "" },
      tags: ["b", "a"],
    };
    const email = await sending.accepted(await sending.send(given));
    expect(email).toMatchObject({
      from_address: `"Ä \\"B\\" <c>" <${workspace.mailbox}>`,
      to_addresses: ["One@example.org", "two@example.org"],
      cc_addresses: ["three@example.org"],
      bcc_addresses: ["four@example.org"],
      subject: given.subject,
      html_body: given.html,
      text_body: given.text,
      headers: given.headers,
      tags: given.tags,
      source: "api",
      status: "queued",
      opened_count: 0,
      clicked_count: 0,
      scheduled_at: null,
      sent_at: null,
      delivered_at: null,
      retry_of_id: null,
      message_id: `<${email.id}@${workspace.domain}>`,
    });
    expect(email.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("accepts null for every optional field, and shows absent lists as null", async () => {
    const nulls = Object.fromEntries(
      ["cc", "bcc", "reply_to", "headers", "tags", "send_at", "attachments", "html"].map((name) => [name, null]),
    );
    const email = await sending.accepted(
      await sending.send({ ...nulls, from_: { email: workspace.mailbox, name: null } }),
    );
    expect(email).toMatchObject({ cc_addresses: null, bcc_addresses: null, tags: null, headers: {}, html_body: null });
    expect(email.from_address).toBe(workspace.mailbox);
  });

  it("with send_at is scheduled, with an outbox row due at that time", async () => {
    const at = Date.now() + 3_600_000;
    const response = await sending.send({ send_at: new Date(at).toISOString() });
    expect(await response.clone().json()).toMatchObject({ status: "scheduled", rejection_reason: null });
    const email = await sending.accepted(response);
    expect(email).toMatchObject({ status: "scheduled", scheduled_at: new Date(at).toISOString() });
    expect(email.events.map(({ event_type }) => event_type)).toEqual(["scheduled"]);
    const due = await database.value<number>("SELECT due_at FROM outbox WHERE id = ?1", [email.id]);
    expect(due).toBe(at);
  });
});

describe("403", () => {
  const stops: [string, string, (of: TestWorkspace) => string][] = [
    ["a restricted account", "UPDATE users SET restricted_at = 1 WHERE id = ?1", (of) => of.userId],
    [
      "a workspace whose sending is paused",
      "UPDATE workspaces SET sending_paused_at = 1 WHERE id = ?1",
      (of) => of.workspaceId,
    ],
  ];
  for (const [what, sql, id] of stops) {
    it(`${what} cannot send but can read, and validate gives the reason`, async () => {
      const stopped = await aWorkspace();
      await run(sql, id(stopped));
      const response = await stopped.post("/v1/emails/", aMail(stopped));
      expect(response.status).toBe(403);
      const { detail } = await response.json<{ detail: string }>();
      const validated = await stopped.post("/v1/emails/validate", aMail(stopped));
      expect(await validated.json()).toEqual({
        valid: false,
        can_send: false,
        issues: [{ field: "account", error: detail }],
      });
      expect(await (await stopped.get("/v1/emails/")).json()).toEqual([]);
    });
  }

  it("comes before 413, 400 and 422; 413 before 400; 400 before 422", async () => {
    const stopped = await aWorkspace();
    const invalid = { subject: "a\nb", send_at: "never", attachments: [{ filename: "a", content_base64: "?" }] };
    expect((await stopped.post("/v1/emails/", aMail(stopped, invalid))).status).toBe(400);
    await run("UPDATE workspaces SET sending_paused_at = 1 WHERE id = ?1", stopped.workspaceId);
    expect((await stopped.post("/v1/emails/", aMail(stopped, invalid))).status).toBe(403);
  });
});

describe("the sender rule", () => {
  const asMade = async () => {};
  const notAllowed: [string, (of: TestWorkspace) => string, (of: TestWorkspace) => Promise<unknown>][] = [
    ["an address without a mailbox", ({ domain }) => `nobody@${domain}`, asMade],
    ["another workspace's mailbox", () => workspace.mailbox, asMade],
    ["a plus-address of a mailbox", ({ domain }) => `hello+x@${domain}`, asMade],
    ["a subdomain of a verified domain", ({ domain }) => `hello@mail.${domain}`, asMade],
    ["a text that is not an address", () => "hello", asMade],
    [
      "a mailbox that is not active",
      ({ mailbox }) => mailbox,
      ({ mailboxId }) => run("UPDATE mailboxes SET is_active = 0 WHERE id = ?1", mailboxId),
    ],
    [
      "a domain that is pending",
      ({ mailbox }) => mailbox,
      ({ domainId }) => run("UPDATE domains SET status = 'pending' WHERE id = ?1", domainId),
    ],
    [
      "a domain that failed its check",
      ({ mailbox }) => mailbox,
      ({ domainId }) => run("UPDATE domains SET status = 'failed' WHERE id = ?1", domainId),
    ],
    [
      "a catch-all",
      ({ domain }) => `*@${domain}`,
      ({ mailboxId, domain }) =>
        run("UPDATE mailboxes SET local_part = '*', address = '*@' || ?2 WHERE id = ?1", mailboxId, domain),
    ],
  ];
  for (const [what, sender, prepare] of notAllowed) {
    it(`refuses ${what} at from_.email`, async () => {
      const other = await aWorkspace();
      await prepare(other);
      const email = sender(other);
      const response = await other.post("/v1/emails/", aMail(other, { from_: { email } }));
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", "from_", "email"] }] });
      const { issues } = await (await other.post("/v1/emails/validate", aMail(other, { from_: { email } }))).json<{
        issues: { field: string }[];
      }>();
      expect(issues.map(({ field }) => field)).toEqual(["from"]);
    });
  }

  it("refuses domains outside the key's restriction, and accepts those in it", async () => {
    const elsewhere = apiWith(await aKey(workspace, { domainIds: [crypto.randomUUID()] }));
    const response = await elsewhere.post("/v1/emails/", aMail(workspace));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", "from_", "email"] }] });
    const here = createApiWithoutQueue(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await here.post("/v1/emails/", aMail(workspace))).status).toBe(202);
  });

  it("accepts a mailbox in any letter case, and a domain in U-labels or A-labels", async () => {
    const unique = crypto.randomUUID().slice(0, 8);
    const other = await aWorkspace({ domain: `bücher-${unique}.example` });
    expect(other.domain).toMatch(/^xn--/);
    for (const domain of [
      other.domain,
      other.domain.toUpperCase(),
      `bücher-${unique}.example`,
      `BÜCHER-${unique}.EXAMPLE`,
    ]) {
      const validated = await other.post("/v1/emails/validate", aMail(other, { from_: { email: `HELLO@${domain}` } }));
      expect(await validated.json(), domain).toMatchObject({ can_send: true });
    }
  });
});

describe("recipients", () => {
  const people = (count: number, name = "r") =>
    Array.from({ length: count }, (_, i) => ({ email: `${name}${i}@example.org` }));

  it("are at most 50 in to, cc and bcc together", async () => {
    const email = await sending.accepted(
      await sending.send({ to: people(48), cc: people(1, "c"), bcc: people(1, "b") }),
    );
    expect(email.to_addresses).toHaveLength(48);
    await sending.refusedAt({ to: people(49), cc: people(1, "c"), bcc: people(1, "b") }, "to");
  });

  it("that repeat collapse into the first, and count once", async () => {
    const to = [...people(50), ...people(50).map(({ email }) => ({ email: email.toUpperCase() }))];
    const email = await sending.accepted(await sending.send({ to, cc: people(1), bcc: people(2) }));
    expect(email.to_addresses).toEqual(people(50).map((person) => person.email));
    expect([email.cc_addresses, email.bcc_addresses]).toEqual([null, null]);
  });

  it("are refused one by one, with their path", async () => {
    const bad = [
      "",
      "x",
      "a@b",
      "a@@example.org",
      "a b@example.org",
      "<a@example.org>",
      "a@example.org.",
      "a@example.org\r\nBcc: x@example.org",
    ];
    for (const email of bad)
      await sending.refusedAt({ to: [{ email: "ok@example.org" }, { email }] }, "to", 1, "email");
    await sending.refusedAt({ cc: [{ email: "x" }] }, "cc", 0, "email");
    await sending.refusedAt({ bcc: [{ email: "x" }] }, "bcc", 0, "email");
    await sending.refusedAt({ reply_to: { email: "x" } }, "reply_to", "email");
    await sending.refusedAt({ to: [] }, "to");
  });

  it("have names without control characters or line breaks, of 320 bytes at most", async () => {
    for (const name of ["a\r\nBcc: x@example.org", "\n", "a\u0085b", "a\u2028b", "\u007f", "ü".repeat(161)]) {
      await sending.refusedAt({ to: [{ email: "a@example.org", name }] }, "to", 0, "name");
      await sending.refusedAt({ from_: { email: workspace.mailbox, name } }, "from_", "name");
      await sending.refusedAt({ reply_to: { email: "a@example.org", name } }, "reply_to", "name");
    }
    expect((await sending.send({ to: [{ email: "a@example.org", name: "ü".repeat(160) }] })).status).toBe(202);
  });

  it("that are all suppressed make a 202 with status rejected, a reason and no outbox row", async () => {
    const email = `gone-${crypto.randomUUID()}@example.org`;
    await run(
      "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, 'bounce', 1)",
      workspace.workspaceNumber,
      email,
    );
    const response = await sending.send({
      to: [{ email: email.toUpperCase() }],
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(await response.clone().json()).toMatchObject({ status: "rejected", rejection_reason: expect.any(String) });
    const shown = await sending.accepted(response);
    expect(shown.events.map(({ event_type }) => event_type)).toEqual(["suppressed", "rejected"]);
    expect(await database.value("SELECT count(*) AS n FROM outbox WHERE id = ?1", [shown.id])).toBe(0);
  });

  it("that are suppressed in part are dropped with an event each; an unsubscribe does not apply to single sends", async () => {
    const [hard, complained, left] = ["hard", "complained", "left"].map(
      (name) => `${name}-${crypto.randomUUID()}@example.org`,
    );
    for (const [email, reason] of [
      [hard, "bounce"],
      [complained, "complaint"],
      [left, "unsubscribe"],
    ]) {
      await run(
        "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, ?3, 1)",
        workspace.workspaceNumber,
        email,
        reason,
      );
    }
    const to = [{ email: hard }, { email: left }, { email: complained }];
    const { status, events } = await sending.accepted(await sending.send({ to }));
    expect(status).toBe("queued");
    expect(events.map(({ event_type, metadata }) => [event_type, metadata?.recipient])).toEqual([
      ["suppressed", hard],
      ["suppressed", complained],
      ["queued", undefined],
    ]);
  });
});
