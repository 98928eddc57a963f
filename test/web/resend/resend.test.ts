import { exports } from "cloudflare:workers";
import { Resend } from "resend";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { aKey, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

/** Runs Resend's own npm package against the Worker. It calls the global fetch, which is that of the Worker here. */

let workspace: TestWorkspace;
let resend: Resend;

const clientOf = (key: string) => new Resend(key, { baseUrl: "http://api.test/compat/resend" });

beforeAll(async () => {
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => exports.default.fetch(new Request(url, init)));
  workspace = await aWorkspace();
  resend = clientOf(workspace.apiKey);
  return () => vi.unstubAllGlobals();
});

const anEmail = (changes: object = {}) => ({
  from: `Hello <${workspace.mailbox}>`,
  to: "friend@example.org",
  subject: "A subject",
  html: "<p>A text.</p>",
  text: "A text.",
  ...changes,
});

const detailOf = async (id: string | undefined) =>
  (await workspace.get(`/v1/emails/${id}`)).json<Record<string, unknown>>();

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe("the resend package sends", () => {
  it("an email with names, copies, reply-to, headers and tags", async () => {
    const { data, error } = await resend.emails.send(
      anEmail({
        to: ["Friend <friend@example.org>", "second@example.org"],
        cc: "third@example.org",
        bcc: ["fourth@example.org"],
        replyTo: "responses@example.org",
        headers: { "X-Order": "1042" },
        tags: [{ name: "category", value: "receipt" }],
      }),
    );
    expect(error).toBeNull();
    expect(Object.keys(data ?? {})).toEqual(["id"]);
    expect(await detailOf(data?.id)).toMatchObject({
      from_address: `Hello <${workspace.mailbox}>`,
      to_addresses: ["friend@example.org", "second@example.org"],
      cc_addresses: ["third@example.org"],
      bcc_addresses: ["fourth@example.org"],
      html_body: "<p>A text.</p>",
      headers: { "X-Order": "1042" },
      tags: ["category:receipt"],
    });
  });

  it("attachments, small ones and one of 3 MB that is stored while the body is read", async () => {
    for (const size of [10, 3_000_000]) {
      const content = Buffer.alloc(size, "a");
      const { data, error } = await resend.emails.send(
        anEmail({ attachments: [{ filename: "a.txt", content, contentType: "text/plain", contentId: "logo" }] }),
      );
      expect(error).toBeNull();
      expect(await detailOf(data?.id)).toMatchObject({ subject: "A subject" });
    }
  });

  it("a template with its variables", async () => {
    const { id } = await workspace.create("/v1/templates/", {
      name: "Receipt",
      subject: "Receipt for {{name}}",
      html_body: "<p>{{count}} items</p>",
    });
    const { from, to } = anEmail();
    const { data, error } = await resend.emails.send({
      from,
      to,
      template: { id, variables: { name: "Ada", count: 3 } },
    });
    expect(error).toBeNull();
    expect(await detailOf(data?.id)).toMatchObject({ subject: "Receipt for Ada", html_body: "<p>3 items</p>" });
  });

  it("one email for one idempotency key, and refuses the key with another body", async () => {
    const options = { idempotencyKey: crypto.randomUUID() };
    const first = await resend.emails.send(anEmail(), options);
    const again = await resend.emails.send(anEmail(), options);
    expect(again.data).toEqual(first.data);
    expect(again.headers?.["idempotency-replayed"]).toBe("true");
    const other = await resend.emails.send(anEmail({ subject: "Another" }), options);
    expect(other.error).toMatchObject({ statusCode: 409, name: "invalid_idempotent_request" });
  });

  it("a batch, of which one invalid email refuses all", async () => {
    const sent = await resend.batch.send([anEmail(), anEmail({ to: "second@example.org" })]);
    expect(sent.error).toBeNull();
    expect(sent.data?.data.map(({ id }) => typeof id)).toEqual(["string", "string"]);
    const refused = await resend.batch.send([anEmail(), anEmail({ to: "nobody" })]);
    expect(refused.error).toMatchObject({ statusCode: 422, name: "validation_error" });
    expect(refused.error?.message).toContain("1.to.0.email");
  });

  it("the other emails of a permissive batch, and names the invalid one by its index", async () => {
    const emails = [anEmail({ to: "nobody" }), anEmail(), anEmail({ topicId: "019aa7c0" })];
    const { data, error } = await resend.batch.send(emails, { batchValidation: "permissive" });
    expect(error).toBeNull();
    expect(data).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 0 }, { index: 2 }] });
  });
});

