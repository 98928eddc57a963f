import { describe, expect, it } from "vitest";
import { bodySchema, dereference, listOperations, readOpenApi, refusalOf, type Schema } from "../support/openapi.ts";
import { aMail, aWorkspace, perSuite } from "../support/workspace.ts";

const document = perSuite(readOpenApi);
const workspace = perSuite(aWorkspace);
const api = perSuite(() => workspace.withoutQueue);

function requestSchema(route: string): Schema {
  const operation = listOperations(document).find(([name]) => name === route)?.[1];
  return dereference(document, bodySchema(operation?.requestBody) ?? {});
}

const times = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, i) => item(i));
const file = (changes: object = {}) => ({ filename: "a.txt", content_base64: "aGk=", ...changes });
const headers = (count: number) => Object.fromEntries(times(count, (i) => [`X-H${i}`, "v"]));
const ID = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a99";

/** Changes of a valid send request that make it invalid. */
const refusedSends: [string, Record<string, unknown>][] = [
  ["no recipient", { to: [] }],
  ["a recipient without an address", { to: [{ name: "Ada" }] }],
  ["an empty address", { to: [{ email: "" }] }],
  ["an address of 255 characters", { to: [{ email: `${"a".repeat(243)}@example.org` }] }],
  ["a display name of 321 bytes", { to: [{ email: "a@example.org", name: "a".repeat(321) }] }],
  ["a display name with a line break", { to: [{ email: "a@example.org", name: "A\r\nB" }] }],
  ["a subject of 999 bytes", { subject: "a".repeat(999) }],
  ["a subject with a line break", { subject: "a\nb" }],
  ["a subject with NUL", { subject: "a\0b" }],
  ["neither html nor text", { text: undefined }],
  ["empty html and text", { text: "", html: "" }],
  ["html and text that are null", { text: null, html: null }],
  ["text of 5,000,001 bytes", { text: "a".repeat(5_000_001) }],
  ["an empty tag", { tags: [""] }],
  ["a tag of 65 characters", { tags: ["a".repeat(65)] }],
  ["a tag with a control character", { tags: ["a\tb"] }],
  ["a header name with a space", { headers: { "X Y": "v" } }],
  ["a header name of 77 characters", { headers: { [`X${"a".repeat(76)}`]: "v" } }],
  ["a header value with a line break", { headers: { "X-A": "a\r\nb" } }],
  ["a header value of 16,385 bytes", { headers: { "X-A": `${"a ".repeat(8_192)}a` } }],
  ["a header value that is a number", { headers: { "X-A": 5 } }],
  ["51 custom headers", { headers: headers(51) }],
  ["an empty filename", { attachments: [file({ filename: "" })] }],
  ["a filename of 256 bytes", { attachments: [file({ filename: "a".repeat(256) })] }],
  ["a filename with a slash", { attachments: [file({ filename: "a/b" })] }],
  ["a filename with a backslash", { attachments: [file({ filename: "a\\b" })] }],
  ["content that is not base64", { attachments: [file({ content_base64: "a*==" })] }],
  ["a content type without a slash", { attachments: [file({ content_type: "pdf" })] }],
  ["a Content-ID in angle brackets", { attachments: [file({ content_id: "<a>" })] }],
  ["an unknown disposition", { attachments: [file({ disposition: "hidden" })] }],
  ["101 attachments", { attachments: times(101, () => file()) }],
  ["a template that does not exist", { template_id: "t1" }],
  ["tracking that is a text", { tracking: { opens: "yes" } }],
  ["a send_at that is a number", { send_at: 5 }],
  ["a reply_to without an address", { reply_to: { name: "Ada" } }],
];

