import { describe, expect, it } from "vitest";
import { aContactList } from "../../audience/broadcasts/support.ts";
import { database } from "../../support/databases.ts";
import { consumeQueues } from "../../support/queues.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, aWorkspace, perTest, until } from "../../support/workspace.ts";
import { submit, withoutClock } from "./support.ts";

consumeQueues("work");

/** Forms that change contacts, mail a list, keep what a broadcast has, and delete the workspace. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const create = async (path: string, body: unknown) => (await workspace.create(path, body)).id;
const textOf = async (path: string) => (await session.get(path)).text();

describe("the page of a contact", () => {
  it("changes address, name and details, and keeps what was filled in when it is refused", async () => {
    const list = await create("/v1/contacts/", { name: "Customers" });
    const add = (email: string) => create(`/v1/contacts/${list}/contacts`, { email, metadata: { city: "Paris" } });
    const [id] = [await add("ada@example.org"), await add("grace@example.org")];
    const path = `/app/contacts/${list}/contacts/${id}`;
    expect(await textOf(path)).toMatch(/name="detail.0.value" type="text"[^>]*value="Paris"/);
    const detail = (row: number, name: string, value: string, kind = "text") => ({
      ...{ [`detail.${row}.name`]: name, [`detail.${row}.value`]: value, [`detail.${row}.kind`]: kind },
    });
    const details = {
      ...detail(0, "city", "Turin"),
      ...detail(1, "visits", "3", "json"),
      ...detail(2, " ", "left out"),
    };
    const form = { email: "ada@example.net", name: "Ada <b>", ...details };
    expect((await submit(session, path, form)).headers.get("Location")).toBe(`/app/contacts/${list}?done=changed`);
    const shown = await textOf(`/app/contacts/${list}?q=ada`);
    for (const text of ["ada@example.net", "Ada &lt;b&gt;", "city: Turin", "visits: 3"]) expect(shown).toContain(text);
    for (const [changes, status] of [
      [detail(1, "visits", "many", "json"), 422],
      [detail(1, "city", "twice"), 422],
      [{ email: "nobody" }, 422],
      [{ email: "grace@example.org" }, 409],
    ] as const) {
      const refused = await submit(session, path, { ...form, name: "Kept", ...changes });
      const page = await refused.text();
      expect([refused.status, page.includes('value="Kept"'), page.includes('role="alert"')]).toEqual([
        status,
        true,
        true,
      ]);
    }
    const other = await aSession(await aWorkspace());
    expect((await submit(other, path, form)).status).toBe(404);
  });
});

describe("the page that mails a list", () => {
  it("queues one email for each contact, once however often it is sent", async () => {
    const list = await aContactList(workspace, 3);
    const path = `/app/contacts/${list}/send`;
    expect(await textOf(path)).toContain("The list has 3 contacts.");
    const form = {
      ...{ mailbox_id: workspace.mailboxId, subject: "News for {{name}}", html: "", text: "Hello {{email}}" },
      idempotency_key: crypto.randomUUID(),
    };
    const pages = await Promise.all([1, 2].map(async () => (await submit(session, path, form)).text()));
    expect(pages[0]).toContain("3 queued, 0 skipped.");
    expect(withoutClock(pages[1] ?? "")).toBe(withoutClock(pages[0] ?? ""));
    const emails = async () => (await (await workspace.get("/v1/emails/")).json<unknown[]>()).length;
    await until(emails, (count) => count >= 3);
    const sends = await database.value("SELECT count(*) AS count FROM broadcasts WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    expect([await emails(), sends]).toEqual([3, 1]);
    const empty = await submit(session, path, { ...form, text: "", idempotency_key: crypto.randomUUID() });
    expect([empty.status, (await empty.text()).includes("News for {{name}}")]).toEqual([422, true]);
  });
});

describe("the page of a template", () => {
  it("shows the template with sample values and mails it so, once", async () => {
    const id = await create("/v1/templates/", {
      ...{ name: "Receipt", subject: "For {{name}}", html_body: "<p>Hi {{name}} of {{city}}</p>" },
    });
    expect(await textOf(`/app/templates/${id}/html?v.name=Ada%20%3Cb%3E`)).toContain("Hi Ada &lt;b&gt; of city");
    expect(await textOf(`/app/templates/${id}?v.name=Ada`)).toContain("/html?v.name=Ada");
    const form = {
      ...{ from_: workspace.mailbox, to: "ada@simulator.test", "v.name": "Ada", "v.city": "" },
      idempotency_key: crypto.randomUUID(),
    };
    const sent = await Promise.all([1, 2].map(() => submit(session, `/app/templates/${id}/test`, form)));
    const [first, second] = sent.map((response) => response.headers.get("Location") ?? "");
    expect(second).toBe(first);
    const email = await (await workspace.get(`/v1/emails/${/[0-9a-f-]{36}/.exec(first ?? "")?.[0]}`)).json();
    expect(email).toMatchObject({ subject: "For Ada", html_body: "<p>Hi Ada of city</p>" });
    const wrong = await submit(session, `/app/templates/${id}/test`, {
      ...form,
      to: "nobody",
      idempotency_key: crypto.randomUUID(),
    });
    expect([wrong.status, (await wrong.text()).includes('role="alert"')]).toEqual([422, true]);
  });
});

describe("the form of a broadcast", () => {
  it("keeps the seconds of a schedule that is not changed, and the limit an hour", async () => {
    const at = new Date(Date.now() + 7_200_000);
    at.setUTCSeconds(42, 0);
    const id = await create("/v1/broadcasts/", {
      ...{
        name: "News",
        subject: "S",
        text_body: "T",
        from_address: workspace.mailbox,
        scheduled_at: at.toISOString(),
      },
      ...{ contact_list_id: await create("/v1/contacts/", { name: "L" }), max_per_hour: 500 },
    });
    const page = await textOf(`/app/broadcasts/${id}/review`);
    const names = [...page.matchAll(/<(?:input|select|textarea)[^>]* name="([a-z_]+)"/g)].map(([, name]) => name ?? "");
    expect(names).toContain("max_per_hour");
    const form = {
      ...{ when: "later", action: "schedule", idempotency_key: crypto.randomUUID() },
      ...{ scheduled_at: at.toISOString().slice(0, 16), stored_scheduled_at: at.toISOString(), max_per_hour: "400" },
    };
    await submit(session, `/app/broadcasts/${id}/review`, form);
    const changed = await (await workspace.get(`/v1/broadcasts/${id}`)).json();
    expect(changed).toMatchObject({ name: "News", max_per_hour: 400, scheduled_at: at.toISOString() });
    await submit(session, `/app/broadcasts/${id}/review`, { ...form, max_per_hour: "" });
    expect(await (await workspace.get(`/v1/broadcasts/${id}`)).json()).toMatchObject({ max_per_hour: null });
  });
});

describe("the page that deletes the workspace", () => {
  it("deletes it when an owner types its name, and not otherwise", async () => {
    const { name } = await (await workspace.get(`/v1/workspaces/${workspace.workspaceId}`)).json<{ name: string }>();
    const admin = await aSession({ ...workspace, userId: (await aMember(workspace, "admin")).userId });
    expect((await submit(admin, "/app/settings/delete", { name })).status).toBe(403);
    expect((await submit(session, "/app/settings/delete", { name: "Another" })).status).toBe(422);
    expect((await workspace.get("/v1/emails/")).status).toBe(200);
    expect((await submit(session, "/app/settings/delete", { name })).headers.get("Location")).toBe("/auth/sign-in");
    expect((await workspace.get("/v1/emails/")).status).toBe(401);
  });
});

it("the page of all forms has those of every list, and leads to the lists that a new one may join", async () => {
  const lists = [await create("/v1/contacts/", { name: "Readers" }), await create("/v1/contacts/", { name: "Guests" })];
  expect(await textOf("/app/forms")).toContain("No form yet.");
  const names = ["Sign up", "At the till"];
  for (const [index, name] of names.entries())
    await create(`/v1/contacts/${lists[index]}/forms`, { name, title: "Join us", text: "News" });
  const html = await textOf("/app/forms");
  for (const [index, name] of names.entries()) {
    expect(html).toMatch(new RegExp(`<a href="/app/contacts/${lists[index]}/forms/[0-9a-f-]{36}">${name}</a>`));
    expect(html).toContain(`href="/app/contacts/${lists[index]}/forms"`);
  }
  const elsewhere = await aSession(await aWorkspace());
  expect(await (await elsewhere.get("/app/forms")).text()).toContain("No form yet.");
});