describe("the resend package reads and changes", () => {
  it("an email with content, tags and its last event", async () => {
    const { data } = await resend.emails.send(
      anEmail({ scheduledAt: inHours(2), tags: [{ name: "category", value: "a" }, { name: "plain" }] }),
    );
    const { data: email, error } = await resend.emails.get(data?.id ?? "");
    expect(error).toBeNull();
    expect(email).toMatchObject({
      object: "email",
      id: data?.id,
      from: `Hello <${workspace.mailbox}>`,
      to: ["friend@example.org"],
      cc: null,
      subject: "A subject",
      html: "<p>A text.</p>",
      text: "A text.",
      tags: [
        { name: "category", value: "a" },
        { name: "plain", value: "" },
      ],
      last_event: "scheduled",
    });
  });

  it("a scheduled email: reschedules and cancels it once", async () => {
    const { data } = await resend.emails.send(anEmail({ scheduledAt: "in 1 min" }));
    const id = data?.id ?? "";
    const later = inHours(5);
    expect((await resend.emails.update({ id, scheduledAt: later })).data).toEqual({ object: "email", id });
    expect(await detailOf(id)).toMatchObject({ status: "scheduled", scheduled_at: later });
    expect((await resend.emails.cancel(id)).data).toEqual({ object: "email", id });
    expect((await resend.emails.get(id)).data?.last_event).toBe("canceled");
    expect((await resend.emails.cancel(id)).error).toMatchObject({ statusCode: 404, name: "not_found" });
  });
});

describe("the resend package gets its errors for", () => {
  it.each([
    ["an unknown sender", { from: "stranger@example.org" }, 422, "invalid_from_address", "from"],
    ["a missing recipient", { to: undefined }, 422, "missing_required_field", "to"],
    ["a missing subject", { subject: undefined }, 422, "missing_required_field", "subject"],
    ["two reply addresses", { replyTo: ["a@example.org", "b@example.org"] }, 422, "validation_error", "reply_to"],
    ["a time in the past", { scheduledAt: "2020-01-01T00:00:00Z" }, 400, "validation_error", "scheduled_at"],
    [
      "a file by its URL",
      { attachments: [{ filename: "a", content: "YQ==", path: "https://example.org/a" }] },
      422,
      "invalid_attachment",
      "path",
    ],
    ["a line break in the subject", { subject: "a\r\nBcc: x@example.org" }, 422, "validation_error", "subject"],
  ])("%s", async (_, changes, statusCode, name, words) => {
    const { data, error } = await resend.emails.send(anEmail(changes) as Parameters<Resend["emails"]["send"]>[0]);
    expect(data).toBeNull();
    expect(error).toEqual({ statusCode, name, message: expect.stringContaining(words) });
  });

  it("a wrong key, a key without the scope, an unknown id and a call that has no equal", async () => {
    const wrong = await clientOf("re_123").emails.send(anEmail());
    expect(wrong.error).toMatchObject({ statusCode: 401, name: "invalid_api_key" });
    const viewer = await clientOf(await aKey(workspace, { scopes: ["emails:view"] })).emails.send(anEmail());
    expect(viewer.error).toEqual({
      statusCode: 403,
      name: "restricted_api_key",
      message: "Missing scope: emails:send",
    });
    expect((await resend.emails.get(crypto.randomUUID())).error).toMatchObject({ statusCode: 404, name: "not_found" });
    expect((await resend.domains.list()).error).toMatchObject({ statusCode: 404, name: "not_found" });
    expect((await resend.emails.list()).error).toMatchObject({ statusCode: 405, name: "method_not_allowed" });
  });
});
