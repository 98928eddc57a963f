import { beforeAll, describe, expect, it } from "vitest";
import { isServiceScope, type RequiredScope } from "../../src/access/accounts/scopes.ts";
import { bodySchema, isSuccess, listOperations, type Operation, readOpenApi } from "../support/openapi.ts";
import { routeScopes } from "../support/route-tests.ts";
import { aMail, apiWith, aWorkspace, perSuite } from "../support/workspace.ts";

const document = perSuite(readOpenApi);
let operations: [string, Operation][];

beforeAll(async () => {
  operations = listOperations(document);
});

/** Routes that another description has: that of MCP, and the documentation of Resend. */
const isDescribedElsewhere = (route: string) => route === "POST /mcp" || route.includes(" /compat/");

/** Routes without authentication that programs call. */
const signInCalls = [
  "POST /auth/refresh",
  "POST /auth/logout",
  "POST /auth/magic-link",
  "POST /v1/webmail/login",
  "POST /v1/webmail/refresh",
  "POST /v1/webmail/logout",
];

/** Returns whether a route takes no credential of a user: programs of customers do not call it. */
const isOpen = (need: RequiredScope) => need === "public" || need === "page" || isServiceScope(need);

const operation = (name: string) => operations.find(([known]) => known === name)?.[1];

