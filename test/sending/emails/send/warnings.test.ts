import { beforeAll, describe, expect, it } from "vitest";
import { countingDb } from "../../../support/counting-db.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perSuite } from "../../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
let templateId: string;

beforeAll(async () => {
  const template = { name: "Receipt", subject: "Hi {{name}}", html_body: "<p>{{order}} {{total}}</p>" };
  ({ id: templateId } = await workspace.create("/v1/templates/", template));
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  workspace.withoutQueue.post(path, body, headers);

interface Warned {
  warnings?: string[];
}

/** Returns the warnings of a send and of a validation of the same email, which agree. */
async function warningsOf(fields: Record<string, unknown>): Promise<string[] | undefined> {
  const mail = aMail(workspace, fields);
  const validation = await (await post("/v1/emails/validate", mail)).json<Warned & { valid: boolean }>();
  expect(validation.valid).toBe(true);
  const sent = await post("/v1/emails/", mail);
  expect(sent.status).toBe(202);
  const { warnings } = await sent.json<Warned>();
  expect(validation.warnings).toEqual(warnings);
  return warnings;
}

const byTemplate = (variables: object) => ({ text: undefined, subject: undefined, template_id: templateId, variables });
const ignored = (field: string, meant: string) =>
  `\`${field}\` is no field and was ignored; did you mean \`${meant}\`?`;
const missing = (name: string) => `The template reads \`${name}\`, for which variables has no value`;

describe("the warnings of a send", () => {
  it("name ignored fields that are close to known ones", async () => {
    const replyTo = { email: "a@b.example" };
    expect(await warningsOf({ replyTo, attachment: [], x_custom: 1, metadata: {}, "Send-At": null })).toEqual([
      ignored("replyTo", "reply_to"),
      ignored("attachment", "attachments"),
      ignored("Send-At", "send_at"),
    ]);
  });

  it("name the variables of the template that got no value, and null is one", async () => {
    expect(await warningsOf(byTemplate({ name: "Ada" }))).toEqual([missing("order"), missing("total")]);
    expect(await warningsOf(byTemplate({ name: "Ada", order: null, total: "" }))).toBeUndefined();
    const both = await warningsOf({ ...byTemplate({ name: "Ada", order: 1 }), tag: ["a"] });
    expect(both).toEqual([ignored("tag", "tags"), missing("total")]);
  });

  it("are absent when there are none, and no field of the request sets them", async () => {
    expect(await warningsOf({})).toBeUndefined();
    expect(await warningsOf({ warnings: ["mine"] })).toBeUndefined();
  });

  it("are at most 20, and name no long field", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `reply${"_".repeat(at)}to`).filter(
      (name) => name !== "reply_to",
    );
    const warnings = await warningsOf(Object.fromEntries(names.map((name) => [name, 1])));
    expect(warnings).toEqual(names.slice(0, 20).map((name) => ignored(name, "reply_to")));
    expect(await warningsOf({ [`reply${"_".repeat(100_000)}to`]: 1 })).toBeUndefined();
  });

  it("come again with a response that is replayed", async () => {
    const mail = { ...aMail(workspace), tag: ["a"] };
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await (await post("/v1/emails/", mail, key)).json<Warned>();
    expect(first.warnings).toEqual([ignored("tag", "tags")]);
    expect(await (await post("/v1/emails/", mail, key)).json()).toEqual(first);
  });

  it("cost no call of D1", async () => {
    const calls = async (mail: object) => {
      const { bindings, trips } = countingDb();
      expect(
        (await apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey).post("/v1/emails/", mail)).status,
      ).toBe(202);
      return trips.length;
    };
    const mail = aMail(workspace, byTemplate({ name: "Ada", order: 1, total: 2 }));
    const warned = { ...aMail(workspace, byTemplate({})), tag: [] };
    expect(await calls(warned)).toBe(await calls(mail));
  });
});

describe("the warnings of a batch", () => {
  it("are with the result of their item, also beside items that are refused, and at most 20 in all", async () => {
    const one = { ...aMail(workspace), tag: ["a"] };
    const items = [{}, aMail(workspace), ...Array.from({ length: 22 }, () => one)];
    const response = await post("/v1/emails/batch", items);
    const { results } = await response.json<{ results: (Warned & { status: string })[] }>();
    expect(results.map(({ status }) => status)).toEqual(["error", ...Array.from({ length: 23 }, () => "queued")]);
    const warned = results.map(({ warnings }) => warnings);
    expect(warned.slice(0, 2)).toEqual([undefined, undefined]);
    expect(warned.slice(2, 22)).toEqual(Array.from({ length: 20 }, () => [ignored("tag", "tags")]));
    expect(results.slice(22).some((result) => "warnings" in result)).toBe(false);
  });
});
