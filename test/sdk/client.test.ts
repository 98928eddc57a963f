import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { routes } from "../../sdk/generated/operations.ts";
import { ApiError, ConnectionError, createClient } from "../../sdk/index.ts";
import { anInbox } from "../mailboxes/inbox/support.ts";
import { listOperations, readOpenApi } from "../support/openapi.ts";
import { aMail, aWorkspace } from "../support/workspace.ts";

/** Returns a client of the Worker. `answers` are given first, in order; an Error is thrown as fetch throws. */
function clientOf(apiKey: string, answers: (Response | Error)[] = []) {
  const requests: Request[] = [];
  const waits: number[] = [];
  const client = createClient({
    baseUrl: "http://api.test/v1",
    apiKey,
    fetch: async (request) => {
      requests.push(request.clone());
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? exports.default.fetch(request);
    },
    wait: async (milliseconds) => {
      waits.push(milliseconds);
    },
  });
  return { client, requests, waits };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const refusal = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ detail: "Try later" }, { status, headers });

describe("the client's operations", () => {
  it("send method, path, query and body of every operation of the OpenAPI document that an API key may call, but for WebSockets", async () => {
    const document = await readOpenApi();
    const operations = listOperations(document).filter(
      ([name, { security, responses }]) => name.includes(" /v1/") && security === undefined && !("101" in responses),
    );
    expect(operations.map(([, { operationId }]) => operationId).sort()).toEqual(Object.keys(routes).sort());
    for (const [name, { operationId, parameters = [], requestBody }] of operations) {
      const { client, requests } = clientOf("svc_k_test", [new Response(null, { status: 204 })]);
      const inPath = parameters.filter((one) => one.in === "path");
      const inQuery = parameters.filter((one) => one.in === "query");
      const [mediaType] = Object.keys(requestBody?.content ?? {});
      const isJson = mediaType === "application/json";
      const body = isJson ? { field: "value" } : new Blob(["a"], mediaType ? { type: mediaType } : {});
      const query = Object.fromEntries(inQuery.map((one) => [one.name, "7"]));
      const args = [
        ...inPath.map((_, n) => `a/${n}`),
        ...(mediaType ? [body] : []),
        ...(inQuery.length > 0 ? [query] : []),
      ];
      const call = client[operationId as "getMe"] as unknown as (...args: unknown[]) => Promise<unknown>;
      await call(...args);
      const [request] = requests;
      const path = inPath.reduce((text, one, n) => text.replace(`{${one.name}}`, `a%2F${n}`), name.split(" ")[1] ?? "");
      const search = new URLSearchParams(inQuery.map((one) => [one.name, "7"])).toString();
      expect(request?.method, name).toBe(name.split(" ")[0]);
      expect(request?.url, name).toBe(`http://api.test${path}${search ? `?${search}` : ""}`);
      expect(request?.headers.get("Content-Type")?.split(";")[0] ?? null, name).toBe(mediaType ?? null);
      const keyed = parameters.some((one) => one.name === "Idempotency-Key");
      expect(request?.headers.has("Idempotency-Key"), name).toBe(keyed);
    }
  });

  it("send an email, read it and its events, and answer null where the API answers nothing", async () => {
    const workspace = await aWorkspace();
    const { client } = clientOf(workspace.apiKey);
    const accepted = await client.sendEmail(aMail(workspace, { subject: "From the client" }));
    expect(accepted.status).toBe("queued");
    const email = await client.getEmail(accepted.id);
    expect(email.subject).toBe("From the client");
    expect((await client.listEmailEvents(accepted.id)).map(({ event_type }) => event_type)).toContain("queued");
    const list = await client.createContactList({ name: "Customers" });
    expect(await client.deleteContactList(list.id)).toBeNull();
  });

  it("upload a CSV file and answer a download as a response", async () => {
    const workspace = await aWorkspace();
    const { client } = clientOf(workspace.apiKey);
    const list = await client.createContactList({ name: "Customers" });
    const result = await client.importContacts(list.id, new Blob(["email,name\nada@example.org,Ada\n"]));
    expect(result.imported).toBe(1);
    expect(await (await client.exportContacts(list.id)).text()).toContain("ada@example.org");
  });

  it("cannot reach another path by a parameter of the path", async () => {
    const workspace = await aWorkspace();
    const { client, requests } = clientOf(workspace.apiKey);
    for (const id of ["", ".", ".."]) await expect(client.getEmail(id)).rejects.toThrow(TypeError);
    await expect(client.getEmail("../me")).rejects.toThrow("404");
    expect(requests.map(({ url }) => url)).toEqual(["http://api.test/v1/emails/..%2Fme"]);
  });

  it("take the uid of a message as a list has it: a number", async () => {
    const { workspace, receive } = await anInbox();
    await receive({ Subject: "By uid" });
    const { client } = clientOf(workspace.apiKey);
    for await (const { uid } of client.all.listInboxMessages(workspace.mailboxId))
      expect((await client.getInboxMessage(workspace.mailboxId, uid)).subject).toBe("By uid");
    for (const uid of [Number.NaN, 0.5, undefined as unknown as number])
      await expect(client.getInboxMessage(workspace.mailboxId, uid)).rejects.toThrow(TypeError);
  });

  it("are refused without an address of the service or a key when the client is made", () => {
    const options = { baseUrl: "https://mail.example.com", apiKey: "svc_k_test" };
    expect(() => createClient(options)).not.toThrow();
    for (const baseUrl of [
      "",
      " ",
      "mail.example.com",
      "ftp://mail.example.com",
      "https://",
      undefined as unknown as string,
    ])
      expect(() => createClient({ ...options, baseUrl }), baseUrl).toThrow(/^baseUrl /);
    for (const apiKey of ["", " ", "svc_k_test\n", undefined as unknown as string])
      expect(() => createClient({ ...options, apiKey }), apiKey).toThrow(/^apiKey /);
  });

  it("are refused in a browser", () => {
    Object.assign(globalThis, { document: {} });
    try {
      expect(() => clientOf("svc_k_test")).toThrow("browser");
    } finally {
      Reflect.deleteProperty(globalThis, "document");
    }
  });
});

