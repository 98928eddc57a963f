import { describe, expect, it } from "vitest";
import { importCsv } from "../../audience/contacts/csv-support.ts";
import { aList } from "../../audience/contacts/support.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aKey, apiWith, aWorkspace, perTest, type TestWorkspace } from "../../support/workspace.ts";

/** Emails as a person of choice gets them: on the pages, and as tests. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));
const textOf = async (path: string) => (await session.get(path)).text();

const CSV = "email,name,city,plan\nada@a.example,Ada,London,gold\nbob@a.example,Bob,Bonn,free\n";
const CONTENT = {
  language: "liquid",
  subject: "News for {{name}}",
  preheader: "From {{city}}",
  html_body: "<p>Dear {{name}}{% if plan == 'gold' %}, thank you{% endif %} & {{ event.order }}</p>",
  text_body: "Dear {{name}} of {{city}}",
};

async function aDraft(of: TestWorkspace) {
  const list = await aList(of);
  await importCsv(of, list.id, CSV);
  const body = { name: "News", from_address: of.mailbox, contact_list_id: list.id, ...CONTENT };
  return (await of.create("/v1/broadcasts/", body)).id;
}

/** Sends what a test sends, and returns its email. */
async function sent(response: Response) {
  expect(response.status, await response.clone().text()).toBe(202);
  const { emails } = await response.json<{ emails: { id: string }[] }>();
  await runOutboxAt(Date.now());
  const detail = await workspace.get(`/v1/emails/${emails[0]?.id}`);
  return detail.json<{ subject: string; html_body: string; status: string }>();
}

describe("a broadcast", () => {
  it("is shown as each contact gets it, as HTML and as plain text, and never with a tag", async () => {
    const id = await aDraft(workspace);
    const html = (query: string) => textOf(`/app/broadcasts/${id}/html?${query}`);
    expect(await html("contact=ada@a.example")).toContain("Dear Ada, thank you");
    expect(await html("contact=BOB@a.example")).toMatch(/Dear Bob &(?:amp;)? /);
    expect(await html("contact=bob@a.example&part=text")).toContain("Dear Bob of Bonn");
    // Without a contact it is the oldest one of the list.
    expect(await html("")).toContain("Dear Ada");
    for (const step of ["test", "review"]) {
      const page = await textOf(`/app/broadcasts/${id}/${step}?contact=bob@a.example`);
      // The hint about the web version names its value.
      expect(page.replace("{{web_version_url}}", "")).not.toMatch(/\{\{|\{%/);
      expect(page).toContain(`src="/app/broadcasts/${id}/html?contact=bob%40a.example"`);
    }
    const review = await textOf(`/app/broadcasts/${id}/review?contact=bob@a.example`);
    expect(review).toContain("News for Bob");
    expect(review).toContain("From Bonn");
  });

  it("says that no contact has an address, and shows the values of none", async () => {
    const id = await aDraft(workspace);
    expect(await textOf(`/app/broadcasts/${id}/test?contact=no@a.example`)).toContain("No contact has this address");
    expect(await textOf(`/app/broadcasts/${id}/html?contact=no@a.example`)).toMatch(/Dear {2}& /);
  });

  it("is sent as a test with the values of a contact, to another address", async () => {
    const id = await aDraft(workspace);
    const test = (body: object) => workspace.post(`/v1/broadcasts/${id}/test`, body);
    const email = await sent(await test({ to: ["delivered+t@simulator.test"], contact: "ada@a.example" }));
    expect(email).toMatchObject({ subject: "News for Ada", status: "delivered" });
    expect(email.html_body).toContain("Dear Ada, thank you");
    expect(JSON.stringify(email)).toContain("delivered+t@simulator.test");
    expect((await test({ to: ["delivered@simulator.test"], contact: "no@a.example" })).status).toBe(422);
  });

  it("gives a key without the right to read contacts no value of one", async () => {
    const id = await aDraft(workspace);
    const sender = apiWith(await aKey(workspace, { scopes: ["broadcasts:send", "broadcasts:view"] }));
    const body = { to: ["delivered@simulator.test"], contact: "ada@a.example" };
    expect((await sender.post(`/v1/broadcasts/${id}/test`, body)).status).toBe(403);
  });

  it("does not show a contact of another workspace", async () => {
    const id = await aDraft(workspace);
    const other = await aWorkspace();
    const list = await aList(other);
    await importCsv(other, list.id, "email,name\neve@a.example,Eve\n");
    expect(await textOf(`/app/broadcasts/${id}/html?contact=eve@a.example`)).not.toContain("Eve");
  });
});

describe("the email of a step", () => {
  async function anAutomation() {
    const list = await aList(workspace);
    await importCsv(workspace, list.id, CSV);
    const step = {
      ...{ kind: "send_email", mailbox_id: workspace.mailboxId, language: "liquid" },
      ...{ subject: CONTENT.subject, html: CONTENT.html_body, text: CONTENT.text_body },
    };
    const steps = [{ kind: "wait", for: { days: 1 } }, step];
    return (await workspace.create("/v1/automations/", { name: "A", trigger: { event: "a" }, steps })).id;
  }

  it("is shown as a contact gets it after an event", async () => {
    const path = `/app/automations/${await anAutomation()}/steps/1`;
    const query = new URLSearchParams({ contact: "ada@a.example", data: '{"order": 42}' });
    expect(await textOf(`${path}/html?${query}`)).toMatch(/Dear Ada, thank you &(?:amp;)? 42/);
    expect(await textOf(`${path}/html?contact=bob@a.example&part=text&data=x`)).toContain("Dear Bob of Bonn");
    expect(await textOf(`${path}?${query}`)).toContain(
      `src="${path}/html?${query.toString().replaceAll("&", "&amp;")}"`,
    );
    expect((await session.get(path.replace("/steps/1", "/steps/0/html"))).status).toBe(404);
  });

  it("is sent as a test with the values of a contact and the data of an event", async () => {
    const path = `/v1/automations/${await anAutomation()}/test`;
    const body = { step: "1", to: ["delivered@simulator.test"], contact: "ada@a.example", data: { order: 42 } };
    const email = await sent(await workspace.post(path, body));
    expect(email).toMatchObject({ subject: "News for Ada", status: "delivered" });
    expect(email.html_body).toMatch(/Dear Ada, thank you &(?:amp;)? 42/);
    expect((await workspace.post(path, { ...body, step: "0" })).status).toBe(404);
    expect((await workspace.post(path, { ...body, step: "9.x" })).status).toBe(404);
  });
});
