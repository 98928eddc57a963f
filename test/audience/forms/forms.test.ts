import { beforeEach, describe, expect, it } from "vitest";
import type { FormOut } from "../../../src/audience/forms/index.ts";
import { database } from "../../support/databases.ts";
import { forgetMailsTo } from "../../support/mails-of-strangers.ts";
import { eventNamesOf, recordEvents } from "../../support/person-events.ts";
import { aWorkspace, createApiWithoutQueue, perTest } from "../../support/workspace.ts";
import { captureMails, evidenceOf, listsOf } from "../consent/support.ts";

const workspace = perTest(aWorkspace);
const lists = perTest(() => listsOf(workspace));
const visitor = createApiWithoutQueue(null);

async function aForm(changes: Record<string, unknown> = {}, list: Record<string, unknown> = {}) {
  const { id } = await lists.list(list);
  const body = { name: "Footer", title: "Our news", text: "Once a month.", ...changes };
  const form = await lists.json<FormOut>(await lists.api.post(`/v1/contacts/${id}/forms`, body), 201);
  return { listId: id, form, path: new URL(form.url).pathname };
}

let lastHost = 0;
/** Submits a form, each time from another network. */
const submit = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  visitor.call("POST", path, new URLSearchParams(fields).toString(), {
    "Content-Type": "application/x-www-form-urlencoded",
    "CF-Connecting-IP": `198.51.${++lastHost % 250}.7`,
    ...headers,
  });

beforeEach(() => forgetMailsTo("ada@example.org", "bob@example.org"));