describe("the client's errors", () => {
  it("name status, errors and request id of a refused request", async () => {
    const workspace = await aWorkspace();
    const { client } = clientOf(workspace.apiKey);
    const error = await client
      .sendEmail(aMail(workspace, { to: [] }), { headers: { "X-Request-Id": "order-7" } })
      .catch((thrown: ApiError) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 422, requestId: "order-7", errors: [{ loc: ["body", "to"] }] });
  });

  it("say that a call had no response, with the cause", async () => {
    const lost = Array.from({ length: 4 }, () => new TypeError("connection lost"));
    const { client, requests } = clientOf("svc_k_test", lost);
    const error = await client.getMe().catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).cause).toMatchObject({ message: "connection lost" });
    expect(requests.length).toBe(4);
  });
});

describe("the client's retries", () => {
  it("send one email when the answer of the first request is lost", async () => {
    const workspace = await aWorkspace();
    const { client, requests, waits } = clientOf(workspace.apiKey, [new TypeError("connection lost")]);
    await client.sendEmail(aMail(workspace));
    expect(new Set(requests.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
    expect(waits.length).toBe(1);
    const again = clientOf(workspace.apiKey);
    const key = requests[0]?.headers.get("Idempotency-Key") ?? "";
    await again.client.sendEmail(aMail(workspace), { idempotencyKey: key });
    expect((await client.listEmails()).length).toBe(1);
  });

  it("wait as long as Retry-After says, and give up at once when that is over a minute", async () => {
    const workspace = await aWorkspace();
    const { client, waits } = clientOf(workspace.apiKey, [
      refusal(429, { "Retry-After": "7" }),
      refusal(503, { "Retry-After": "2" }),
    ]);
    await client.getMe();
    expect(waits).toEqual([7000, 2000]);
    const slow = clientOf(workspace.apiKey, [refusal(429, { "Retry-After": "61" })]);
    await expect(slow.client.getMe()).rejects.toMatchObject({ status: 429, retryAfter: 61 });
    expect(slow.waits).toEqual([]);
  });

  it("end after three, with waits that double", async () => {
    const { client, requests, waits } = clientOf(
      "svc_k_test",
      Array.from({ length: 4 }, () => refusal(500)),
    );
    await expect(client.getMe()).rejects.toMatchObject({ status: 500 });
    expect(requests.length).toBe(4);
    for (const [n, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** n);
      expect(wait).toBeLessThanOrEqual(625 * 2 ** n);
    }
  });

  it("repeat no call that might do its work twice after a 500 or a lost connection", async () => {
    for (const failure of [refusal(500), new TypeError("connection lost")]) {
      const { client, requests } = clientOf("svc_k_test", [failure]);
      await expect(client.verifyDomain("019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05")).rejects.toThrow();
      expect(requests.length).toBe(1);
    }
  });

  it("never repeat a request that is refused", async () => {
    const workspace = await aWorkspace();
    const { client, requests } = clientOf(workspace.apiKey);
    await expect(client.getEmail(workspace.workspaceId)).rejects.toMatchObject({ status: 404 });
    expect(requests.length).toBe(1);
  });
});

describe("the client's lists", () => {
  it("read every item of a list over its pages, each once", async () => {
    const workspace = await aWorkspace();
    const { client, requests } = clientOf(workspace.apiKey);
    const emails = Array.from({ length: 5 }, (_, n) => aMail(workspace, { subject: `Email ${n}` }));
    await client.sendEmailBatch(emails);
    const before = requests.length;
    const subjects = (await collect(client.all.listEmails({ limit: 2 }))).map(({ subject }) => subject);
    expect(subjects.sort()).toEqual(emails.map(({ subject }) => subject));
    expect(requests.length - before).toBe(3);
  });

  it("read the list in an object over its pages, and no page that is not asked for", async () => {
    const workspace = await aWorkspace();
    const { client, requests } = clientOf(workspace.apiKey);
    const list = await client.createContactList({ name: "Customers" });
    for (const name of ["a", "b", "c"]) await client.addContact(list.id, { email: `${name}@example.org` });
    const contacts = await collect(client.all.getContactList(list.id, { limit: 2 }));
    expect(contacts.map(({ email }) => email).sort()).toEqual(["a@example.org", "b@example.org", "c@example.org"]);
    const before = requests.length;
    for await (const _ of client.all.getContactList(list.id, { limit: 1 })) break;
    expect(requests.length - before).toBe(1);
  });

  it("never send the key to the host of a link", async () => {
    const page = Response.json([{ id: "1" }], {
      headers: { Link: '<https://evil.example/v1/emails/?before=1>; rel="next"' },
    });
    const { client, requests } = clientOf("svc_k_test", [page, Response.json([])]);
    await collect(client.all.listEmails());
    expect(requests.map(({ url }) => url)).toEqual([
      "http://api.test/v1/emails/",
      "http://api.test/v1/emails/?before=1",
    ]);
  });
});
