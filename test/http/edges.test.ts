import { afterEach, describe, expect, it, vi } from "vitest";
import { database } from "../support/databases.ts";
import { aMail, apiOn, apiWith, aWorkspace, perSuite } from "../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const anonymous = apiWith(null);

const send = (body: unknown, headers?: Record<string, string>) => workspace.post("/v1/emails/", body, headers);
const validate = (body: unknown, headers?: Record<string, string>) =>
  workspace.post("/v1/emails/validate", body, headers);

/** Returns a valid body with `extra`, JSON text of further members. */
const mailWith = (extra: string) => `${JSON.stringify(aMail(workspace)).slice(0, -1)},${extra}}`;

interface ValidationError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

async function issuesOf(response: Response): Promise<ValidationError[]> {
  expect(response.status).toBe(422);
  const { detail } = await response.json<{ detail: ValidationError[] }>();
  expect(detail.length).toBeGreaterThan(0);
  for (const error of detail) {
    expect(Object.keys(error).sort()).toEqual(["loc", "msg", "type"]);
    expect(["body", "query", "path", "header"]).toContain(error.loc[0]);
  }
  return detail;
}

describe("X-Request-Id", () => {
  it("echoes a valid id of the caller", async () => {
    for (const id of ["a", "req_123-ABC.45", "x".repeat(128)]) {
      const response = await anonymous.get("/v1/me", { "X-Request-Id": id });
      expect(response.headers.get("X-Request-Id")).toBe(id);
    }
  });

  it("is a new UUID when the caller sends none or an invalid one", async () => {
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
    for (const id of [undefined, "x".repeat(129), "with:colon", "with space", '<script>"', "ü", "a,b"]) {
      const response = await anonymous.get("/v1/me", id === undefined ? {} : { "X-Request-Id": id });
      expect(response.headers.get("X-Request-Id"), id).toMatch(uuid);
    }
  });

  it("is on every response, whatever its status", async () => {
    const responses = [
      workspace.get("/v1/me"),
      anonymous.get("/v1/me"),
      anonymous.get("/nothing"),
      anonymous.get("/v1/emails"),
      workspace.call("DELETE", "/v1/emails/"),
      send("{"),
      anonymous.get("/openapi.json"),
    ];
    const statuses = [200, 401, 404, 307, 405, 422, 200];
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      expect(response.status).toBe(statuses[index]);
      expect(response.headers.get("X-Request-Id")).toBeTruthy();
    }
  });
});

