import { describe, expect, it } from "vitest";
import { listOperations, readOpenApi } from "../support/openapi.ts";
import { aKey, apiWith, aWorkspace, perSuite } from "../support/workspace.ts";

const document = await readOpenApi();
const operations = listOperations(document);
const workspace = perSuite(() => aWorkspace({ domain: "example.com" }));

/** Returns the example of an error in the document. */
function exampleOf(operation: string, status: number): unknown {
  const responses = operations.find(([name]) => name === operation)?.[1].responses;
  return responses?.[status]?.content?.["application/json"]?.example;
}

describe("the OpenAPI document", () => {
  it("has an example of the body of each error", () => {
    const without = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status, { content }]) => Number(status) >= 401 && content?.["application/json"])
        .filter(([, { content }]) => !(content?.["application/json"]?.example as { detail?: unknown })?.detail)
        .map(([status]) => `${name} ${status}`),
    );
    expect(operations.length).toBeGreaterThan(100);
    expect(without).toEqual([]);
  });

  it("shows the errors that the service returns", async () => {
    const narrow = apiWith(await aKey(workspace, { scopes: ["domains:read"] }));
    const email = { from_: { email: workspace.mailbox }, to: [{ email: "no address" }], subject: "S", text: "T" };
    const later = { ...email, to: [{ email: "ada@example.org" }], send_at: "2020-01-01T00:00:00Z" };
    const text = { "Content-Type": "text/plain" };
    const cases: [string, number, Promise<Response>][] = [
      ["POST /v1/emails/", 400, workspace.post("/v1/emails/", later)],
      ["POST /v1/emails/", 401, apiWith(null).post("/v1/emails/", email)],
      ["POST /v1/emails/", 403, narrow.post("/v1/emails/", email)],
      ["GET /v1/emails/{email_id}", 404, workspace.get(`/v1/emails/${crypto.randomUUID()}`)],
      ["GET /v1/mailboxes/{mailbox_id}", 404, workspace.get(`/v1/mailboxes/${crypto.randomUUID()}`)],
      ["POST /v1/emails/", 405, workspace.call("PATCH", "/v1/emails/")],
      ["POST /v1/emails/", 415, workspace.call("POST", "/v1/emails/", "{}", text)],
      ["POST /v1/emails/", 422, workspace.post("/v1/emails/", email)],
    ];
    for (const [operation, status, call] of cases) {
      const response = await call;
      expect(response.status, `${operation} ${status}`).toBe(status);
      expect(await response.json(), `${operation} ${status}`).toEqual(exampleOf(operation, status));
    }
  });

  it("has examples of an email with an attachment and from a template, which the service accepts", async () => {
    const examples = (document.components.schemas.EmailSendRequest?.examples ?? []) as { attachments?: object[] }[];
    const [attached] = examples.slice(1).filter(({ attachments }) => attachments);
    expect((await workspace.post("/v1/emails/", attached)).status).toBe(202);
    const template = await workspace.post("/v1/templates/", {
      name: "Receipt",
      subject: "Hi {{name}}",
      text_body: "Hi",
    });
    const [templated] = examples.filter((example) => "template_id" in example);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await template.json<{ id: string }>();
    expect((await workspace.post("/v1/emails/", { ...templated, template_id: id, send_at })).status).toBe(202);
  });
});