/** Changes of a valid send request that stay valid: each value is at its cap. */
const acceptedSends: [string, Record<string, unknown>][] = [
  ["a subject of 998 bytes", { subject: "a".repeat(998) }],
  ["a display name of 320 bytes", { to: [{ email: "a@example.org", name: "a".repeat(320) }] }],
  ["a tag of 64 characters outside the BMP", { tags: ["🙂".repeat(64)] }],
  ["ten tags, each twice", { tags: times(20, (i) => `t${i % 10}`) }],
  ["50 recipients", { to: times(50, (i) => ({ email: `r${i}@example.org` })) }],
  ["60 recipients of which ten are repeated", { to: times(60, (i) => ({ email: `r${i % 50}@example.org` })) }],
  ["a local part of 64 bytes", { to: [{ email: `${"a".repeat(64)}@example.org` }] }],
  ["an address in Unicode", { to: [{ email: "ünï@bücher.example" }] }],
  ["50 custom headers", { headers: headers(50) }],
  ["a header name of 76 characters", { headers: { [`X${"a".repeat(75)}`]: "v" } }],
  ["100 attachments", { attachments: times(100, () => file()) }],
  ["a filename of 255 bytes", { attachments: [file({ filename: "a".repeat(255) })] }],
  ["empty optional texts", { html: "", attachments: [file({ content_type: "", content_id: "" })] }],
  ["null for every optional field", { html: null, cc: null, bcc: null, reply_to: null, tags: null, headers: null }],
  ["null for the rest", { attachments: null, send_at: null, template_id: null, tracking: null }],
  ["a media type with parameters", { attachments: [file({ content_type: "text/plain; charset=utf-8" })] }],
];

/** Bodies that other operations refuse. */
const refused: [string, string, unknown][] = [
  ["POST /v1/emails/batch", "an empty list", []],
  ["POST /v1/emails/batch", "an object", {}],
  ["POST /v1/domains/", "an empty name", { name: "" }],
  ["POST /v1/domains/", "a name of one label", { name: "localhost" }],
  ["POST /v1/domains/", "a name of 1,001 characters", { name: `${"a.".repeat(500)}b` }],
  ["POST /v1/mailboxes/", "an empty local part", { domain_id: ID, local_part: "" }],
  ["POST /v1/mailboxes/", "a plus-address", { domain_id: ID, local_part: "a+b" }],
  ["POST /v1/mailboxes/", "a whole address", { domain_id: ID, local_part: "a@example.com" }],
  ["POST /v1/mailboxes/", "a local part of 65 bytes", { domain_id: ID, local_part: "a".repeat(65) }],
  ["POST /v1/mailboxes/", "a domain_id that is no id", { domain_id: "x", local_part: "a" }],
  ["POST /v1/mailboxes/", "a negative quota", { domain_id: ID, local_part: "a", quota_bytes: -1 }],
  ["POST /v1/mailboxes/", "a name of 321 bytes", { domain_id: ID, local_part: "a", display_name: "a".repeat(321) }],
  ["POST /v1/api-keys/", "an empty name", { name: "" }],
  ["POST /v1/api-keys/", "a name of 101 characters", { name: "a".repeat(101) }],
  ["POST /v1/api-keys/", "no scope", { name: "a", scopes: [] }],
  ["POST /v1/api-keys/", "an unknown scope", { name: "a", scopes: ["root"] }],
  ["POST /v1/api-keys/", "no domain", { name: "a", domain_ids: [] }],
  ["POST /v1/api-keys/", "51 domains", { name: "a", domain_ids: times(51, () => crypto.randomUUID()) }],
  ["POST /v1/api-keys/", "a domain that is no id", { name: "a", domain_ids: ["x"] }],
  ["POST /v1/api-keys/", "an expiry that is a number", { name: "a", expires_at: 5 }],
  ["POST /v1/suppressions/", "no address", {}],
  ["POST /v1/suppressions/", "a text without @", { email: "ada" }],
  ["POST /v1/suppressions/", "an address of 255 characters", { email: `${"a".repeat(243)}@example.org` }],
  ["POST /v1/suppressions/", "an unknown reason", { email: "a@example.org", reason: "mood" }],
  ["POST /v1/templates/", "no name", {}],
  ["POST /v1/templates/", "an empty name", { name: "" }],
  ["POST /v1/templates/", "a name of 201 characters", { name: "a".repeat(201) }],
  ["POST /v1/templates/", "a subject of 999 bytes", { name: "a", subject: "a".repeat(999) }],
  ["POST /v1/templates/", "a subject with a line break", { name: "a", subject: "a\nb" }],
  ["POST /v1/templates/", "html of 1,900,001 bytes", { name: "a", html_body: "a".repeat(1_900_001) }],
  ["POST /v1/templates/", "blocks that are a list", { name: "a", blocks_json: [] }],
  ["PUT /v1/emails/saved-searches", "51 searches", { searches: times(51, (i) => ({ name: `s${i}` })) }],
  ["PUT /v1/emails/saved-searches", "an empty name", { searches: [{ name: "" }] }],
  ["PUT /v1/emails/saved-searches", "a query of 501 characters", { searches: [{ name: "s", query: "a".repeat(501) }] }],
];