describe("paths", () => {
  const redirects: [string, string, string][] = [
    ["GET", "/v1/emails", "/v1/emails/"],
    ["POST", "/v1/emails", "/v1/emails/"],
    ["POST", "/v1/emails/validate/", "/v1/emails/validate"],
    ["GET", "/v1/me/", "/v1/me"],
    ["GET", "/v1/emails/some-id/", "/v1/emails/some-id"],
    ["GET", "/v1/emails/some-id/events/", "/v1/emails/some-id/events"],
    ["DELETE", "/v1/emails", "/v1/emails/"],
  ];
  for (const [method, from, to] of redirects) {
    it(`${method} ${from} redirects with 307 to ${to} and keeps the query`, async () => {
      const response = await anonymous.call(method, `${from}?page=1&x=%20%C3%BC`);
      expect(response.status).toBe(307);
      expect(response.headers.get("Location")).toBe(`${to}?page=1&x=%20%C3%BC`);
      const { detail } = await response.json<{ detail: string }>();
      expect(detail).toBe(`The path ends otherwise: repeat the request at ${to}?page=1&x=%20%C3%BC`);
    });
  }

  it("a redirect never changes the host", async () => {
    for (const path of [
      "//evil.example/v1/me/",
      "//evil.example/",
      "/v1/emails/%2F%2Fevil.example/",
      "/\\evil.example/",
    ]) {
      const location = (await anonymous.get(path)).headers.get("Location");
      if (location !== null) expect(new URL(location, "http://api.test").host, path).toBe("api.test");
    }
  });

  it("a redirect keeps the percent-encoding of the path", async () => {
    const response = await anonymous.get("/v1/emails/%E2%82%AC%0D%0Ax/");
    expect(response.status).toBe(307);
    expect(response.headers.get("Location")).toBe("/v1/emails/%E2%82%AC%0D%0Ax");
  });

  it("an unknown path is 404 with a detail, with and without credentials", async () => {
    const paths = [
      "/v1",
      "/v1/",
      "/v2/me",
      "/v1//emails/",
      "/V1/ME",
      "/v1/inbound/",
      "/v1/inbound/x",
      "/v1/%65",
      "/v1/emails/a/b/c",
    ];
    for (const path of paths) {
      for (const api of [anonymous, workspace]) {
        const response = await api.get(path);
        expect(response.status, path).toBe(404);
        expect(await response.json()).toEqual({ detail: "Not found" });
      }
    }
  });

  it("an unknown path outside of the API is a page for a browser, with the request id", async () => {
    for (const path of ["/nothing", "/app/nothing/x", "/mail/a/b/c/d", "/docs/nothing/x"]) {
      const response = await anonymous.get(path, { Accept: "text/html,*/*;q=0.8" });
      expect(response.status, path).toBe(404);
      expect(response.headers.get("Content-Type"), path).toMatch(/^text\/html; charset=utf-8$/i);
      const html = await response.text();
      expect(html).toContain("There is no page at this address.");
      expect(html).toContain(response.headers.get("X-Request-Id"));
    }
    const api = await anonymous.get("/v1/nothing", { Accept: "text/html" });
    expect(await api.json()).toEqual({ detail: "Not found" });
  });

  it("a path is normalised as the URL standard says", async () => {
    const statuses: [string, number][] = [
      ["/v1/emails/%2e%2e/me", 200],
      ["/v1/emails/../me", 200],
      ["/v1/%6de", 200],
      ["/v1/%6de/", 307],
      ["/v1/emails/%2e%2e%2fme", 404],
      ["/v1/emails/%", 404],
      ["/v1/emails/%E0%A4%A", 404],
      ["/v1/emails/%00", 404],
      ["/v1/me?%", 200],
      ["/v1/me#x", 200],
      ["/v1/me;x=1", 404],
    ];
    for (const [path, status] of statuses) expect((await workspace.get(path)).status, path).toBe(status);
  });

  it("a path or query of 10,000 characters gets a response", async () => {
    const long = "x".repeat(10_000);
    expect((await workspace.get(`/v1/emails/${long}`)).status).toBe(404);
    expect((await workspace.get(`/v1/emails/?unknown=${long}`)).status).toBe(200);
    expect((await workspace.get(`/v1/emails/?status=${long}`)).status).toBe(422);
    expect((await anonymous.get(`/${"a/".repeat(5_000)}`)).status).toBe(404);
  });
});

describe("methods", () => {
  const refused: [string, string, string][] = [
    ["DELETE", "/v1/emails/", "HEAD, GET, POST"],
    ["PATCH", "/v1/me", "HEAD, GET, DELETE"],
    ["POST", "/v1/emails/some-id", "HEAD, GET"],
    ["PUT", "/v1/emails/some-id/events", "HEAD, GET"],
    ["OPTIONS", "/v1/emails/", "HEAD, GET, POST"],
    ["POST", "/openapi.json", "HEAD, GET"],
  ];
  for (const [method, path, allow] of refused) {
    it(`${method} ${path} is 405 with Allow: ${allow}`, async () => {
      const response = await workspace.call(method, path);
      expect(response.status).toBe(405);
      expect(response.headers.get("Allow")).toBe(allow);
      expect(await response.json()).toEqual({ detail: "Method not allowed" });
    });
  }

  it("HEAD responds like GET without a body and requires the same credentials", async () => {
    for (const path of ["/v1/me", "/v1/emails/", "/openapi.json"]) {
      const response = await workspace.call("HEAD", path);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toContain("application/json");
      expect(await response.text()).toBe("");
    }
    expect((await anonymous.call("HEAD", "/v1/me")).status).toBe(401);
    expect((await workspace.call("HEAD", "/v1/emails/nonsense")).status).toBe(404);
  });
});

