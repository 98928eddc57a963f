/** Broadcasts in Liquid: what each contact gets, what is frozen, and what becomes of a text that cannot be rendered. */
import { expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const PEOPLE = [
  {
    email: "delivered+a@simulator.test",
    name: "Ada",
    metadata: { plan: "pro", order: { total: 12.5, lines: ["Tea", "<Cup>"] } },
  },
  { email: "delivered+b@simulator.test", name: "Bo", metadata: { plan: "free", active: true, n: 3 } },
];

async function aList(people: readonly object[] = PEOPLE): Promise<string> {
  const { id } = await broadcasts.expectJson<{ id: string }>(
    await broadcasts.api.post("/v1/contacts/", { name: "People" }),
    201,
  );
  for (const person of people)
    await broadcasts.expectJson(await broadcasts.api.post(`/v1/contacts/${id}/contacts`, person), 201);
  return id;
}

const template = async (body: object) =>
  broadcasts.expectJson<{ id: string }>(
    await broadcasts.api.post("/v1/templates/", { language: "liquid", ...body }),
    201,
  );

async function sent(id: string): Promise<DetailOut[]> {
  const response = await broadcasts.act(id, "send");
  expect(response.status, await response.clone().text()).toBe(200);
  await runBroadcasts();
  const rows = (await emailsOf(id)).toSorted((a, b) => a.email.localeCompare(b.email));
  return Promise.all(rows.map(async (row) => (await broadcasts.api.get(`/v1/emails/${row.id}`)).json<DetailOut>()));
}

it("decides by the data of each contact, with lists, numbers and truth values as they are", async () => {
  const { id } = await broadcasts.create({
    language: "liquid",
    contact_list_id: await aList(),
    subject: "{% if plan == 'pro' %}Thanks, {{ name }}{% else %}Try Pro{% endif %}",
    preheader: "{{ name }} & {% if active %}active{% endif %}",
    html_body:
      "<body>{% for line in order.lines %}[{{ line }}]{% endfor %}{{ order.total | money: 'EUR' }}{% if n > 2 %}!{% endif %}</body>",
    text_body: "{{ name }} {{ email }}",
  });
  const [ada, bo] = await sent(id);
  expect([ada?.subject, bo?.subject, ada?.status]).toEqual(["Thanks, Ada", "Try Pro", "delivered"]);
  expect(ada?.html_body).toContain("Ada &amp; </div>[Tea][&lt;Cup&gt;]€12.50<p");
  expect(bo?.html_body).toMatch(/Bo &amp; active<\/div>!<p .*href="http[^"]+\/u\/[^"]+"/);
  expect(bo?.text_body).toMatch(/^Bo delivered\+b@simulator\.test\n\nUnsubscribe: http/);
});

it("renders templates as they were when the send began, with the unsubscribe link where they have it", async () => {
  const footer = await template({ name: "footer", html_body: '<a href="{{ unsubscribe_url }}">Stop, {{ name }}</a>' });
  const { id } = await broadcasts.create({
    ...{ language: "liquid", ab_test_pct: 50, text_body: null },
    contact_list_id: await aList(
      ["c", "d", "e", "f"].map((x) => ({ email: `delivered+${x}@simulator.test`, name: x })),
    ),
    html_body: "<p>{{ name }}</p>{% render 'footer' %}",
  });
  await broadcasts.addVariant(id, "A");
  await broadcasts.addVariant(id, "B");
  await sent(id);
  await broadcasts.api.call("PATCH", `/v1/templates/${footer.id}`, { html_body: "new {{ unsubscribe_url }}" });
  const [first] = await broadcasts.variants(id);
  const promoted = await broadcasts.api.post(`${broadcasts.path(id)}/promote/${first?.id}`, undefined);
  expect(promoted.status, await promoted.clone().text()).toBeLessThan(300);
  await runBroadcasts(Date.now() + 600_000);
  const emails = await emailsOf(id);
  expect(emails).toHaveLength(4);
  for (const { id: email } of emails) {
    const { html_body } = await (await broadcasts.api.get(`/v1/emails/${email}`)).json<DetailOut>();
    expect(html_body).toMatch(/^<p>([c-f])<\/p><a href="http[^"]+\/u\/[^"]+">Stop, \1<\/a>$/);
  }
});

it("has variants in a language of their own, whose missing bodies are those of the broadcast in its language", async () => {
  const { id } = await broadcasts.create({
    contact_list_id: await aList(),
    subject: "s",
    html_body: "<p>{{name}}{% if x %}</p>",
  });
  await broadcasts.addVariant(id, "A", { language: "liquid", subject: "{% if true %}{{ name }}{% endif %}" });
  const emails = await sent(id);
  expect(emails.map(({ subject }) => subject)).toEqual(["Ada", "Bo"]);
  expect(emails[0]?.html_body).toContain("<p>Ada{% if x %}</p>");
});

it.each([
  [{ html_body: "{% if %}" }, "html_body"],
  [{ subject: "{{ x | shout }}" }, "subject"],
  [{ preheader: "{% for %}" }, "preheader"],
  [{ preheader: "{% render 'footer' %}" }, "preheader"],
  [{ html_body: "{% render 'none' %}" }, "html_body"],
])("is refused with the place of a mistake, and so is its change: %j", async (fields, field) => {
  const body = { name: "N", subject: "s", from_address: workspace.mailbox, html_body: "h", language: "liquid" };
  const created = await broadcasts.create({ language: "liquid" });
  for (const response of [
    await broadcasts.api.post(broadcasts.path(), { ...body, ...fields }),
    await broadcasts.api.call("PATCH", broadcasts.path(created.id), fields),
  ]) {
    const { detail } = await broadcasts.expectJson<{ detail: { loc: string[]; msg: string }[] }>(response, 422);
    expect(detail[0]?.loc).toEqual(["body", field]);
    expect(detail[0]?.msg).toMatch(/line \d+, column \d+|renders no other/);
  }
});

it("is not sent without a template that it renders, and a test neither", async () => {
  const footer = await template({ name: "footer", html_body: "f" });
  const { id } = await broadcasts.create({
    language: "liquid",
    contact_list_id: await aList(),
    html_body: "{% render 'footer' %}",
  });
  await broadcasts.api.call("DELETE", `/v1/templates/${footer.id}`);
  const refused = await broadcasts.act(id, "send");
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("line 1, column 1")]);
  expect(
    (await broadcasts.api.post(`${broadcasts.path(id)}/test`, { to: ["delivered+t@simulator.test"] })).status,
  ).toBe(422);
});

