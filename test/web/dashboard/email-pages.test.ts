import { describe, expect, it } from "vitest";
import { idOfTime } from "../../../src/lib/ids.ts";
import { DAY_MS, HOUR_MS } from "../../../src/lib/time.ts";
import { indexEmails } from "../../../src/sending/emails/index.ts";
import { toCurl } from "../../../src/web/dashboard/emails/curl.ts";
import { aDeliveredMail, aHit, consume, SENT_AT } from "../../sending/tracking/support.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { holdingServer } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aMember, aWorkspace, perTest, recordingContext, testContext } from "../../support/workspace.ts";
import { submit, withoutClock } from "./support.ts";

/** The pages of emails beside the list and the form: saved searches, batch, scheduled emails, source and copies. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string, by = session) => (await by.get(path)).text();
const send = async (changes: Record<string, unknown> = {}) =>
  (await workspace.create("/v1/emails/", aMail(workspace, changes))).id;
const locationOf = (response: Response) => response.headers.get("Location");

describe("the list of emails", () => {
  it("says in the row why an email failed", async () => {
    await send({ to: [{ email: "bounced@simulator.test" }] });
    await send({ to: [{ email: "delivered@simulator.test" }] });
    await runOutboxAt(Date.now());
    const page = await textOf("/app/emails");
    expect(page.split("550 5.1.1 simulated: no such mailbox")).toHaveLength(2);
  });

  it("says why a recipient failed, also where the email reached another one", async () => {
    await send({ to: [{ email: "bounced@simulator.test" }, { email: "delivered@simulator.test" }] });
    await runOutboxAt(Date.now());
    expect(await textOf("/app/emails")).toContain("550 5.1.1 simulated: no such mailbox");
  });

  it("shows an email that a recipient marked as spam as complained, not as delivered, also on its page and in a search", async () => {
    const id = await send({ to: [{ email: "complained@simulator.test" }], subject: "Our offer of the week" });
    await runOutboxAt(Date.now());
    for (const path of ["/app/emails", `/app/emails/${id}`, "/app/search?q=offer"]) {
      const page = await textOf(path);
      expect(page, path).toContain('class="status bad">Complained');
      expect(page, path).not.toContain('class="status good">Delivered<');
    }
  });

  it("says in the row how often an email was opened", async () => {
    const id = await aDeliveredMail(workspace);
    const opens = [0, 1].map((n) => aHit(workspace, id, { at: SENT_AT + HOUR_MS * (n + 1) }));
    expect(await textOf("/app/emails")).not.toContain("opens");
    await consume(opens);
    expect(await textOf("/app/emails")).toContain("2 opens");
  });

  it("keeps to chosen days of UTC, with a search, a status and a name too", async () => {
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
    for (const ago of [20, 10, 0]) {
      const id = await send({ subject: `Sent ${ago} days ago` });
      const moved = "UPDATE emails SET id = ?2, due_at = NULL WHERE id = ?1";
      await database.run(moved, [id, idOfTime(Date.now() - ago * DAY_MS, id)]);
      // The newest one is not in the index yet.
      if (ago > 0) await indexEmails(testContext());
    }
    const shown = async (query: string) => {
      const found = (await textOf(`/app/emails?${query}`)).matchAll(/>Sent (\d+) days ago</g);
      return [...found].map(([, ago]) => Number(ago));
    };
    // The list, the index, a scan of two letters, and a scan of a status.
    for (const other of ["", "&q=days", "&q=ay", "&q=days&status=queued"]) {
      expect(await shown(`from=${day(10)}${other}`), other).toEqual([0, 10]);
      expect(await shown(`to=${day(10)}${other}`), other).toEqual([10, 20]);
      expect(await shown(`from=${day(10)}&to=${day(10)}${other}`), other).toEqual([10]);
      expect(await shown(`from=${day(9)}&to=${day(1)}${other}`), other).toEqual([]);
      expect(await shown(`from=no-day${other}`), other).toEqual([0, 10, 20]);
    }
    const [older] = (await workspace.get("/v1/emails/").then((found) => found.json<{ id: string }[]>())).slice(1);
    expect(await shown(`from=${day(10)}&before=${older?.id}`)).toEqual([]);
    expect(await shown(`q=days&to=${day(10)}&before=${older?.id}`)).toEqual([20]);
    const range = { id: crypto.randomUUID(), name: "Ten days ago", range: `${day(10)}/${day(10)}` };
    expect(locationOf(await submit(session, "/app/emails/searches", range))).toBe(
      `/app/emails?from=${day(10)}&to=${day(10)}`,
    );
    expect(await textOf("/app/emails")).toContain(`href="/app/emails?from=${day(10)}&amp;to=${day(10)}"`);
  });

  it("keeps a search under a name, once however often it is saved, until it is removed", async () => {
    const saved = { id: crypto.randomUUID(), name: "Bounced <receipts>", query: "tag:receipt", status: "bounced" };
    for (let time = 0; time < 2; time += 1)
      expect(locationOf(await submit(session, "/app/emails/searches", saved))).toBe(
        "/app/emails?q=tag%3Areceipt&status=bounced",
      );
    const page = await textOf("/app/emails");
    expect(page).toContain("Saved searches (1)");
    expect(page).toContain("Bounced &lt;receipts&gt;");
    const colleague = await aSession({ ...workspace, userId: (await aMember(workspace, "admin")).userId });
    expect(await textOf("/app/emails", colleague)).not.toContain("Bounced &lt;");
    const nameless = await submit(session, "/app/emails/searches", { ...saved, name: " " });
    expect([nameless.status, await nameless.text()]).toEqual([422, expect.stringContaining('role="alert"')]);
    await submit(session, "/app/emails/searches/remove", { id: saved.id });
    expect(await textOf("/app/emails")).not.toContain("Bounced &lt;");
  });
});

describe("an email that waits for its receiver", () => {
  it("says for which, until when and why", async () => {
    const wait = "451 4.7.1 wait 600 s for outlook (Outlook): 451 4.7.650 rate limited due to IP reputation";
    const server = await holdingServer({ recipients: { "friend@example.org": wait } });
    const id = await acceptEmail(recordingContext().ctx, workspace);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const page = await textOf(`/app/emails/${id}`);
    expect(page).toContain("Waiting: Outlook has slowed us down until");
    expect(page).toContain("451 4.7.650 rate limited due to IP reputation");
  });
});

describe("the batch page", () => {
  const form = (items: unknown) => ({
    idempotency_key: crypto.randomUUID(),
    items: typeof items === "string" ? items : JSON.stringify(items),
  });

  it("shows what became of each item, and sends nothing twice", async () => {
    const items = [aMail(workspace), { ...aMail(workspace), to: [{ email: "not an address" }] }];
    const fields = form(items);
    const [first, second] = await Promise.all([1, 2].map(() => submit(session, "/app/emails/batch", fields)));
    const page = (await first?.text()) ?? "";
    expect(page).toContain("1 of 2 accepted, 1 refused.");
    expect(withoutClock((await second?.text()) ?? "")).toBe(withoutClock(page));
    const list = await (await workspace.get("/v1/emails/")).json<unknown[]>();
    expect(list).toHaveLength(1);
  });

  it("keeps what was filled in when it is not JSON, not a list, or too long", async () => {
    for (const [items, status] of [
      ["[{", 422],
      ["{}", 422],
      ["[]", 400],
    ] as const) {
      const refused = await submit(session, "/app/emails/batch", form(items));
      const page = await refused.text();
      expect([refused.status, page.includes('role="alert"'), page.includes(items)], items).toEqual([
        status,
        true,
        true,
      ]);
    }
    expect((await submit(session, "/app/emails/batch", form(`["${"x".repeat(1_000_000)}"]`))).status).toBe(413);
  });
});

describe("the page of scheduled emails", () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  it("lists them soonest first, moves one, and refuses a time that has passed", async () => {
    expect(await textOf("/app/emails/scheduled")).toContain("No email waits for its time.");
    const later = await send({ subject: "The later one", send_at: inHours(50) });
    await send({ subject: "The sooner one", send_at: inHours(3) });
    const page = await textOf("/app/emails/scheduled");
    expect(page.indexOf("The sooner one")).toBeLessThan(page.indexOf("The later one"));
    expect(page).toContain("2 days");
    const moved = await submit(session, `/app/emails/${later}/move`, { send_at: inHours(1.5).slice(0, 16) });
    expect(locationOf(moved)).toBe("/app/emails/scheduled?done=moved");
    const after = await textOf("/app/emails/scheduled");
    expect(after.indexOf("The later one")).toBeLessThan(after.indexOf("The sooner one"));
    const refused = await submit(session, `/app/emails/${later}/move`, { send_at: "2020-01-01T00:00" });
    expect([refused.status, (await refused.text()).includes('role="alert"')]).toEqual([400, true]);
    expect((await session.get("/app/emails/scheduled?after=nonsense")).status).toBe(404);
  });

  it("lets nobody without the right to send change one", async () => {
    const id = await send({ send_at: inHours(3) });
    const other = await aSession(await aWorkspace());
    for (const [verb, fields] of [
      ["move", { send_at: inHours(2).slice(0, 16) }],
      ["cancel", {}],
      ["send-now", {}],
    ] as const)
      expect((await submit(other, `/app/emails/${id}/${verb}`, fields)).status, verb).toBe(404);
    expect((await other.get(`/app/emails/${id}/source`)).status).toBe(404);
  });
});

describe("the page of an email", () => {
  it("gives its source as a file, and a curl command that a shell takes", async () => {
    const id = await send({ subject: "It's here", text: "It's $HOME `here`", cc: [{ email: "cc@example.org" }] });
    const source = await session.get(`/app/emails/${id}/source`);
    expect(source.headers.get("Content-Type")).toBe("message/rfc822");
    expect(new TextDecoder().decode(await source.arrayBuffer())).toContain("Subject: It's here\r\n");
    expect(await textOf(`/app/emails/${id}`)).toContain("It&#39;\\&#39;&#39;s $HOME");
  });

  it("sends one copy of its content to the user who asks, without recipients, tracking and attachments", async () => {
    const id = await send({ cc: [{ email: "cc@example.org" }], html: "<p>Hello</p>", subject: "The original" });
    const key = { idempotency_key: crypto.randomUUID() };
    const copies = await Promise.all([1, 2].map(() => submit(session, `/app/emails/${id}/copy`, key)));
    const [first, second] = copies.map(locationOf);
    expect(second).toBe(first);
    const copy = await (await workspace.get(`/v1/emails/${/[0-9a-f-]{36}/.exec(first ?? "")?.[0]}`)).json();
    expect(copy).toMatchObject({ subject: "The original", cc_addresses: null, html_body: "<p>Hello</p>" });
    expect(copy).not.toMatchObject({ to_addresses: [expect.stringContaining("simulator")] });
  });
});

describe("toCurl", () => {
  it("quotes every text for the shell", () => {
    const row = { fromEmail: "a@example.org", fromName: "A 'quoted' name" } as Parameters<typeof toCurl>[1];
    const email = {
      ...{ to_addresses: ["b@example.org"], cc_addresses: null, bcc_addresses: null, subject: "'; rm -rf /" },
      ...{ text_body: "T", html_body: null, headers: {}, tags: null },
    } as unknown as Parameters<typeof toCurl>[2];
    const [, body = ""] = toCurl("https://api.test", row, email).split("  -d ");
    expect(body.startsWith("'") && body.endsWith("'")).toBe(true);
    expect(JSON.parse(body.slice(1, -1).replaceAll("'\\''", "'"))).toEqual({
      from_: { email: "a@example.org", name: "A 'quoted' name" },
      to: [{ email: "b@example.org" }],
      subject: "'; rm -rf /",
      text: "T",
    });
  });
});
