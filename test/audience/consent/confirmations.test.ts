import { beforeEach, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/lib/time.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { apiWithRace } from "../../support/api-with-race.ts";
import { database } from "../../support/databases.ts";
import { forgetMailsTo } from "../../support/mails-of-strangers.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aKey, apiWith, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";
import { upload } from "../contacts/csv-support.ts";
import { captureMails, evidenceOf, listsOf } from "./support.ts";

const workspace = perTest(aWorkspace);
const lists = perTest(() => listsOf(workspace));
const visitor = apiWith(null);
const form = { "Content-Type": "application/x-www-form-urlencoded", "CF-Connecting-IP": "192.0.2.7" };
const confirm = (path: string) => visitor.call("POST", path, "", form);

const rowsOf = async () => {
  const results = await database.rows<{ dueAt: number; id: string; kind: "confirm" }>(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'confirm'",
  );
  return results;
};

beforeEach(() => forgetMailsTo("ada@example.org", "bob@example.org"));

describe("a list that asks for confirmation", () => {
  it("mails a new contact once; the link shows a button, and confirming is evidence", async () => {
    const { id } = await lists.list({ confirm_subject: "Really?", confirm_text: "You asked for our news." });
    expect((await lists.add(id, "Ada@Example.org")).status).toBe("pending");
    const [mail, ...more] = await captureMails();
    expect(more).toEqual([]);
    expect(mail?.to).toBe("Ada@example.org");
    expect(mail?.text).toContain("Subject: Really?");
    expect(mail?.text).toContain(workspace.mailbox);
    expect(await captureMails()).toEqual([]);
    const path = mail?.path ?? "";
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/You asked for our news\.[\s\S]*<form method="post">/);
    await visitor.call("HEAD", path);
    expect(await lists.statuses(id)).toEqual({ "Ada@example.org": "pending" });
    const answers = await Promise.all([confirm(path), confirm(path), confirm(path)]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("You have confirmed");
    }
    expect(await lists.statuses(id)).toEqual({ "Ada@example.org": "active" });
    const evidence = await evidenceOf(workspace, "ada@example.org");
    expect(evidence.map(({ kind, ip }) => [kind, ip])).toEqual([["confirmed", "192.0.2.7"]]);
    expect(JSON.parse(evidence[0]?.words ?? "")).toMatchObject({ subject: "Really?", text: "You asked for our news." });
  });

  it.each(["POST", "PUT"])("has no contact without consent that was added as it began to ask: %s", async (verb) => {
    const seen: string[] = [];
    for (let at = 0; at < 6; at++) {
      const { id } = await lists.list({ confirm: false });
      let when = "after it";
      const api = apiWithRace(workspace.apiKey, at, async () => {
        when = Object.keys(await lists.statuses(id)).length === 0 ? "before it" : "after it";
        expect((await workspace.call("PATCH", `/v1/contacts/${id}`, { confirm: true })).status).toBe(200);
      });
      const response = await api.call(verb, `/v1/contacts/${id}/contacts`, { email: "ada@example.org" });
      expect(response.status, await response.clone().text()).toBe(201);
      const { status } = await response.json<{ status: string }>();
      expect(await lists.statuses(id)).toEqual({ "ada@example.org": status });
      expect(status, `switched ${when}`).toBe(when === "before it" ? "pending" : "active");
      seen.push(status);
    }
    expect(seen.filter((status) => status === "pending").length).toBeGreaterThan(1);
    expect(seen).toContain("active");
    await captureMails();
  });

  it("refuses forged and expired links and those of another address or a deleted contact", async () => {
    const { id } = await lists.list();
    const { id: contactId } = await lists.add(id, "ada@example.org");
    const [mail] = await captureMails();
    const path = mail?.path ?? "";
    const flipped = path.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
    for (const bad of [flipped, path.slice(0, -1), `${path}A`, "/c/x", "/c/%00"]) {
      expect((await visitor.get(bad)).status).toBe(404);
      expect((await confirm(bad)).status).toBe(404);
    }
    const { api, json } = lists;
    await json(await api.call("PATCH", `/v1/contacts/${id}/contacts/${contactId}`, { email: "eve@example.org" }), 200);
    expect((await confirm(path)).status).toBe(404);
    const [second] = await captureMails();
    expect(second?.to).toBe("eve@example.org");
    expect((await api.call("DELETE", `/v1/contacts/${id}/contacts/${contactId}`)).status).toBe(204);
    expect((await confirm(second?.path ?? "")).status).toBe(404);
    expect(await evidenceOf(workspace, "ada@example.org")).toEqual([]);
  });

  it("refuses a link after 7 days", async () => {
    const { id } = await lists.list();
    await lists.add(id, "ada@example.org");
    // The link of a mail that was sent 7 days ago.
    await database.run("UPDATE confirmations SET requested_at = requested_at - ?1", [8 * DAY_MS]);
    await database.run("UPDATE outbox SET due_at = due_at - ?1 WHERE kind = 'confirm'", [8 * DAY_MS]);
    const [mail] = await captureMails(Date.now() - 7 * DAY_MS - 1000);
    const answer = await confirm(mail?.path ?? "");
    expect(answer.status).toBe(410);
    expect(await lists.statuses(id)).toEqual({ "ada@example.org": "pending" });
  });

  it("takes stated consent, by a call or an import, as evidence and sends no mail", async () => {
    const { id } = await lists.list();
    const consent = { source: "Shop checkout, box 2", given_at: "2026-01-02T03:04:05Z" };
    expect((await lists.add(id, "ada@example.org", { consent })).status).toBe("active");
    await lists.add(id, "bob@example.org");
    const put = await lists.api.call("PUT", `/v1/contacts/${id}/contacts`, { email: "bob@example.org", consent });
    expect(await lists.json(put, 200)).toMatchObject({ status: "active" });
    const { body, headers } = (await import("../contacts/csv-support.ts")).multipart("email\neve@example.org\n");
    const path = `/v1/contacts/${id}/upload?consent_source=Old%20system`;
    expect((await lists.api.call("POST", path, body, headers)).status).toBe(200);
    expect(await captureMails()).toEqual([]);
    expect(new Set(Object.values(await lists.statuses(id)))).toEqual(new Set(["active"]));
    expect(await evidenceOf(workspace, "ada@example.org")).toMatchObject([
      { kind: "stated", source: "Shop checkout, box 2", at: Date.parse("2026-01-02T03:04:05Z") },
    ]);
    expect(await evidenceOf(workspace, "eve@example.org")).toMatchObject([{ kind: "stated", source: "Old system" }]);
  });

  it("mails each address of an import once, also when runs are killed between and within pages", async () => {
    const { id } = await lists.list();
    const addresses = Array.from({ length: 250 }, (_, n) => `p${n}@example.org`);
    expect((await upload(lists.api, id, `email\n${addresses.join("\n")}\n`)).status).toBe(200);
    const rows = await rowsOf();
    const { ctx } = recordingContext();
    // Fails at the R2 object of the second page, then after it was written.
    const content = ctx.env.CONTENT;
    for (const failAt of [2, 1]) {
      let puts = 0;
      const failing = new Proxy(content, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return (...values: unknown[]) => {
            if ((name === "put" || name === "createMultipartUpload") && ++puts >= failAt) throw new Error("killed");
            return member.apply(target, values);
          };
        },
      });
      const killed = { ...ctx, env: { ...ctx.env, CONTENT: failing } as Env };
      await expect(runOutboxRows(killed, rows)).rejects.toThrow();
      await database.run("UPDATE outbox SET due_at = ?1, token = NULL, leased_until = 0 WHERE kind = 'confirm'", [
        rows[0]?.dueAt,
      ]);
    }
    // Two runs at the same time.
    await database.run(
      "INSERT INTO outbox (due_at, id, kind, ref) SELECT due_at, ?1, kind, ref FROM outbox WHERE kind = 'confirm'",
      [crypto.randomUUID()],
    );
    const both = await rowsOf();
    await Promise.all(both.map((row) => runOutboxRows(ctx, [row])));
    const mails = await captureMails();
    expect(mails.map(({ to }) => to).sort()).toEqual([...addresses].sort());
    expect(await captureMails()).toEqual([]);
    const results = await database.rows("SELECT 1 FROM confirmations WHERE requested_at IS NOT NULL");
    expect(results).toEqual([]);
  });

  it("sends nothing for a list that is deleted before, and leaves no request behind", async () => {
    const { id } = await lists.list();
    await lists.add(id, "ada@example.org");
    expect((await lists.api.call("DELETE", `/v1/contacts/${id}`)).status).toBe(204);
    expect(await captureMails()).toEqual([]);
    const requested = database.prepare(
      "SELECT count(*) AS n FROM confirmations WHERE workspace = ?1 AND requested_at IS NOT NULL",
    );
    expect(await requested.bind(workspace.workspaceNumber).first("n")).toBe(0);
  });

  it("sends an address at most 3 mails in 7 days, and none to a suppressed one", async () => {
    const { id } = await lists.list();
    await lists.json(await lists.api.post("/v1/suppressions/", { email: "bob@example.org", reason: "complaint" }), 201);
    await lists.add(id, "bob@example.org");
    let sent = 0;
    for (let round = 0; round < 5; round++) {
      const contact = await lists.add(id, "ada@example.org");
      sent += (await captureMails()).length;
      await lists.api.call("DELETE", `/v1/contacts/${id}/contacts/${contact.id}`);
    }
    expect(sent).toBe(3);
  });

  it("waits while the workspace is paused or has no mailbox, and sends then", async () => {
    const { id } = await lists.list();
    await lists.add(id, "ada@example.org");
    const db = recordingContext().ctx.db;
    const activate = (value: number) =>
      db
        .prepare("UPDATE mailboxes SET is_active = ?2 WHERE workspace = ?1")
        .bind(workspace.workspaceNumber, value)
        .run();
    await activate(0);
    expect(await captureMails()).toEqual([]);
    await activate(1);
    expect(await captureMails(Date.now() + 30_000)).toEqual([]);
    expect(await captureMails(Date.now() + 11 * 60_000)).toHaveLength(1);
  });

  it("refuses a mailbox of another workspace, and one that may not send", async () => {
    const other = await aWorkspace();
    const create = (confirm_mailbox_id: unknown) =>
      lists.api.post("/v1/contacts/", { name: "A", confirm: true, confirm_mailbox_id });
    expect((await create(other.mailboxId)).status).toBe(404);
    expect((await create(crypto.randomUUID())).status).toBe(404);
    expect((await create("x")).status).toBe(422);
    expect((await create(workspace.mailboxId)).status).toBe(201);
    await recordingContext()
      .ctx.db.prepare("UPDATE mailboxes SET is_active = 0 WHERE id = ?1")
      .bind(workspace.mailboxId)
      .run();
    expect((await create(workspace.mailboxId)).status).toBe(422);
  });

  it("takes its words only from who may send, and from a restricted key only for a mailbox of its domains", async () => {
    const other = await insertDomain(workspace);
    const words = { confirm_subject: "Your invoice 4711", confirm_text: "Pay by Friday." };
    const call = async (key: Parameters<typeof aKey>[1], method: string, path: string, body: object) =>
      apiWith(await aKey(workspace, key)).call(method, `/v1/contacts/${path}`, body);
    const contacts = { scopes: ["contacts:manage"] };
    const refused = await call(contacts, "POST", "", { name: "x", confirm: true, ...words });
    expect([refused.status, await refused.json()]).toEqual([403, { detail: "Missing scope: emails:send" }]);
    expect((await call(contacts, "POST", "", { name: "x", confirm: true })).status).toBe(201);
    const sending = { scopes: ["contacts:manage", "emails:send"] };
    const restricted = (id: string) => ({ ...sending, domainIds: [id] });
    const { id } = await lists.list({ confirm_mailbox_id: workspace.mailboxId });
    const { id: open } = await lists.list();
    for (const changes of [{ confirm_subject: "x" }, { confirm_text: "x" }]) {
      expect((await call(contacts, "PATCH", id, changes)).status).toBe(403);
      expect((await call(restricted(other.id), "PATCH", id, changes)).status).toBe(403);
      expect((await call(restricted(workspace.domainId), "PATCH", open, changes)).status).toBe(403);
      expect((await call(restricted(workspace.domainId), "PATCH", id, changes)).status).toBe(200);
    }
    expect((await call(restricted(workspace.domainId), "PATCH", id, { confirm_mailbox_id: null })).status).toBe(403);
    expect((await call(contacts, "PATCH", id, { confirm_subject: null, confirm_text: null, name: "y" })).status).toBe(
      200,
    );
    expect((await call(restricted(other.id), "POST", "", { name: "x", confirm: true, ...words })).status).toBe(403);
    const own = { confirm_mailbox_id: workspace.mailboxId, ...words };
    expect((await call(restricted(workspace.domainId), "POST", "", { name: "x", ...own })).status).toBe(201);
  });

  it("stores the link in the sent email encrypted", async () => {
    const { id } = await lists.list();
    await lists.add(id, "ada@example.org");
    const [mail] = await captureMails();
    const emails = await lists.json<{ id: string }[]>(await lists.api.get("/v1/emails/"), 200);
    const source = await (await lists.api.get(`/v1/emails/${emails[0]?.id}`)).text();
    expect(mail?.path).toMatch(/^\/c\/.{88}$/);
    expect(source).not.toContain(mail?.path.slice(3));
  });
});

