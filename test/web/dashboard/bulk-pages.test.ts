import { describe, expect, it } from "vitest";
import { multipart } from "../../audience/contacts/csv-support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of contacts, templates and broadcasts: their forms do what the API does. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const locationOf = async (path: string, fields: Record<string, string> = {}) => {
  const response = await submit(session, path, fields);
  return response.headers.get("Location") ?? `${response.status} ${await response.text()}`;
};
const keyed = (fields: Record<string, string>) => ({ idempotency_key: crypto.randomUUID(), ...fields });
const withoutQuery = (location: string) => location.replace(/\?.*/, "");

describe("the contacts pages", () => {
  it("create a list once, add, find and delete a contact, import and export a file, and delete the list", async () => {
    expect(await textOf("/app/contacts")).toContain("No contact list yet.");
    const form = keyed({ name: "Customers" });
    const created = await locationOf("/app/contacts", form);
    expect(await locationOf("/app/contacts", form)).toBe(created);
    const path = withoutQuery(created);
    expect(await textOf(path)).toContain("The list is empty.");
    expect(await locationOf(path, keyed({ email: "ada@example.org", name: "Ada <b>" }))).toBe(`${path}?done=added`);
    const wrong = await submit(session, path, keyed({ email: "nobody", name: "Kept" }));
    expect([wrong.status, (await wrong.text()).includes('value="Kept"')]).toEqual([422, true]);
    const { body, headers } = multipart("email,city\ngrace@example.org,Paris\nada@example.org,\nno address,\n");
    const imported = await (await session.call("POST", `${path}/import`, body, headers)).text();
    expect(imported).toContain("1 imported, 1 skipped, 1 refused.");
    expect(await textOf(`${path}?q=grace`)).toContain("city: Paris");
    expect(await textOf(`${path}?q=nobody`)).toContain("No contact matches.");
    expect(await textOf(path)).toContain("Ada &lt;b&gt;");
    expect(await textOf(`${path}/export`)).toContain("grace@example.org,,Paris");
    const remove = new RegExp(`${path}/contacts/[0-9a-f-]{36}/delete`).exec(await textOf(`${path}?q=ada@example.org`));
    const asked = await submit(session, remove?.[0] ?? "");
    expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining("Delete ada@example.org?")]);
    expect(await textOf(`${path}?q=ada@example.org`)).toContain("/delete");
    expect(await locationOf(remove?.[0] ?? "", { confirmed: "yes" })).toBe(`${path}?done=contact-deleted`);
    expect(await textOf(`${path}/delete`)).toContain("Delete Customers?");
    expect(await locationOf(`${path}/delete`)).toBe("/app/contacts?done=deleted");
    expect((await session.get(path)).status).toBe(404);
  });
});

describe("the templates pages", () => {
  it("write a template once, change, preview, duplicate and delete it, and show an invalid form again", async () => {
    const form = keyed({ name: "Receipt", subject: "For {{name}}", html_body: "<p>Hi {{name}}</p>", text_body: "" });
    const created = await locationOf("/app/templates/new", form);
    expect(await locationOf("/app/templates/new", form)).toBe(created);
    const path = withoutQuery(created);
    const wrong = await submit(
      session,
      "/app/templates/new",
      keyed({ ...form, idempotency_key: crypto.randomUUID(), name: "" }),
    );
    expect([wrong.status, (await wrong.text()).includes("Hi {{name}}")]).toEqual([422, true]);
    expect(await locationOf(path, { ...form, html_body: "<script>1</script><p>Dear {{name}}</p>" })).toBe(
      `${path}?done=saved`,
    );
    const frame = await session.get(`${path}/html`);
    expect(frame.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(await frame.text()).toContain("<p>Dear name</p>");
    const copy = withoutQuery(await locationOf(`${path}/duplicate`, keyed({})));
    expect(await textOf(copy)).toContain("Dear {{name}}");
    expect(await locationOf(`${path}/delete`)).toBe("/app/templates?done=deleted");
    expect((await session.get(path)).status).toBe(404);
  });
});

describe("the broadcasts pages", () => {
  it("test, send, pause, cancel and delete a broadcast, and show its audience and results", async () => {
    const list = withoutQuery(await locationOf("/app/contacts", keyed({ name: "Customers" })));
    for (const name of ["ada", "grace"]) await submit(session, list, keyed({ email: `${name}@example.org`, name }));
    const contact_list_id = list.split("/").at(-1) ?? "";
    const create = async (changes: object) => {
      const fields = { name: "News", subject: "Hi", from_address: workspace.mailbox, html_body: "<p>Hi</p>" };
      return `/app/broadcasts/${(await workspace.create("/v1/broadcasts/", { ...fields, contact_list_id, ...changes })).id}`;
    };
    const later = await create({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await textOf(later)).toMatch(/Get it<\/dt><dd>2</);
    expect((await submit(session, `${later}/pause`)).status).toBe(409);
    expect(await locationOf(`${later}/cancel`)).toBe(`${later}?done=cancelled`);
    expect(await textOf(`${later}/delete`)).toContain("Delete News?");
    expect(await locationOf(`${later}/delete`)).toBe("/app/broadcasts?done=deleted");
    const path = await create({});
    expect(await locationOf(`${path}/send`)).toBe(`${path}?done=sending`);
    expect(await textOf(path)).toContain("Results");
    expect(await locationOf(`${path}/pause`)).toBe(`${path}?done=paused`);
  });
});
