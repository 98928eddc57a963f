import { beforeAll, describe, expect, it } from "vitest";
import type { Validated } from "../../../support/send-requests.ts";
import { run, sendingFrom } from "../../../support/sending.ts";
import { aMail, aWorkspace, perSuite } from "../../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const sending = perSuite(() => sendingFrom(workspace));

/** Validates a body, expects a 200 and that nothing is stored. */
async function validated(body: unknown, headers?: Record<string, string>): Promise<Validated> {
  const before = await sending.stored();
  const response = await sending.api.post("/v1/emails/validate", body, headers);
  const text = await response.text();
  expect(response.status, text.slice(0, 300)).toBe(200);
  expect(await sending.stored()).toEqual(before);
  return JSON.parse(text) as Validated;
}
const valid = { valid: true, can_send: true, issues: [] };
const suppress = (email: string, reason: string) =>
  run(
    "INSERT OR REPLACE INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, ?3, 1)",
    workspace.workspaceNumber,
    email,
    reason,
  );

describe("suppressed recipients", () => {
  beforeAll(async () => {
    for (const reason of ["bounce", "complaint", "manual", "unsubscribe"])
      await suppress(`${reason}@example.org`, reason);
  });

  it("are issues of field to; the email can be sent while one recipient is left", async () => {
    const to = ["bounce", "Complaint", "left"].map((name) => ({ email: `${name}@example.org` }));
    const bcc = [{ email: "manual@example.org" }];
    const result = await validated(aMail(workspace, { to, bcc }));
    expect([result.valid, result.can_send]).toEqual([false, true]);
    expect(result.issues.map(({ field }) => field)).toEqual(["to", "to", "to"]);
    expect(result.issues.map(({ error }) => error)).toEqual([
      "bounce@example.org is on the suppression list (bounce)",
      "Complaint@example.org is on the suppression list (complaint)",
      "manual@example.org is on the suppression list (manual)",
    ]);
    expect(await (await sending.send({ to, bcc })).json()).toMatchObject({ status: "queued", rejection_reason: null });
  });

  it("that are all make the email unsendable", async () => {
    const to = [{ email: "bounce@example.org" }];
    const result = await validated(aMail(workspace, { to }));
    expect(result).toEqual({ valid: false, can_send: false, issues: [{ field: "to", error: expect.any(String) }] });
    expect(await (await sending.send({ to })).json()).toMatchObject({ status: "rejected" });
  });

  it("are reported beside other errors, which make the email unsendable", async () => {
    const to = [{ email: "bounce@example.org" }, { email: "left@example.org" }];
    const result = await validated(aMail(workspace, { to, subject: "a\nb" }));
    expect([result.valid, result.can_send]).toEqual([false, false]);
    expect(result.issues.map(({ field }) => field).sort()).toEqual(["content", "to"]);
  });

  it("by an unsubscribe do not apply to a single send", async () => {
    expect(await validated(aMail(workspace, { to: [{ email: "unsubscribe@example.org" }] }))).toEqual(valid);
  });

  it("of another workspace do not apply", async () => {
    const other = await aWorkspace();
    const response = await other.post("/v1/emails/validate", aMail(other, { to: [{ email: "bounce@example.org" }] }));
    expect(await response.json()).toEqual(valid);
  });
});

describe("errors of the form", () => {
  let nested: unknown = "deep";
  for (let depth = 0; depth < 40; depth++) nested = [nested];
  const cases: [string, Record<string, unknown>, string, string][] = [
    ["a missing sender", { from_: undefined }, "from", "from_"],
    ["a sender of the wrong type", { from_: "a@example.org" }, "from", "from_"],
    ["missing recipients", { to: undefined }, "to", "to"],
    ["a recipient of the wrong type", { cc: ["a@example.org"] }, "to", "cc.0"],
    ["a missing subject", { subject: undefined }, "content", "subject"],
    ["NUL", { text: "a\0b" }, "content", "text"],
    ["a lone surrogate", { to: [{ email: "a@example.org", name: "\ud800" }] }, "to", "to.0.name"],
    ["deep nesting", { extra: nested }, "content", "extra"],
    ["a header value that is a number", { headers: { "X-A": 1 } }, "content", "headers.X-A"],
    ["an unknown template", { template_id: "x" }, "content", "template_id"],
    ["bad base64", { attachments: [{ filename: "a", content_base64: "?" }] }, "content", "attachments.0"],
    ["a bad send_at", { send_at: "never" }, "content", "send_at"],
  ];
  for (const [what, changes, field, path] of cases) {
    it(`report ${what} as an issue with 200`, async () => {
      const result = await validated(JSON.stringify(aMail(workspace, changes)));
      expect([result.valid, result.can_send]).toEqual([false, false]);
      expect(result.issues).toEqual([{ field, error: expect.stringContaining(path) }]);
    });
  }

  it("report all at once", async () => {
    const { issues } = await validated({});
    expect(issues).toEqual([
      { field: "from", error: "from_: from_ is required" },
      { field: "to", error: "to: to is required" },
      { field: "content", error: "subject: subject is required" },
    ]);
  });

  it("report a body that is no object", async () => {
    for (const body of ["[]", "1", "null", '"x"']) {
      const result = await validated(body);
      expect(result).toMatchObject({ valid: false, can_send: false, issues: [{ field: "content" }] });
    }
  });

  it("are refused where the decisions say so: malformed JSON 422, another type 415", async () => {
    for (const [body, headers, status] of [
      ["{", {}, 422],
      ["", {}, 422],
      ["{}", { "Content-Type": "text/plain" }, 415],
    ] as const) {
      const response = await sending.api.post("/v1/emails/validate", body, headers);
      expect(response.status, body).toBe(status);
    }
  });
});

describe("sizes", () => {
  const MIB = 1024 * 1024;
  const file = (mib: number) => ({ filename: "a.bin", content_base64: "AAAA".repeat((mib * MIB) / 4) });

  it("beyond a limit are issues with 200: attachments over 24 MiB, html over 5 MB", async () => {
    const attachments = [file(20), file(13)];
    const tooLarge = await validated(JSON.stringify(aMail(workspace, { attachments })));
    expect(tooLarge).toMatchObject({ valid: false, can_send: false, issues: [{ field: "content" }] });
    const html = await validated(aMail(workspace, { html: "h".repeat(5_000_001) }));
    expect(html).toMatchObject({ valid: false, can_send: false, issues: [{ field: "content" }] });
    const long = await validated(aMail(workspace, { html: "h".repeat(12_000_000) }));
    expect(long).toMatchObject({ valid: false, can_send: false, issues: [{ field: "content" }] });
  }, 120_000);

  it("up to 40 MB are read; bad base64 in a large body is an issue", async () => {
    const request = aMail(workspace, { attachments: [file(20)] });
    expect(await validated(JSON.stringify(request))).toEqual(valid);
    const broken = JSON.stringify(aMail(workspace, { attachments: [file(12)] })).replace('AAAA"', 'AA*A"');
    expect(await validated(broken)).toMatchObject({ valid: false, issues: [{ field: "content" }] });
  }, 120_000);

  it("above 40 MB are a 413", async () => {
    // White space, so that the size is the only error.
    const body = JSON.stringify(aMail(workspace)) + " ".repeat(40_000_000);
    const headers = { "Content-Length": String(body.length) };
    expect((await sending.api.post("/v1/emails/validate", body, headers)).status).toBe(413);
  }, 120_000);
});
