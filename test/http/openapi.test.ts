import { beforeAll, describe, expect, it } from "vitest";
import { routeScopes } from "../../src/accounts/index.ts";
import { aMail, apiWith, aWorkspace } from "../support/workspace.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Answer {
  description: string;
  content?: Record<string, { schema: Schema }>;
}
interface Operation {
  operationId: string;
  summary?: string;
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
  security: unknown[];
}

let document: Document;
let operations: [string, Operation][];

beforeAll(async () => {
  const response = await apiWith(null).get("/openapi.json");
  expect(response.status).toBe(200);
  document = await response.json<Document>();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
});

const schemaOf = (answer: Answer | undefined) => answer?.content?.["application/json"]?.schema;
const operation = (name: string) => operations.find(([known]) => known === name)?.[1];

describe("/openapi.json", () => {
  it("is OpenAPI 3.1 with bearer authentication for every operation", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.components.securitySchemes).toHaveProperty("bearer");
    expect(document.security).toEqual([{ bearer: [] }]);
  });

  it("describes exactly the routes that require credentials", () => {
    const guarded = Object.entries(routeScopes)
      .filter(([, need]) => need !== "public")
      .map(([route]) => route.replace(/:([a-z_]+)/g, "{$1}"));
    expect(operations.map(([name]) => name).sort()).toEqual(guarded.sort());
  });

  it("gives every operation a unique id, a summary, one success with a schema, 401 and 422", () => {
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
    for (const [name, { summary, responses }] of operations) {
      expect(summary, name).toBeTruthy();
      const successes = Object.keys(responses).filter((status) => status.startsWith("2"));
      expect(successes, name).toHaveLength(1);
      expect(Boolean(schemaOf(responses[successes[0] ?? ""])), name).toBe(successes[0] !== "204");
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(["401", "422"]));
    }
  });

  it("lists 403 where a scope is needed, 404 where the path has an id, 413 and 415 where a body is read", () => {
    for (const [route, need] of Object.entries(routeScopes)) {
      if (need === "public") continue;
      const { responses = {}, requestBody } = operation(route.replace(/:([a-z_]+)/g, "{$1}")) ?? {};
      const expected = [
        ...(need === "any" ? [] : ["403"]),
        ...(route.includes(":") ? ["404"] : []),
        ...(requestBody ? ["413", "415"] : []),
      ];
      expect(Object.keys(responses), route).toEqual(expect.arrayContaining(expected));
    }
  });

  it("refers to one of two shared schemas for every error", () => {
    for (const [name, { responses }] of operations) {
      for (const [status, answer] of Object.entries(responses)) {
        if (status.startsWith("2")) continue;
        const shape = status === "422" ? "ValidationProblem" : "HTTPProblem";
        expect(schemaOf(answer), `${name} ${status}`).toEqual({ $ref: `#/components/schemas/${shape}` });
      }
    }
  });

  it("has no broken reference and uses the components of the responses", () => {
    const found = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    const names = new Set(found.map(([, name = ""]) => name));
    expect([...names].filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(JSON.stringify(document).match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull();
    const answered = ["Me", "EmailAcceptResponse", "EmailRecord", "EmailDetail", "EmailEvent", "ValidationResult"];
    expect([...names]).toEqual(expect.arrayContaining(answered));
  });

  it("describes every path parameter once, as required", () => {
    for (const [name, { parameters = [] }] of operations) {
      const parts = [...name.matchAll(/\{([a-z_]+)\}/g)].map(([, part]) => part);
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(
        inPath.map((parameter) => parameter.name),
        name,
      ).toEqual(parts);
      for (const { name: part, required, description, schema } of inPath) {
        expect(required).toBe(true);
        expect(description).toBeTruthy();
        expect(schema).toMatchObject({ type: "string", format: part === "email" ? "email" : "uuid" });
      }
    }
  });

  it("describes the query of the list of emails", () => {
    const parameters = operation("GET /v1/emails/")?.parameters ?? [];
    const byName = Object.fromEntries(parameters.map(({ name, ...rest }) => [name, rest]));
    expect(Object.keys(byName).sort()).toEqual(["before", "limit", "page", "status"]);
    expect(byName.page?.schema).toMatchObject({ type: "integer", minimum: 0, default: 0 });
    expect(byName.limit?.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 100, default: 20 });
    expect(parameters.filter(({ required }) => required)).toEqual([]);
  });

  it("describes the send request as the specification does", () => {
    const { content } = operation("POST /v1/emails/")?.requestBody ?? { content: {} };
    expect(content["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/EmailSendRequest" });
    const { EmailSendRequest: request, Attachment: attachment } = document.components.schemas;
    expect(request?.required).toEqual(["from_", "to", "subject"]);
    const fields = ["from_", "to", "subject", "html", "text", "cc", "bcc", "reply_to", "headers", "tags", "send_at"];
    expect(Object.keys(request?.properties ?? {}).sort()).toEqual(
      [...fields, "attachments", "template_id", "tracking"].sort(),
    );
    expect(request?.properties?.send_at).toMatchObject({ type: ["string", "null"], format: "date-time" });
    expect(request?.properties?.headers).toMatchObject({ additionalProperties: { type: "string" } });
    expect(attachment?.required).toEqual(["filename", "content_base64"]);
    expect(attachment?.properties?.content_type).toMatchObject({ default: "application/octet-stream" });
  });

  it("lists exactly the fields of the responses", async () => {
    const workspace = await aWorkspace();
    const accepted = await workspace.post(
      "/v1/emails/",
      aMail(workspace, { to: [{ email: "delivered@simulator.test" }] }),
    );
    const { id } = await accepted.clone().json<{ id: string }>();
    const list = await (await workspace.get("/v1/emails/")).json<unknown[]>();
    const events = await (await workspace.get(`/v1/emails/${id}/events`)).json<unknown[]>();
    const validated = await workspace.post("/v1/emails/validate", aMail(workspace));
    const shown: [string, unknown][] = [
      ["EmailAcceptResponse", await accepted.json()],
      ["EmailRecord", list[0]],
      ["EmailDetail", await (await workspace.get(`/v1/emails/${id}`)).json()],
      ["EmailEvent", events[0]],
      ["ValidationResult", await validated.json()],
      ["Me", await (await workspace.get("/v1/me")).json()],
      ["HTTPProblem", await (await apiWith(null).get("/v1/me")).json()],
      ["ValidationProblem", await (await workspace.get("/v1/emails/?limit=0")).json()],
    ];
    for (const [name, answer] of shown) {
      const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
      expect(Object.keys(answer as object).sort(), name).toEqual(Object.keys(properties).sort());
      expect([...required].sort(), name).toEqual(Object.keys(properties).sort());
    }
  });
});
