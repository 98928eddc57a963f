import { beforeAll, describe, expect, it } from "vitest";
import { scopes } from "../../../src/access/accounts/scopes.ts";
import { type ApiDocument, type Operation, readNouns } from "../../../src/web/reference/document.ts";
import { toFields } from "../../../src/web/reference/schemas.ts";
import { routeScopes } from "../../support/route-tests.ts";
import { aSession } from "../../support/sessions.ts";
import { apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));
let document: ApiDocument;
let operations: (readonly [string, Operation])[];

const visitor = apiWith(null);
/** Returns the text of a page without its markup. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
const read = async (path: string) => textOf(await (await visitor.call("GET", path)).text());

beforeAll(async () => {
  document = await (await visitor.call("GET", "/openapi.json")).json<ApiDocument>();
  operations = readNouns(document).flatMap((noun) =>
    noun.operations.map((operation) => [noun.slug, operation] as const),
  );
});

/** Returns the page of an operation from its heading to the next one. */
async function partOf(slug: string, { operationId }: Operation): Promise<string> {
  const html = await (await visitor.call("GET", `/docs/${slug}`)).text();
  const [, rest = ""] = html.split(`<article id="${operationId}"`);
  return textOf(rest.split("</article>")[0] ?? "");
}

describe("the reference", () => {
  it("shows every operation of the OpenAPI document with its path, fields, limits, errors and scope", async () => {
    expect(operations.length).toBeGreaterThan(100);
    for (const [slug, operation] of operations) {
      const part = await partOf(slug, operation);
      expect(part, operation.operationId).toContain(`${operation.method} ${operation.path}`);
      const need = routeScopes[`${operation.method} ${operation.path.replace(/\{(\w+)\}/g, ":$1")}`];
      if (need !== undefined && need in scopes) expect(part, operation.operationId).toContain(`Scope ${need}:`);
      for (const { name } of operation.parameters ?? []) expect(part, operation.operationId).toContain(name);
      const isOpenToKeys = operation.security === undefined && operation.responses[101] === undefined;
      expect([part.includes("curl -X"), part.includes("createClient")], operation.operationId).toEqual([
        isOpenToKeys,
        isOpenToKeys,
      ]);
      const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
      for (const { name, limits } of body ? toFields(document, body) : []) {
        expect(part, operation.operationId).toContain(name);
        expect(part, operation.operationId).toContain(limits);
      }
      for (const [status, { description }] of Object.entries(operation.responses))
        expect(part, operation.operationId).toContain(`${status} ${description.replaceAll("`", "")}`);
    }
  });

  it("shows the example of a call before its fields, the fields of objects folded, and the errors last", async () => {
    const html = await (await visitor.call("GET", "/docs/emails")).text();
    const article = html.split('<article id="sendEmail"')[1]?.split("</article>")[0] ?? "";
    const places = ['<div class="examples">', '<ul class="fields"', "<summary>Errors"].map((part) =>
      article.indexOf(part),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(article).toContain('<details><summary>Fields of to</summary><ul class="fields"');
    expect(article).toContain("<code>to[].email</code>");
    expect(article).toContain('<i class="key">"subject"</i>');
  });

  it("lists every operation on its first page, and finds one by words of its name, path or description", async () => {
    const index = await read("/docs");
    for (const [, { summary }] of operations) expect(index).toContain(summary);
    const found = await read(`/docs?q=${encodeURIComponent("SCHEDULED now")}`);
    expect(found).toContain("POST /v1/emails/scheduled/{email_id}/send-now");
    expect(found).not.toContain("GET /v1/emails/scheduled");
    expect(await read(`/docs?q=${encodeURIComponent("<script>")}`)).toContain("Nothing in the reference has all these");
  });

  it("returns 404 for an unknown kind of resource, operation and file", async () => {
    for (const path of ["/docs/unknown", "/docs/unknown.md", "/docs/guides/unknown", "/docs/rules/first-email"])
      expect((await visitor.call("GET", path)).status, path).toBe(404);
    expect((await session.call("GET", "/docs/try/unknown")).status).toBe(404);
    // Uploads are called with a file, and administrators have their own page.
    expect((await session.call("GET", "/docs/try/importContacts")).status).toBe(404);
  });

  it("is reached from the first page of the service, as are the dashboard and webmail", async () => {
    const html = await (await visitor.call("GET", "/")).text();
    for (const path of ["/docs", "/app", "/mail"]) expect(html).toContain(`href="${path}"`);
  });
});

describe("the page that calls an operation", () => {
  const form = (fields: Record<string, string>) => `${new URLSearchParams(fields)}`;
  const post = (operation: string, fields: Record<string, string>, by: Pick<typeof session, "call"> = session) =>
    by.call("POST", `/docs/try/${operation}`, form(fields), { "Content-Type": "application/x-www-form-urlencoded" });
  const email = (changes: object = {}) => ({
    key: crypto.randomUUID(),
    body: JSON.stringify({
      from_: { email: workspace.mailbox },
      to: [{ email: "delivered@simulator.test" }],
      subject: "Tried",
      text: "It works.",
      ...changes,
    }),
  });
  const listEmails = async () => (await workspace.call("GET", "/v1/emails/")).json<{ subject: string }[]>();

  it("offers an email from a mailbox of the workspace to the simulator", async () => {
    const html = textOf(await (await session.call("GET", "/docs/try/sendEmail")).text());
    expect(html).toContain(`"email": "${workspace.mailbox}"`);
    expect(html).toContain('"email": "delivered@simulator.test"');
  });

  it("sends once however often the form is submitted", async () => {
    const fields = email({ subject: `Tried ${crypto.randomUUID()}` });
    const { subject } = JSON.parse(fields.body) as { subject: string };
    const pages = await Promise.all([post("sendEmail", fields), post("sendEmail", fields), post("sendEmail", fields)]);
    for (const page of pages) expect(textOf(await page.text())).toContain("Response: 202");
    expect((await listEmails()).filter((one) => one.subject === subject)).toHaveLength(1);
  });

  it("calls again with the key of the last call, and says that the response is replayed", async () => {
    const fields = email();
    const first = textOf(await (await post("sendEmail", fields)).text());
    const again = { ...fields, key: crypto.randomUUID(), same_key: fields.key };
    const second = textOf(await (await post("sendEmail", again)).text());
    expect([first, second].map((page) => page.includes("Nothing was done again"))).toEqual([false, true]);
    const [firstId, secondId] = [first, second].map((page) => /"id": "([^"]+)"/.exec(page)?.[1]);
    expect(secondId).toBe(firstId ?? "none");
  });

  it("shows what the validation found, and does not send", async () => {
    const before = (await listEmails()).length;
    const page = await post("sendEmail", email({ from_: { email: "nobody@elsewhere.example" } }));
    expect(textOf(await page.text())).toContain("Not sent, the validation found issues: 200");
    expect(await listEmails()).toHaveLength(before);
  });

  it("says what is wrong with a body or a parameter that cannot be sent", async () => {
    for (const [operation, fields, issue] of [
      ["sendEmail", { body: "{" }, "The body is not a JSON object or array"],
      ["sendEmail", { body: "1" }, "The body is not a JSON object or array"],
      ["getEmail", { "path.email_id": ".." }, "A parameter of the path is missing"],
      ["getEmail", {}, "A parameter of the path is missing"],
    ] as const) {
      const page = await post(operation, { key: "k", ...fields });
      expect([page.status, textOf(await page.text())]).toEqual([422, expect.stringContaining(issue)]);
    }
  });

  it("returns an id of another workspace as an unknown one", async () => {
    const other = await aWorkspace();
    const responses = await Promise.all(
      [other.domainId, crypto.randomUUID()].map(async (id) =>
        textOf(await (await post("getDomain", { key: "k", "path.domain_id": id })).text()),
      ),
    );
    for (const response of responses) expect(response).toContain("Response: 404");
  });

  it("needs a session, and a form of its own origin", async () => {
    const anonymous = await visitor.call("GET", "/docs/try/sendEmail");
    expect([anonymous.status, anonymous.headers.get("Location")]).toEqual([
      303,
      expect.stringContaining("/auth/sign-in"),
    ]);
    const cookie = `session=${session.tokens.accessToken}`;
    const foreign = await visitor.call("POST", "/docs/try/sendEmail", form(email()), {
      "Content-Type": "application/x-www-form-urlencoded",
      Cookie: cookie,
      Origin: "https://evil.example",
    });
    expect(foreign.status).toBe(403);
  });
});