describe("/openapi.json", () => {
  it("is OpenAPI 3.1 with an API key or a session for every operation, unless the route takes one of them only", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(["bearer", "session"]);
    expect(document.security).toEqual([{ bearer: [] }, { session: [] }]);
    const expected: Record<string, unknown> = {
      session: [{ session: [] }],
      platform_admin: [{ session: [] }],
      public: [],
    };
    for (const [route, need] of Object.entries(routeScopes)) {
      const described = operation(route.replace(/:([a-z_]+)/g, "{$1}"));
      if (described) expect(described.security, route).toEqual(expected[need]);
    }
  });

  it("describes exactly the routes that require credentials except MCP and those of Resend, and the calls that sign in and out", () => {
    const described = Object.entries(routeScopes)
      .filter(([route, need]) => !isOpen(need) || signInCalls.includes(route))
      .filter(([route]) => !isDescribedElsewhere(route))
      .map(([route]) => route.replace(/:([a-z_]+)/g, "{$1}"));
    expect(operations.map(([name]) => name).sort()).toEqual(described.sort());
  });

  it("gives every operation a unique id, a summary, a success with a schema, 401 and 422", () => {
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
    for (const [name, { summary, responses }] of operations) {
      expect(summary, name).toBeTruthy();
      const successes = Object.keys(responses).filter(isSuccess);
      // These also return 200, for an address that exists already, 202, for an import that continues, or 204, for a message
      // that was in Trash.
      const hasTwo = [
        "POST /v1/suppressions/",
        "PUT /v1/contacts/{list_id}/contacts",
        "DELETE /v1/inbox/{mailbox_id}/messages/{uid}",
        "POST /v1/inbox/{mailbox_id}/import",
      ].includes(name);
      expect(successes, name).toHaveLength(hasTwo ? 2 : 1);
      for (const status of successes) {
        const schemas = Object.values(responses[status]?.content ?? {}).map(({ schema }) => schema);
        expect(schemas.length, `${name} ${status}`).toBe(status === "204" ? 0 : 1);
      }
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(["401", "422"]));
    }
  });

  it("lists 403 where a scope is needed, 404 where the path has an id, 413 and 415 where a body is read", () => {
    for (const [route, need] of Object.entries(routeScopes)) {
      if (isDescribedElsewhere(route) || isOpen(need)) continue;
      const { responses = {}, requestBody } = operation(route.replace(/:([a-z_]+)/g, "{$1}")) ?? {};
      const expected = [
        ...(need === "any" ? [] : ["403"]),
        ...(route.includes(":") ? ["404"] : []),
        ...(requestBody ? ["413", "415"] : []),
      ];
      expect(Object.keys(responses), route).toEqual(expect.arrayContaining(expected));
    }
  });

  it("refers to a shared schema for every error: those of transfers have codes, and what is in the way has blockers", () => {
    for (const [name, { responses }] of operations) {
      for (const [status, response] of Object.entries(responses)) {
        if (isSuccess(status) || status === "307") continue;
        const hasCode = /domain-transfers|\/transfer$/.test(name) && ["403", "404", "409", "410"].includes(status);
        const hasBlockers = name === "DELETE /v1/domains/{domain_id}" && status === "409";
        const problem = hasCode ? "DomainTransferProblem" : hasBlockers ? "DomainProblem" : "HTTPProblem";
        const shape = status === "422" ? "ValidationProblem" : problem;
        expect(bodySchema(response), `${name} ${status}`).toEqual({ $ref: `#/components/schemas/${shape}` });
      }
    }
  });

  it("names every operation after what it does", () => {
    const names = operations.map(([, { operationId }]) => operationId);
    expect(
      names.filter(
        (name) =>
          !/^(get|list|search|create|register|add|upsert|import|export|send|validate|verify|update|replace|reschedule|retry|rotate|cancel|revoke|remove|delete|duplicate|preview|pause|resume|shut|promote|refresh|switch|end|restrict|unrestrict|move|restore|flush|accept|decline|stop|force|reauthenticate|mark|count|activate|archive)[A-Z][A-Za-z]*$/.test(
            name,
          ),
      ),
    ).toEqual([]);
    expect(operation("POST /v1/api-keys/{api_key_id}/rotate")?.operationId).toBe("rotateApiKey");
    expect(operation("POST /v1/emails/")?.operationId).toBe("sendEmail");
  });

  it("describes the redirect to the right path and the 405 on every operation", () => {
    for (const [name, { responses }] of operations) {
      expect(responses["307"]?.headers, name).toHaveProperty("Location");
      expect(responses["405"]?.headers, name).toHaveProperty("Allow");
    }
  });

  it("describes the headers of successful responses", () => {
    for (const [name, { parameters = [], responses }] of operations) {
      const headers = new Set(
        Object.entries(responses)
          .filter(([status]) => isSuccess(status))
          .flatMap(([, response]) => Object.keys(response.headers ?? {})),
      );
      const takes = (parameter: string) => parameters.some((one) => one.name === parameter);
      expect(headers.has("X-Request-Id"), name).toBe(true);
      expect(headers.has("Idempotency-Replayed"), name).toBe(takes("Idempotency-Key"));
      expect(headers.has("Link"), name).toBe(takes("limit") || takes("since"));
      expect(headers.has("X-Next-Since"), name).toBe(name === "GET /v1/emails/updates");
    }
  });

  it("has no broken reference and uses the components of the responses", () => {
    const found = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    const names = new Set(found.map(([, name = ""]) => name));
    expect([...names].filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(JSON.stringify(document).match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull();
    const responded = ["Me", "EmailAcceptResponse", "EmailRecord", "EmailDetail", "EmailEvent", "ValidationResult"];
    expect([...names]).toEqual(expect.arrayContaining(responded));
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
        expect(schema).toMatchObject({
          type: part === "uid" ? "integer" : "string",
          ...(["token", "stop_token", "name", "uid", "part_id", "letter_id", "host", "database"].includes(part)
            ? {}
            : { format: part === "email" ? "email" : "uuid" }),
        });
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

  it("describes each field of the send request", () => {
    const { content } = operation("POST /v1/emails/")?.requestBody ?? { content: {} };
    expect(content["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/EmailSendRequest" });
    const { EmailSendRequest: request, Attachment: attachment } = document.components.schemas;
    expect(request?.required).toEqual(["from_", "to"]);
    const fields = ["from_", "to", "subject", "html", "text", "cc", "bcc", "reply_to", "headers", "tags", "send_at"];
    expect(Object.keys(request?.properties ?? {}).sort()).toEqual(
      [
        ...fields,
        "attachments",
        "template_id",
        "text_from_html",
        "topic_id",
        "tracking",
        "unsubscribe",
        "variables",
      ].sort(),
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
      aMail(workspace, { to: [{ email: "delivered@simulator.test" }], replyTo: null }),
    );
    const { id } = await accepted.clone().json<{ id: string }>();
    const list = await (await workspace.get("/v1/emails/")).json<unknown[]>();
    const events = await (await workspace.get(`/v1/emails/${id}/events`)).json<unknown[]>();
    const validated = await workspace.post("/v1/emails/validate", aMail(workspace, { replyTo: null }));
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
    for (const [name, response] of shown) {
      const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
      expect(Object.keys(response as object).sort(), name).toEqual(Object.keys(properties).sort());
      // Warnings are absent when there are none.
      const always = Object.keys(properties).filter((field) => field !== "warnings");
      expect([...required].sort(), name).toEqual(always.sort());
    }
  });
});
