/** Templates whose contents are in R2: they work as small ones do, and the main database stays small. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { sweepObjects } from "../../../src/operations/retention/sweep-objects.ts";
import type { PreviewOut, TemplateOut } from "../../../src/sending/templates/schema.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine } from "../../audience/automations/support.ts";
import { database } from "../../support/databases.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { Meter, metered } from "../../support/meter.ts";
import { runToEnd } from "../../support/retention.ts";
import { storedObjects } from "../../support/stored-objects.ts";
import { formatCalls, Trace } from "../../support/trace.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const LARGE = `<p>{{name}}</p>${"ü".repeat(150_000)}`;
const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);

const create = (changes: Record<string, unknown> = {}) =>
  api.create<TemplateOut>("/v1/templates/", { name: "Large", subject: "Hi", html_body: LARGE, ...changes });
const read = async (id: string) => (await api.get(`/v1/templates/${id}`)).json<TemplateOut>();
async function patch(id: string, body: unknown): Promise<TemplateOut> {
  const response = await api.call("PATCH", `/v1/templates/${id}`, body);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json<TemplateOut>();
}

const keysOf = async () =>
  (await storedObjects(`w/${workspace.workspaceId}/templates/`)).map(({ key }) => key).toSorted();
const contentKeyOf = (id: string) => database.value<string>("SELECT content_key FROM templates WHERE id = ?1", [id]);
const rowBytesOf = (id: string) =>
  database.value<number>(
    `SELECT coalesce(octet_length(html_body), 0) + coalesce(octet_length(text_body), 0) + coalesce(octet_length(blocks_json), 0)
       FROM templates WHERE id = ?1`,
    [id],
  );
const byTemplate = (template_id: string, changes: Record<string, unknown> = {}) =>
  aMail(workspace, { subject: undefined, text: undefined, template_id, variables: { name: "Ada" }, ...changes });

/** Sends on metered bindings. Returns the order of the calls to D1 and R2 of the request. */
async function callsOfSend(body: object): Promise<string> {
  const trace = new Trace();
  const { DB, MAIL_0, MAIL_1, CONTENT } = env;
  const bindings = metered({ DB, MAIL_0, MAIL_1, CONTENT } as Env, new Meter(), trace);
  await accepted(await apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey).post("/v1/emails/", body));
  // The last use of the key is written after the response, once a minute.
  return formatCalls(trace.read().calls.filter(({ method }) => method !== "run"));
}

/** Returns the bucket, of which each call of a method fails, and a function that counts them. */
function failingBucket(method: "put" | "get") {
  let calls = 0;
  const fail = async () => {
    calls += 1;
    throw new Error("R2 is unreachable");
  };
  const { CONTENT } = env;
  const real = {
    get: (key: string) => CONTENT.get(key),
    put: (key: string, text: string) => CONTENT.put(key, text),
  };
  return { bindings: { CONTENT: { ...real, [method]: fail }, WORK: discardingQueue }, calls: () => calls };
}

