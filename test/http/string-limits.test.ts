import { describe, expect, it } from "vitest";
import { bodySchema, dereference, listOperations, readOpenApi, type Schema } from "../support/openapi.ts";
import { apiWith, aWorkspace } from "../support/workspace.ts";

const LIMIT = 1_000_000;

interface Detail {
  detail: { loc: (string | number)[]; msg: string; type: string }[] | string;
}

describe("the email of an automation", () => {
  const paths = {
    html: (step: object) => [step],
    text: (step: object) => [{ kind: "split", percent: 50, then_steps: [step], else_steps: [] }],
  };
  for (const field of ["html", "text"] as const)
    it(`may have a long ${field} in an automation of 1,000,000 bytes as JSON, and a byte more is a 413 that says so`, async () => {
      const workspace = await aWorkspace();
      const api = apiWith(workspace.apiKey);
      const definition = (length: number) => ({
        trigger: { event: "signed_up" },
        entry: { mode: "once" },
        steps: paths[field]({
          ...{ kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello" },
          [field]: "x".repeat(length),
        }),
      });
      const first = await api.post("/v1/automations/", { name: "Short", ...definition(1) });
      const { id, name, trigger, entry, steps } = await first.json<Record<string, string>>();
      const largest = LIMIT - JSON.stringify({ trigger, entry, steps }).length + 1;
      const calls = [
        (length: number) => api.post("/v1/automations/", { name, ...definition(length) }),
        (length: number) => api.call("PATCH", `/v1/automations/${id}`, definition(length)),
      ];
      for (const call of calls) {
        expect([200, 201]).toContain((await call(largest)).status);
        const refused = await call(largest + 1);
        expect([refused.status, await refused.json()]).toEqual([
          413,
          { detail: "The automation is 1,000,001 bytes as JSON; the limit is 1,000,000" },
        ]);
      }
    });

  it("is refused with field and limit when a text of it is longer", async () => {
    const workspace = await aWorkspace();
    const refusalOf = async (changes: object, wrapped = (step: object): object => step) => {
      const email = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello", html: "Hi", ...changes };
      const steps = [{ kind: "wait", for: { hours: 1 } }, wrapped(email)];
      const body = { name: "Welcome", trigger: { event: "signed_up" }, steps };
      const response = await apiWith(workspace.apiKey).post("/v1/automations/", body);
      return [response.status, (await response.json<Detail>()).detail];
    };
    const long = (loc: (string | number)[], limit: number) => [
      422,
      [
        {
          loc: ["body", "steps", 1, ...loc],
          msg: `The string is 1000001 bytes; the limit is ${limit}`,
          type: "too_long",
        },
      ],
    ];
    expect(await refusalOf({ html: "x".repeat(LIMIT + 1) })).toEqual(long(["html"], LIMIT));
    expect(await refusalOf({ subject: "x".repeat(LIMIT + 1) })).toEqual(long(["subject"], 998));
    const inBranch = (step: object) => ({ kind: "split", percent: 50, then_steps: [step] });
    expect(await refusalOf({ text: "x".repeat(LIMIT + 1) }, inBranch)).toEqual(long(["then_steps", 0, "text"], LIMIT));
  });
});

it("every endpoint reads a string that its schema allows", async () => {
  const document = await readOpenApi();
  const workspace = await aWorkspace();
  const api = apiWith(workspace.apiKey);
  const refused: unknown[] = [];
  const tried: string[] = [];
  for (const [name, { requestBody }] of listOperations(document)) {
    const [method = "", path = ""] = name.split(" ");
    for (const { path: field, length } of longFields(dereference(document, bodySchema(requestBody) ?? {}))) {
      tried.push(name);
      const body = field.reduceRight<unknown>(
        (inner, part) => (part === 0 ? [inner] : { [part]: inner }),
        "x".repeat(length),
      );
      const response = await api.call(method, path.replaceAll(/\{\w+\}/g, workspace.mailboxId), body);
      const { detail } = await response.json<Detail>();
      if (Array.isArray(detail) ? detail.some(({ type }) => type === "too_long") : / limit is /.test(detail))
        refused.push([name, field, detail]);
    }
  }
  expect(refused).toEqual([]);
  expect(new Set(tried).size).toBeGreaterThan(10);
}, 120_000);

/** A JSON schema with the bounds of its strings. */
interface LongSchema extends Schema {
  maxLength?: number;
  anyOf?: LongSchema[];
}

/** Returns the strings of a schema that may be longer than the JSON reader takes at least; 0 in a path is the first item of a list. */
function longFields(
  schema: LongSchema,
  path: (string | number)[] = [],
): { path: (string | number)[]; length: number }[] {
  const length = schema.maxLength ?? 0;
  return [
    ...(length > 65_536 && path.at(-1) !== "content_base64" ? [{ path, length }] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) => longFields(of, [...path, name])),
    ...(schema.items ? longFields(schema.items, [...path, 0]) : []),
    ...(schema.properties ? [] : (schema.anyOf ?? []).flatMap((of) => longFields(of, path))),
  ];
}