describe("bodies", () => {
  it("of another media type are 415", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "json",
      "text/json",
    ]) {
      const response = await validate(aMail(workspace), { "Content-Type": type });
      expect(response.status, type).toBe(415);
      expect(await response.json()).toEqual({ detail: expect.any(String) });
    }
    const undeclared = new ReadableStream({ start: (controller) => controller.close() });
    const api = apiOn({}, workspace.apiKey);
    const noType = await api.call("POST", "/v1/emails/", undeclared, { "Content-Type": "" });
    expect(noType.status).toBe(415);
    expect((await api.call("POST", "/v1/emails/")).status).toBe(415);
  });

  it("of every spelling of the JSON media type are accepted", async () => {
    const types = [
      "application/json",
      "application/json; charset=utf-8",
      "APPLICATION/JSON;charset=UTF-8",
      "application/json ; x=y",
      "application/json;",
      "application/vnd.api.v2+json",
    ];
    for (const type of types)
      expect((await validate(aMail(workspace), { "Content-Type": type })).status, type).toBe(200);
  });

  it("that are not JSON are 422 json_invalid", async () => {
    for (const text of ["", "{", "[1,]", "{'a':1}", "nul", "{}{}", '{"a":NaN}', "\u0000", '"\u0001"', "<xml/>"]) {
      expect(await issuesOf(await validate(text)), text).toEqual([
        { loc: ["body"], msg: expect.any(String), type: "json_invalid" },
      ]);
    }
  });

  it("that are not UTF-8 are 422 json_invalid; a byte order mark is accepted", async () => {
    const api = apiOn({}, workspace.apiKey);
    const bytes = (text: string, ...head: number[]) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array([...head, ...new TextEncoder().encode(text)]));
          controller.close();
        },
      });
    const type = { "Content-Type": "application/json" };
    const [error] = await issuesOf(await api.call("POST", "/v1/emails/validate", bytes("{}", 0xff, 0xfe), type));
    expect(error?.type).toBe("json_invalid");
    const marked = bytes(JSON.stringify(aMail(workspace)), 0xef, 0xbb, 0xbf);
    expect((await api.call("POST", "/v1/emails/validate", marked, type)).status).toBe(200);
  });

  it("that are JSON but not an object are 422 with loc body", async () => {
    for (const text of ["null", "[]", "1", '"x"', "true"]) {
      const [error] = await issuesOf(await send(text));
      expect(error?.loc, text).toEqual(["body"]);
    }
  });

  it("with unknown fields are accepted and the fields ignored, __proto__ and constructor included", async () => {
    const odd =
      '"__proto__":{"subject":"y","polluted":1},"constructor":{"prototype":{"polluted":1}},"extra":[{}],"to2":null';
    const response = await send(mailWith(odd));
    expect(response.status).toBe(202);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const { id } = await response.json<{ id: string }>();
    expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({ subject: "A subject" });
  });

  it("with a header named __proto__ are refused", async () => {
    const [error] = await issuesOf(await send(mailWith('"headers":{"__proto__":"x","X-Good":"y"}')));
    expect(error?.loc).toEqual(["body", "headers", "__proto__"]);
  });

  it("nested deeper than 32 levels are 422", async () => {
    const nested = (levels: number) => mailWith(`"extra":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`);
    expect((await validate(nested(32))).status).toBe(200);
    const [error] = await issuesOf(await send(nested(33)));
    expect(error?.type).toBe("too_deep");
    expect(error?.loc.slice(0, 3)).toEqual(["body", "extra", 0]);
    expect((await issuesOf(await send(`${"[".repeat(500_000)}${"]".repeat(500_000)}`)))[0]?.type).toBe("too_deep");
  });

  it("with NUL or a lone surrogate in any string or name are 422 at its path", async () => {
    const cases: [string, (string | number)[]][] = [
      ['"subject":"a\\u0000b"', ["subject"]],
      ['"subject":"\\ud800"', ["subject"]],
      ['"tags":["ok","\\udc00x"]', ["tags", 1]],
      ['"headers":{"X-A":"\\u0000"}', ["headers", "X-A"]],
      ['"headers":{"X\\u0000":"a"}', ["headers", "X\u0000"]],
      ['"extra":{"a":[{"b":"\\udfff\\ud800"}]}', ["extra", "a", 0, "b"]],
      ['"extra":{"\\ud800":1}', ["extra", "\ufffd"]],
    ];
    for (const [extra, loc] of cases) {
      const [error] = await issuesOf(await send(mailWith(extra)));
      expect(error?.loc, extra).toEqual(["body", ...loc]);
      expect(error?.type).toMatch(/^string_/);
    }
    expect((await validate(mailWith('"subject":"\\ud83d\\ude00"'))).status).toBe(200);
  });

  it("over the limit are 413, by Content-Length or by the bytes received", async () => {
    const api = apiOn({}, workspace.apiKey);
    const type = { "Content-Type": "application/json" };
    const declared = await api.call("POST", "/v1/emails/", "{}", { ...type, "Content-Length": "40000001" });
    expect(declared.status).toBe(413);
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const arriving = await api.call("POST", "/v1/emails/", endless, type);
    expect(arriving.status).toBe(413);
    expect(await arriving.json()).toEqual({ detail: expect.any(String) });
    expect(pulled).toBeLessThan(1_000);
  });

  it("with too many values are 413, and a response lists at most 100 errors", async () => {
    expect((await send(`{"x":[${"0,".repeat(250_000)}0]}`)).status).toBe(413);
    const withWrong = (length: number) => ({ ...aMail(workspace), to: Array.from({ length }, () => 1) });
    expect(await issuesOf(await send(withWrong(10_000)))).toHaveLength(100);
    // Beyond 10,000 entries none is checked.
    expect(await issuesOf(await send(withWrong(50_000)))).toHaveLength(1);
    const issues = { ...aMail(workspace), to: Array.from({ length: 10_000 }, () => ({ email: "x" })) };
    expect(await issuesOf(await send(issues))).toHaveLength(100);
    expect((await (await validate(issues)).json<{ issues: unknown[] }>()).issues).toHaveLength(100);
  });

  it("list all errors at once and distinguish a missing field from one of the wrong type", async () => {
    const errors = await issuesOf(await send({ from_: { email: 1 }, to: [{ name: "x" }, 7], subject: null }));
    expect(errors.map(({ loc, type }) => [loc.join("."), type])).toEqual([
      ["body.from_.email", "invalid_type"],
      ["body.to.0.email", "missing"],
      ["body.to.1", "invalid_type"],
      ["body.subject", "invalid_type"],
    ]);
    expect((await issuesOf(await send({}))).map(({ loc, type }) => [loc.join("."), type])).toEqual([
      ["body.from_", "missing"],
      ["body.to", "missing"],
      ["body.subject", "missing"],
    ]);
  });
});