it("ends with a notification when that template is deleted between the send and its first run", async () => {
  const footer = await template({ name: "footer", html_body: "f" });
  const { id } = await broadcasts.create({
    language: "liquid",
    contact_list_id: await aList(),
    html_body: "{% render 'footer' %}",
  });
  await broadcasts.act(id, "send");
  await broadcasts.api.call("DELETE", `/v1/templates/${footer.id}`);
  await runBroadcasts();
  expect((await broadcasts.read(id)).status).toBe("cancelled");
  expect(await emailsOf(id)).toEqual([]);
});

it("fails the emails of contacts whose data take it to a limit, with the reason, and sends the others", async () => {
  const people = [
    { ...PEOPLE[0], metadata: { n: 1e9 } },
    { ...PEOPLE[1], metadata: { n: 2 } },
  ];
  const loop = "{% for i in (1..n) %}x{% endfor %}";
  const inBody = await broadcasts.create({
    language: "liquid",
    contact_list_id: await aList(people),
    subject: "s",
    html_body: loop,
  });
  const inSubject = await broadcasts.create({
    language: "liquid",
    contact_list_id: await aList(people),
    subject: loop,
    html_body: "b",
  });
  for (const { id } of [inBody, inSubject]) {
    const emails = await sent(id);
    expect(emails.map(({ status }) => status)).toEqual(["failed", "delivered"]);
    expect(JSON.stringify(emails[0]?.events)).toMatch(/line 1, column \d+: it (takes|reads) more than/);
  }
});