describe("a form", () => {
  it("adds a person for the automations when they confirm, and never changes one who is there", async () => {
    await recordEvents(workspace);
    const { path } = await aForm({ fields: [{ name: "name", label: "Your name" }] });
    await submit(path, { email: "ada@example.org", name: "Ada" });
    expect(await eventNamesOf(workspace)).toEqual([]);
    const [mail] = await captureMails();
    await visitor.call("POST", mail?.path ?? "", "", { "Content-Type": "application/x-www-form-urlencoded" });
    await submit(path, { email: "ada@example.org", name: "Eve" });
    expect((await eventNamesOf(workspace)).filter((name) => name.startsWith("contact."))).toEqual([
      "contact.confirmed ada@example.org",
      "contact.added ada@example.org",
    ]);
  });

  it("takes no one at the end of the budget of contacts, of which the visitor learns nothing", async () => {
    const { path } = await aForm();
    const stored = `INSERT OR REPLACE INTO shard_workspaces (number, id, status, stored) VALUES (?1, ?2, 'open', '{"contacts":2000000}')`;
    await database.run(stored, [workspace.workspaceNumber, workspace.workspaceId]);
    const refused = await submit(path, { email: "ada@example.org" });
    const page = await refused.text();
    expect([refused.status, page.includes("The form was submitted too often"), page.includes("contacts")]).toEqual([
      ...[429, true, false],
    ]);
  });

  it("keeps no more evidence than there may be of a person, and that of a confirmation always", async () => {
    const { path } = await aForm();
    await submit(path, { email: "ada@example.org" });
    const [mail] = await captureMails();
    const fill = `INSERT INTO consents (workspace, email_key, id, kind, at, list_id, list_name)
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 999) SELECT ?1, 'ada@example.org', n, 'requested', 0, '', '' FROM c`;
    await database.run(fill, [workspace.workspaceNumber]);
    expect((await submit(path, { email: "ada@example.org" })).status).toBe(200);
    expect(await evidenceOf(workspace, "ada@example.org")).toHaveLength(1_000);
    await visitor.call("POST", mail?.path ?? "", "", { "Content-Type": "application/x-www-form-urlencoded" });
    const kinds = (await evidenceOf(workspace, "ada@example.org")).map(({ kind }) => kind);
    expect([kinds.length, kinds.includes("confirmed")]).toEqual([1_001, true]);
  });

  it("makes a contact pending, mails a link, and the person is on the list after the button", async () => {
    const fields = [
      { name: "name", label: "Your name" },
      { name: "city", label: "Town", required: true },
    ];
    const { listId, form, path } = await aForm({ fields });
    const page = await (await visitor.get(path)).text();
    expect(page).toMatch(/<h1[^>]*>Our news<\/h1>/);
    for (const part of ["Once a month.", 'name="email"', "Your name", "Town"]) expect(page).toContain(part);
    const sent = await submit(path, { email: "Ada@Example.org", name: "Ada Lovelace", city: "Ulm" });
    expect(sent.status).toBe(200);
    expect(await sent.text()).toContain("Open the link in the email");
    expect(await lists.statuses(listId)).toEqual({ "Ada@example.org": "pending" });
    const [mail, ...more] = await captureMails();
    expect(more).toEqual([]);
    expect(mail?.to).toBe("Ada@example.org");
    await visitor.call("POST", mail?.path ?? "", "", { "Content-Type": "application/x-www-form-urlencoded" });
    const list = await lists.json<{ contacts: object[]; contact_count: number }>(
      await lists.api.get(`/v1/contacts/${listId}`),
      200,
    );
    expect(list.contact_count).toBe(1);
    expect(list.contacts).toMatchObject([{ status: "active", name: "Ada Lovelace", metadata: { city: "Ulm" } }]);
    const evidence = await evidenceOf(workspace, "ada@example.org");
    expect(evidence.map(({ kind }) => kind)).toEqual(["requested", "confirmed"]);
    expect(JSON.parse(evidence[0]?.words ?? "")).toEqual({
      ...{ kind: "form", title: form.title, text: form.text, button: form.button },
    });
  });

  it("asks for confirmation also for a list that does not", async () => {
    const { listId, path } = await aForm({}, { confirm: false });
    await submit(path, { email: "ada@example.org" });
    expect(await lists.statuses(listId)).toEqual({ "ada@example.org": "pending" });
    expect(await captureMails()).toHaveLength(1);
  });

  it("tells nothing about who is on the list", async () => {
    const { listId, path } = await aForm();
    await lists.add(listId, "active@example.org", { consent: { source: "shop" } });
    await lists.add(listId, "pending@example.org");
    await lists.json(
      await lists.api.post("/v1/suppressions/", { email: "left@example.org", reason: "unsubscribe" }),
      201,
    );
    await captureMails();
    const pages = [];
    for (const email of ["active@example.org", "pending@example.org", "left@example.org", "new@example.org"]) {
      const response = await submit(path, { email });
      pages.push([response.status, (await response.text()).replaceAll(email, "")]);
    }
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1);
    expect(await lists.statuses(listId)).toMatchObject({ "active@example.org": "active" });
    expect((await captureMails()).map(({ to }) => to).sort()).toEqual([
      "left@example.org",
      "new@example.org",
      "pending@example.org",
    ]);
  });

  it.each(["on the list", "not on the list"])(
    "brings back who unsubscribed and is %s, by one mail a day",
    async (where) => {
      const { listId, path } = await aForm();
      const email = "ada@example.org";
      if (where === "on the list") await lists.add(listId, email, { consent: { source: "shop" } });
      await lists.json(await lists.api.post("/v1/suppressions/", { email, reason: "unsubscribe" }), 201);
      const suppressed = async () =>
        (await lists.json<{ email: string }[]>(await lists.api.get("/v1/suppressions/"), 200)).map((one) => one.email);
      await submit(path, { email });
      const [mail, ...more] = await captureMails();
      expect([mail?.to, more]).toEqual([email, []]);
      await submit(path, { email });
      expect(await captureMails()).toEqual([]);
      expect(await suppressed()).toEqual([email]);
      await submit(path, { email });
      const now = Date.now() + 25 * 3_600_000;
      expect((await captureMails(now)).map(({ to }) => to)).toEqual([email]);
      await visitor.call("POST", mail?.path ?? "", "", { "Content-Type": "application/x-www-form-urlencoded" });
      expect(await suppressed()).toEqual([]);
      expect(await lists.statuses(listId)).toEqual({ [email]: "active" });
      const { contacts } = await lists.json<{ contacts: object[] }>(await lists.api.get(`/v1/contacts/${listId}`), 200);
      expect(contacts).toMatchObject([{ subscribed: true, suppressed: false }]);
    },
  );

  it.each(["bounce", "complaint", "manual"])("mails no address with the reason %s, which stays", async (reason) => {
    const { listId, path } = await aForm();
    const email = "ada@example.org";
    await lists.add(listId, email);
    const [mail] = await captureMails();
    for (const one of ["unsubscribe", reason]) await lists.api.post("/v1/suppressions/", { email, reason: one });
    await submit(path, { email });
    expect(await captureMails()).toEqual([]);
    await visitor.call("POST", mail?.path ?? "", "", { "Content-Type": "application/x-www-form-urlencoded" });
    const left = await lists.json<object[]>(await lists.api.get("/v1/suppressions/"), 200);
    expect(left).toMatchObject([{ email, reason }]);
  });

  it("sends no confirmation to an unsubscribed person whom a call of the API adds again", async () => {
    const { listId, path } = await aForm();
    const email = "ada@example.org";
    await submit(path, { email });
    await captureMails();
    const { contacts } = await lists.json<{ contacts: { id: string }[] }>(
      await lists.api.get(`/v1/contacts/${listId}`),
      200,
    );
    await lists.api.call("DELETE", `/v1/contacts/${listId}/contacts/${contacts[0]?.id}`);
    await lists.json(await lists.api.post("/v1/suppressions/", { email, reason: "unsubscribe" }), 201);
    await lists.add(listId, email);
    expect(await captureMails(Date.now() + 25 * 3_600_000)).toEqual([]);
  });

  it("does not change a contact that is there, nor mail it more than three times in a week", async () => {
    const { listId, path } = await aForm({ fields: [{ name: "name", label: "Name" }] });
    await lists.add(listId, "ada@example.org", { name: "Ada" });
    let mails = 0;
    for (let round = 0; round < 6; round++) {
      await submit(path, { email: "ada@example.org", name: "Mallory" });
      mails += (await captureMails()).length;
    }
    expect(mails).toBe(3);
    const list = await lists.json<{ contacts: object[] }>(await lists.api.get(`/v1/contacts/${listId}`), 200);
    expect(list.contacts).toMatchObject([{ email: "ada@example.org", name: "Ada" }]);
  });

  it("takes the same submission twice at once as one contact and one mail", async () => {
    const { listId, path } = await aForm();
    const both = await Promise.all([1, 2].map(() => submit(path, { email: "ada@example.org" })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await captureMails()).toHaveLength(1);
    expect(await lists.statuses(listId)).toEqual({ "ada@example.org": "pending" });
  });

  it("ignores what programs fill in, and refuses wrong fields with the values kept", async () => {
    const { listId, path } = await aForm({ fields: [{ name: "city", label: "Town", required: true }] });
    expect((await submit(path, { email: "bot@example.org", city: "x", website: "https://spam.example" })).status).toBe(
      200,
    );
    const wrong: Record<string, string>[] = [
      { email: "no address", city: "Ulm" },
      { email: "ada@example.org" },
      { email: "ada@example.org", city: "a\r\nBcc: x@example.org" },
      { email: "ada@example.org", city: "a\u0000" },
      { email: "ada@example.org", city: "x".repeat(501) },
      { email: "ada@example.org\r\nTo: eve@example.org", city: "Ulm" },
    ];
    for (const fields of wrong) {
      const response = await submit(path, fields);
      expect(response.status, JSON.stringify(fields)).toBe(422);
      expect(await response.text()).toContain('name="email"');
    }
    expect(await lists.statuses(listId)).toEqual({});
    expect(await captureMails()).toEqual([]);
  });

  it("refuses bodies that are too large or of another type", async () => {
    const { path } = await aForm();
    expect((await submit(path, { email: "ada@example.org", city: "x".repeat(20_000) })).status).toBe(413);
    expect((await submit(path, {}, { "Content-Type": "text/plain" })).status).toBe(415);
  });

  it("takes multipart/form-data as urlencoded forms, from pages of other sites too (HTML 4.10.21.5)", async () => {
    const { listId, path } = await aForm({ fields: [{ name: "city", label: "Town", required: true }] });
    const part = (name: string, text: string, more = "") =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
    const multipart = (body: string) =>
      visitor.call("POST", path, `${body}--b--\r\n`, {
        "Content-Type": "multipart/form-data; boundary=b",
        Origin: "https://www.shop.example",
        "CF-Connecting-IP": "192.0.2.9",
      });
    const email = part("email", "ada@example.org");
    const incomplete = await multipart(email);
    expect([incomplete.status, await incomplete.text()]).toEqual([
      422,
      expect.stringContaining('value="ada@example.org"'),
    ]);
    const fields = part("city", "Köln") + part("other", "x") + part("picture", "bytes", '; filename="a.png"');
    expect((await multipart(email + fields)).status).toBe(200);
    expect(await lists.statuses(listId)).toEqual({ "ada@example.org": "pending" });
    const list = await lists.json<{ contacts: object[] }>(await lists.api.get(`/v1/contacts/${listId}`), 200);
    expect(list.contacts).toMatchObject([{ email: "ada@example.org", metadata: { city: "Köln" } }]);
    expect(await captureMails()).toHaveLength(1);
    expect((await multipart(email + part("city", "x".repeat(20_000)))).status).toBe(413);
    expect((await multipart(email + part("x", "").repeat(100))).status).toBe(422);
    expect((await multipart("--c")).status).toBe(422);
  });

  it("takes thirty submissions an hour from a network, and says when the next may come", async () => {
    const { path } = await aForm();
    const answers = [];
    for (let n = 0; n < 31; n++)
      answers.push(await submit(path, { email: `p${n}@example.org` }, { "CF-Connecting-IP": `203.0.113.${n}` }));
    expect(answers.map(({ status }) => status)).toEqual([...Array(30).fill(200), 429]);
    expect((await submit(path, { email: "other@example.org" })).status).toBe(200);
  });

  it("leads to the page of the workspace after a submission", async () => {
    const { path } = await aForm({ redirect_url: "https://shop.example/thanks" });
    const page = await visitor.get(path);
    expect(page.headers.get("Content-Security-Policy")).toContain("form-action 'self' https://shop.example");
    const response = await submit(path, { email: "ada@example.org" });
    expect([response.status, response.headers.get("Location")]).toEqual([303, "https://shop.example/thanks"]);
  });

  it("can be submitted from a page of another site, by the HTML of the response", async () => {
    const { form, listId, path } = await aForm({ title: 'A "form" & <more>', text: "<b>x</b>" });
    expect(form.html).toContain(`action="${form.url}"`);
    expect(form.html).toContain("&lt;b&gt;x&lt;/b&gt;");
    const headers = { Origin: "https://shop.example", "Sec-Fetch-Site": "cross-site" };
    expect((await submit(path, { email: "ada@example.org" }, headers)).status).toBe(200);
    expect(await lists.statuses(listId)).toEqual({ "ada@example.org": "pending" });
  });

  it("is gone when it is deleted, not active, or its list is deleted, and for a forged token", async () => {
    const { listId, form, path } = await aForm();
    const formPath = `/v1/contacts/${listId}/forms/${form.id}`;
    const isGone = async () => {
      expect((await visitor.get(path)).status).toBe(404);
      expect((await submit(path, { email: "ada@example.org" })).status).toBe(404);
    };
    for (const bad of ["/f/x", `${path}A`, path.replace(/.$/, (last) => (last === "A" ? "Q" : "A")), "/f/%00"])
      expect((await visitor.get(bad)).status).toBe(404);
    await lists.json(await lists.api.call("PATCH", formPath, { is_active: false }), 200);
    await isGone();
    await lists.json(await lists.api.call("PATCH", formPath, { is_active: true, title: "New" }), 200);
    expect(await (await visitor.get(path)).text()).toContain("New");
    expect((await lists.api.call("DELETE", `/v1/contacts/${listId}`)).status).toBe(204);
    await isGone();
    expect((await lists.api.call("DELETE", formPath)).status).toBe(404);
  });
});