describe("an unexpected error", () => {
  afterEach(() => vi.restoreAllMocks());

  it("is 500 with a fixed text, and its stack is logged with the request id", async () => {
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    const secret = "D1_ERROR: a CHECK of secret_table failed at /src/inner.ts";
    const DB = {
      prepare: () => {
        throw new Error(secret);
      },
      batch: () => {
        throw new Error(secret);
      },
    };
    for (const path of ["/v1/me", "/v1/emails/", "/v1/emails/some-id"]) {
      const response = await apiOn({ DB }, workspace.apiKey).get(path, { "X-Request-Id": "the-id" });
      expect(response.status).toBe(500);
      expect(await response.text()).toBe('{"detail":"Internal Server Error"}');
      expect(response.headers.get("X-Request-Id")).toBe("the-id");
      expect([...response.headers].join()).not.toContain("secret");
      const line = logged.mock.calls.map(([text]) => String(text)).find((text) => text.includes(secret));
      expect(line).toContain('"request_id":"the-id"');
      expect(line).not.toContain(workspace.apiKey);
      logged.mockClear();
    }
  });

  it("during a send is 500, and no email is accepted", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const CONTENT = {
      put: async () => {
        throw new Error("R2 is down: account 42");
      },
    };
    const counted = () =>
      database.value<number>("SELECT count(*) AS n FROM emails WHERE workspace = ?1", [workspace.workspaceNumber]);
    const before = await counted();
    const response = await apiOn({ CONTENT }, workspace.apiKey).post(
      "/v1/emails/",
      aMail(workspace, { text: "x".repeat(20_000) }),
    );
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('{"detail":"Internal Server Error"}');
    expect(await counted()).toBe(before);
  });
});