describe("a template of 300 KB", () => {
  it("has its bodies and blocks in R2, and is read, listed and previewed as it was written", async () => {
    const blocks_json = { blocks: [{ text: "b".repeat(20_000) }] };
    const made = await create({ text_body: "{{name}} {{order}}", blocks_json });
    expect(made).toMatchObject({ html_body: LARGE, blocks_json, variables: ["name", "order"] });
    expect(await rowBytesOf(made.id)).toBe(0);
    expect(await keysOf()).toEqual([await contentKeyOf(made.id)]);
    const small = await create({ name: "Small", html_body: "<p>" });
    expect(await read(made.id)).toEqual(made);
    expect(await (await api.get("/v1/templates/")).json()).toEqual([small, made]);
    const preview = await api.post(`/v1/templates/${made.id}/preview`, { variables: { name: "A&B" } });
    expect(await preview.json<PreviewOut>()).toMatchObject({
      html_body: LARGE.replace("{{name}}", "A&amp;B"),
      text_body: "A&B ",
      missing: ["order"],
    });
  });

  it("begins above 16 KiB of bodies and blocks together, in UTF-8", async () => {
    const most = { html_body: "ü".repeat(4_096), text_body: "t".repeat(8_192 - 8), blocks_json: { a: "" } };
    const small = await create(most);
    expect([await rowBytesOf(small.id), await contentKeyOf(small.id)]).toEqual([16_384, null]);
    const large = await create({ ...most, text_body: `${most.text_body}t` });
    expect([await rowBytesOf(large.id), await contentKeyOf(large.id)]).toEqual([0, expect.any(String)]);
  });

  it("keeps its object when only its name changes, moves into its row when it shrinks, and back", async () => {
    const made = await create();
    const first = await contentKeyOf(made.id);
    const renamed = await patch(made.id, { name: "New" });
    expect(renamed).toEqual({ ...made, name: "New", updated_at: renamed.updated_at });
    expect(await contentKeyOf(made.id)).toBe(first);
    const shrunk = await patch(made.id, { html_body: "<b>{{short}}</b>" });
    expect(shrunk).toMatchObject({ html_body: "<b>{{short}}</b>", variables: ["short"] });
    expect(await contentKeyOf(made.id)).toBeNull();
    expect(await read(made.id)).toEqual(shrunk);
    const grown = await patch(made.id, { text_body: "x".repeat(20_000) });
    expect(grown).toMatchObject({ html_body: "<b>{{short}}</b>", text_body: "x".repeat(20_000) });
    expect(await read(made.id)).toEqual(grown);
    const second = await contentKeyOf(made.id);
    expect(second).not.toBe(first);
    // A request that has the row of before can still read its object.
    expect(await keysOf()).toEqual([first, second]);
  });

  it("is duplicated with an object of its own", async () => {
    const made = await create();
    const copy = await api.create<TemplateOut>(`/v1/templates/${made.id}/duplicate`, {});
    expect(copy.html_body).toBe(LARGE);
    expect(await contentKeyOf(copy.id)).not.toBe(await contentKeyOf(made.id));
    await api.call("DELETE", `/v1/templates/${made.id}`);
    expect(await read(copy.id)).toEqual(copy);
  });

  it("is one wholly after two edits at once", async () => {
    const { id } = await create();
    const [a, b] = [..."ab"].map((name) => ({ html_body: name.repeat(30_000), text_body: name.repeat(30_000) }));
    await Promise.all([patch(id, a), patch(id, b)]);
    const { html_body, text_body } = await read(id);
    expect([a, b]).toContainEqual({ html_body, text_body });
    await Promise.all([patch(id, { html_body: LARGE }), patch(id, { text_body: "new" })]);
    expect(await read(id)).toMatchObject({ html_body: LARGE, text_body: "new" });
  });

  it("whose row has a body of a version without the column shows that, and keeps the others", async () => {
    const { id } = await create({ text_body: "before" });
    await database.run("UPDATE templates SET text_body = 'after' WHERE id = ?1", [id]);
    expect(await read(id)).toMatchObject({ html_body: LARGE, text_body: "after" });
    await patch(id, { name: "New" });
    expect(await read(id)).toMatchObject({ html_body: LARGE, text_body: "after" });
    expect(await rowBytesOf(id)).toBe(0);
  });

  it("that a version without the column wrote into its row works, and leaves it with its next edit", async () => {
    const { id } = await create({ html_body: "<p>" });
    await database.run("UPDATE templates SET html_body = ?2 WHERE id = ?1", [id, LARGE]);
    expect((await read(id)).html_body).toBe(LARGE);
    expect((await patch(id, { name: "New" })).html_body).toBe(LARGE);
    expect(await rowBytesOf(id)).toBe(0);
    expect((await read(id)).html_body).toBe(LARGE);
  });
});

describe("an email by a template of 300 KB", () => {
  const rendered = LARGE.replace("{{name}}", "Ada");

  it("is sent alone and in a batch, with its whole body", async () => {
    const { id } = await create({ subject: "Hi {{name}}", text_body: "{{name}}" });
    const single = await accepted(await api.post("/v1/emails/", byTemplate(id)));
    expect(await readEmail(workspace, single.id)).toMatchObject({ subject: "Hi Ada", html_body: rendered });
    const small = await create({ name: "Small", html_body: "<p>{{name}}</p>" });
    const items = [byTemplate(id), byTemplate(small.id), byTemplate(id, { variables: { name: "Bob" } })];
    const batch = await (await api.post("/v1/emails/batch", items)).json<{ results: { id: string }[] }>();
    const bodies = await Promise.all(
      batch.results.map(async (item) => (await readEmail(workspace, item.id)).html_body),
    );
    expect(bodies).toEqual([rendered, "<p>Ada</p>", LARGE.replace("{{name}}", "Bob")]);
  });

  it("makes one call more than one by a small template: the read of its object", async () => {
    const text_body = "Hello {{name}}";
    const large = await create({ html_body: undefined, text_body, blocks_json: { a: "b".repeat(20_000) } });
    const small = await create({ name: "Small", html_body: undefined, text_body });
    expect(await callsOfSend(byTemplate(small.id))).toBe("D1 batch of 4 > D1 batch of 4");
    expect(await callsOfSend(byTemplate(large.id))).toBe("D1 batch of 4 > R2 get > D1 batch of 4");
  });

  it("has it as a part of another template, also when both are large", async () => {
    await create({ name: "Footer", language: "liquid", html_body: `<i>{{ name }}</i>${"f".repeat(30_000)}` });
    for (const padding of ["", "x".repeat(30_000)]) {
      const whole = await create({
        language: "liquid",
        html_body: `<b>${padding}</b>{% render "Footer", name: name %}`,
      });
      const { id } = await accepted(await api.post("/v1/emails/", byTemplate(whole.id)));
      const { html_body } = await readEmail(workspace, id);
      expect(html_body).toBe(`<b>${padding}</b><i>Ada</i>${"f".repeat(30_000)}`);
    }
  });

  it("is sent by a step of an automation", async () => {
    const address = "delivered+ada@simulator.test";
    await aList(workspace, [{ email: address, name: "Ada" }]);
    const { id: template_id } = await create();
    const step = { kind: "send_email", mailbox_id: workspace.mailboxId, template_id };
    await automationsOf(workspace).start({ steps: [step] });
    await anEvent(workspace, address, { at: Date.now() });
    await runEngine();
    const [email] = await emailsOf(workspace);
    expect((await readEmail(workspace, email?.id ?? "")).html_body).toContain(rendered.slice(0, 100_000));
  });
});