describe("a broadcast", () => {
  it("reaches who confirmed, skips who did not, and counts them", async () => {
    const { id } = await lists.list();
    for (const email of ["ada@example.org", "bob@example.org"]) await lists.add(id, email);
    const mails = await captureMails();
    await confirm(mails.find(({ to }) => to === "ada@example.org")?.path ?? "");
    const { api, json } = lists;
    const body = {
      name: "N",
      subject: "The news",
      from_address: workspace.mailbox,
      html_body: "<p>x</p>",
      contact_list_id: id,
    };
    const broadcast = await json<{ id: string }>(await api.post("/v1/broadcasts/", body), 201);
    const audience = () => api.get(`/v1/broadcasts/${broadcast.id}/audience`).then((response) => json(response, 200));
    const expected = { eligible: 1, skipped: { suppressed: 0, unsubscribed: 0, invalid: 0, pending: 1 } };
    expect(await audience()).toMatchObject(expected);
    await json(await api.post(`/v1/broadcasts/${broadcast.id}/send`, undefined), 200);
    const received = await captureMails();
    expect(received.map(({ to }) => to)).toEqual(["ada@example.org"]);
    expect(await audience()).toMatchObject(expected);
  });

  it("as a bulk send names who has not confirmed", async () => {
    const { id } = await lists.list();
    await lists.add(id, "bob@example.org");
    const body = { contact_list_id: id, mailbox_id: workspace.mailboxId, subject: "S", text: "T" };
    expect(await lists.json(await lists.api.post(`/v1/contacts/${id}/send`, body), 200)).toMatchObject({
      queued: 0,
      skipped: 1,
      errors: ["bob@example.org: skipped, the contact has not confirmed"],
    });
    const mails = await captureMails();
    expect(mails.filter(({ text }) => text.includes("Subject: S\r"))).toEqual([]);
  });
});