describe("the forms of a list", () => {
  it("are listed, changed and deleted, and are at most 20", async () => {
    const { listId, form } = await aForm();
    const path = `/v1/contacts/${listId}/forms`;
    const changed = await lists.json<FormOut>(
      await lists.api.call("PATCH", `${path}/${form.id}`, { redirect_url: "https://shop.example/", fields: [] }),
      200,
    );
    expect(changed).toMatchObject({ redirect_url: "https://shop.example/", title: form.title });
    const cleared = await lists.api.call("PATCH", `${path}/${form.id}`, { redirect_url: null });
    expect(await lists.json(cleared, 200)).toMatchObject({ redirect_url: null });
    const body = { name: "x", title: "y", text: "z" };
    const answers = await Promise.all(Array.from({ length: 21 }, () => lists.api.post(path, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(201), 409, 409]);
    expect(await lists.json<FormOut[]>(await lists.api.get(path), 200)).toHaveLength(20);
    expect((await lists.api.call("DELETE", `${path}/${form.id}`)).status).toBe(204);
    expect((await lists.api.get(`${path}/${form.id}`)).status).toBe(404);
  });

  it("refuse fields that a form cannot have", async () => {
    const { id } = await lists.list();
    const base = { name: "x", title: "y", text: "z" };
    const field = (name: string) => ({ name, label: "L" });
    for (const wrong of [
      { title: "a\r\nb" },
      { title: "\u0000" },
      { text: "" },
      { text: "x".repeat(2_001) },
      { fields: [field("email")] },
      { fields: [field("__proto__")] },
      { fields: [field("website")] },
      { fields: [field("a"), field("a")] },
      { fields: Array.from({ length: 11 }, (_, n) => field(`f${n}`)) },
      { redirect_url: "http://shop.example/" },
      { redirect_url: "javascript:alert(1)" },
      { redirect_url: "https://user:secret@shop.example/" },
    ])
      expect(
        (await lists.api.post(`/v1/contacts/${id}/forms`, { ...base, ...wrong })).status,
        JSON.stringify(wrong),
      ).toBe(422);
  });
});