describe("without R2", () => {
  it("a large template is refused with a 500 and nothing is stored; a small one is", async () => {
    const { bindings, calls } = failingBucket("put");
    const failing = apiOn(bindings, workspace.apiKey);
    const body = { name: "A", html_body: LARGE };
    expect((await failing.post("/v1/templates/", body)).status).toBe(500);
    expect(calls()).toBe(3);
    expect(await (await api.get("/v1/templates/")).json()).toEqual([]);
    const made = await failing.create<TemplateOut>("/v1/templates/", { name: "A", html_body: "<p>" });
    expect((await failing.call("PATCH", `/v1/templates/${made.id}`, body)).status).toBe(500);
    expect(await read(made.id)).toEqual(made);
  });

  it("an email by a large template is refused with a 500, never sent empty; so it is when its object is missing", async () => {
    const { id } = await create({ text_body: "t" });
    const { bindings } = failingBucket("get");
    expect((await apiOn(bindings, workspace.apiKey).post("/v1/emails/", byTemplate(id))).status).toBe(500);
    await env.CONTENT.delete((await contentKeyOf(id)) ?? "");
    for (const call of [api.post("/v1/emails/", byTemplate(id)), api.get(`/v1/templates/${id}`)])
      expect((await call).status).toBe(500);
    expect(await emailsOf(workspace)).toEqual([]);
    expect((await api.call("DELETE", `/v1/templates/${id}`)).status).toBe(204);
  });
});

describe("the sweep of objects", () => {
  const sweepAt = (now: number) => runToEnd(sweepObjects(testContext({}, () => now)));
  beforeEach(() => database.run("UPDATE object_sweep SET checked_key = '', round_at = 0, previous_round_at = 0"));

  it("deletes earlier edits after a day, and keeps that of each row", async () => {
    const [one, other] = [await create(), await create({ name: "Other" })];
    const first = await contentKeyOf(one.id);
    await patch(one.id, { html_body: `${LARGE}2` });
    await patch(one.id, { html_body: `${LARGE}3` });
    const named = [await contentKeyOf(one.id), await contentKeyOf(other.id)].toSorted();
    await sweepAt(Date.now() + DAY / 2);
    expect(await keysOf()).toHaveLength(4);
    expect(await keysOf()).toContain(first);
    await sweepAt(Date.now() + 2 * DAY);
    expect(await keysOf()).toEqual(named);
    expect((await read(one.id)).html_body).toBe(`${LARGE}3`);
  });

  it("keeps the last edit for a day after the template has changed, as a backup may have its row of before", async () => {
    const now = Date.now();
    const { id } = await create();
    await patch(id, { html_body: `${LARGE}2` });
    const last = await contentKeyOf(id);
    await patch(id, { html_body: "short" });
    await database.run("UPDATE templates SET updated_at = ?2 WHERE id = ?1", [id, now + 5 * DAY]);
    await sweepAt(now + 5 * DAY + 1_000);
    expect(await keysOf()).toEqual([last]);
    await sweepAt(now + 7 * DAY);
    expect(await keysOf()).toEqual([]);
  });

  it("deletes the object of a template that was deleted, and keeps those of unknown workspaces", async () => {
    const { id } = await create();
    const foreign = `w/${crypto.randomUUID()}/templates/${id}/${crypto.randomUUID()}`;
    await env.CONTENT.put(foreign, "{}");
    await api.call("DELETE", `/v1/templates/${id}`);
    await sweepAt(Date.now() + 2 * DAY);
    expect(await keysOf()).toEqual([]);
    expect(await env.CONTENT.head(foreign)).not.toBeNull();
    await env.CONTENT.delete(foreign);
  });
});