describe("the request schemas of /openapi.json", () => {
  it("refuse a send that the API refuses", async () => {
    const schema = requestSchema("POST /v1/emails/");
    for (const [what, changes] of refusedSends) {
      const body = JSON.parse(JSON.stringify(aMail(workspace, changes)));
      const response = await api.post("/v1/emails/", body);
      expect([400, 413, 422], `${what}: ${await response.text()}`).toContain(response.status);
      expect(refusalOf(schema, body), what).not.toBeNull();
    }
  });

  it("accept a send at every cap, as the API does", async () => {
    const schema = requestSchema("POST /v1/emails/");
    for (const [what, changes] of acceptedSends) {
      const body = JSON.parse(JSON.stringify(aMail(workspace, changes)));
      const response = await api.post("/v1/emails/", body);
      expect(response.status, `${what}: ${await response.text()}`).toBe(202);
      expect(refusalOf(schema, body), what).toBeNull();
    }
  });

  it("refuse other bodies that the API refuses", async () => {
    for (const [route, what, body] of refused) {
      const [method = "", path = ""] = route.split(" ");
      const response = await api.call(method, path, body);
      const name = `${route}, ${what}`;
      expect([400, 404, 413, 422], `${name}: ${await response.text()}`).toContain(response.status);
      expect(refusalOf(requestSchema(route), body), name).not.toBeNull();
    }
  });

  it("give every text, list and number a cap, or a description that has one", () => {
    const capless = listOperations(document).flatMap(([name, { requestBody }]) =>
      requestBody ? caplessFields(dereference(document, bodySchema(requestBody) ?? {}), name) : [],
    );
    expect(capless).toEqual([]);
  });
});

interface AnySchema extends Schema {
  anyOf?: AnySchema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  maxLength?: number;
  maxItems?: number;
  maximum?: number;
  description?: string;
}

/** Returns the paths of fields that have neither a cap nor a description with one. */
function caplessFields(schema: AnySchema, path: string, described = ""): string[] {
  const text = `${described} ${schema.description ?? ""}`;
  const types = [schema.type ?? []].flat();
  const isCapped =
    (!types.includes("string") || schema.maxLength !== undefined || schema.enum || schema.format) &&
    (!types.includes("array") || schema.maxItems !== undefined || / at most | have at most /.test(text)) &&
    (!types.includes("integer") || schema.maximum !== undefined);
  return [
    ...(isCapped || / at most /i.test(text) ? [] : [path]),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) => caplessFields(of, `${path}.${name}`)),
    ...(schema.items ? caplessFields(schema.items, `${path}[]`) : []),
    // The anyOf of an object repeats fields that its properties describe.
    ...(schema.properties ? [] : (schema.anyOf ?? [])).flatMap((of) => (of.type ? caplessFields(of, path, text) : [])),
  ];
}
