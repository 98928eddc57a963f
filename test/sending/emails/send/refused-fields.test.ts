import { describe, expect, it } from "vitest";
import { sendingFrom } from "../../../support/sending.ts";
import { aMail, aWorkspace, perSuite } from "../../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const sending = perSuite(() => sendingFrom(workspace));

/** Characters that hide or reorder text: bidi overrides and isolates, zero-width and format controls. */
const INVISIBLE = [
  ...["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"],
  ...["\u00ad", "\u180e", "\u200b", "\u2060", "\u2061", "\u2064", "\u206a", "\u206f", "\ufeff", "\ufff9", "\ufffb"],
  ...["\u{1d173}", "\u{e0001}", "\u{e0041}"],
];
/** Names that need joiners, direction marks or emoji tags. */
const NEEDED = [
  "👩‍👩‍👧",
  "می‌خواهم",
  "क्‍ष",
  "שלום\u200f!",
  "a\u200eb",
  "\u061cعربي",
  "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "❤️",
  "葛\u{e0100}",
];
const file = (filename: string) => ({ attachments: [{ filename, content_base64: "YQ==" }] });
const named = (field: "from_" | "reply_to", name: string) => ({
  [field]: { email: field === "from_" ? workspace.mailbox : "reply@example.org", name },
});

describe("invisible characters", () => {
  it("in a filename or a display name are a 422 at their field", async () => {
    for (const character of INVISIBLE) {
      const text = `cod${character}fdp.exe`;
      await sending.refusedAt(file(text), "attachments", 0, "filename");
      await sending.refusedAt(named("from_", text), "from_", "name");
      await sending.refusedAt(named("reply_to", text), "reply_to", "name");
      await sending.refusedAt({ to: [{ email: "a@example.org", name: text }] }, "to", 0, "name");
    }
  });

  it("that emoji, Persian, Hebrew and Indic text need are accepted", async () => {
    for (const text of NEEDED) {
      const request = {
        ...file(text),
        ...named("from_", text),
        ...named("reply_to", text),
        to: [{ email: "a@example.org", name: text }],
      };
      const response = await sending.send(request);
      expect(response.status, `${text}: ${await response.text()}`).toBe(202);
    }
  });
});

describe("filenames", () => {
  it("that name a folder or contain a path separator of any script are a 422", async () => {
    const bad = [
      ".",
      "..",
      "a/b",
      "a\\b",
      "a\u2044b",
      "a\u2215b",
      "a\u29f5b",
      "a\u29f8b",
      "a\ufe68b",
      "a\uff0fb",
      "a\uff3cb",
    ];
    for (const filename of bad) await sending.refusedAt(file(filename), "attachments", 0, "filename");
  });

  it("that only begin with dots are accepted", async () => {
    for (const filename of ["...", ".profile", "..a", "a.", "a..b", "A · B.pdf", "50 %.pdf"]) {
      const response = await sending.send(file(filename));
      expect(response.status, filename).toBe(202);
    }
  });
});

describe("a display name of from_ or reply_to", () => {
  it("that reads as another address is a 422", async () => {
    const bad = [
      "ceo@bank.example",
      "The CEO <ceo@bank.example>",
      "ceo@bank.example via us",
      '"ceo@bank.example"',
      "(ceo@bank.example)",
      "ceo＠bank.example",
      "ceo﹫bank.example",
      "ceo@bank。example",
      "ceo@bank．example",
      "ceo\u200d@bank.example",
      "ceo@ba\u200cnk.example",
      "ceo@bänk.example",
      "mailto:ceo@bank.example",
      "ceo@bank.example.",
    ];
    for (const name of bad) {
      await sending.refusedAt(named("from_", name), "from_", "name");
      await sending.refusedAt(named("reply_to", name), "reply_to", "name");
    }
  });

  it("that repeats its own address, or contains an @ without an address, is accepted", async () => {
    const own = [workspace.mailbox, workspace.mailbox.toUpperCase(), `Us <${workspace.mailbox}>`];
    for (const name of [...own, "Anna (@anna)", "Team @ Acme", "a@b", "me@", "@", "AC/DC", "50 % @ 3.5"]) {
      const response = await sending.send(named("from_", name));
      expect(response.status, `${name}: ${await response.text()}`).toBe(202);
    }
  });

  it("of a recipient may read as an address", async () => {
    const to = [{ email: "a@example.org", name: "b@example.org" }];
    expect((await sending.send({ to })).status).toBe(202);
  });
});

describe("custom headers", () => {
  const relays = "X-SMTPAPI X-MC-Tags X-PM-Message-Stream X-SES-CONFIGURATION-SET X-Mailgun-Variables TLS-Required";
  const receivers =
    "Received-SPF Received-X Delivered-To X-MS-Exchange-Organization-SCL Authentication-Results-Original DomainKey-Signature";

  it("that a relay or a receiver acts on are a 422, in any letter case", async () => {
    for (const name of `${relays} ${receivers}`.split(" ")) {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
        await sending.refusedAt({ headers: { [spelling]: "x" } }, "headers", spelling);
    }
  });

  it("of similar names are accepted", async () => {
    const fine =
      "X-SMTP X-MCX X-PMX X-SESAME X-Mailgunner TLS X-Received Delivered X-MS-Has-Attach DomainKey X-Auth".split(" ");
    const headers = Object.fromEntries(fine.map((name) => [name, "x"]));
    expect((await sending.send({ headers })).status).toBe(202);
  });

  it("whose names differ in letter case only are one header given twice: a 422", async () => {
    await sending.refusedAt({ headers: { "X-A": "1", "x-a": "2" } }, "headers", "x-a");
    await sending.refusedAt({ headers: { "X-A": "1", "X-B": "1", "X-a": "1" } }, "headers", "X-a");
  });
});

describe("tags", () => {
  it("given twice collapse into one, and count once", async () => {
    const email = await sending.accepted(await sending.send({ tags: ["b", "a", "b", "B"] }));
    expect(email.tags).toEqual(["b", "a", "B"]);
    const many = Array.from({ length: 10 }, (_, i) => `t${i}`);
    expect((await sending.accepted(await sending.send({ tags: [...many, ...many] }))).tags).toEqual(many);
    await sending.refusedAt({ tags: [...many, "t10"] }, "tags");
  });
});

describe("long values", () => {
  it("are refused, and names that Unicode makes 18 times as long are no reason to refuse", async () => {
    const long = "a".repeat(2_000_000);
    await sending.refusedAt({ tags: [long] }, "tags", 0);
    await sending.refusedAt(file(long), "attachments", 0, "filename");
    const content = { attachments: [{ filename: "a", content_base64: "", content_type: `a/${long}` }] };
    await sending.refusedAt(content, "attachments", 0, "content_type");
    // 900 names that NFKC makes 18 times as long, without an address in them.
    const name = `${"\ufdfa".repeat(105)} @`;
    const items = Array.from({ length: 450 }, () =>
      aMail(workspace, { from_: { email: workspace.mailbox, name }, reply_to: { email: "r@example.org", name } }),
    );
    const response = await sending.api.post("/v1/emails/batch", items);
    expect(await response.json()).toMatchObject({ sent: 450 });
  });
});

describe("template_id", () => {
  it("is a 422 when no template has it; null counts as absent", async () => {
    for (const template_id of [crypto.randomUUID(), "x", ""]) await sending.refusedAt({ template_id }, "template_id");
    for (const template_id of [1, {}, []]) await sending.refusedAt({ template_id }, "template_id");
    // An email by template has no subject: the error of the id is reported all the same.
    const response = await sending.send({ template_id: crypto.randomUUID(), subject: undefined });
    expect(await response.text()).toContain("No template has this id");
    expect((await sending.send({ template_id: null })).status).toBe(202);
  });
});

describe("html and text", () => {
  const MB = 1_000_000;

  it("are at most 5 MB together, counted in UTF-8; more is a 413", async () => {
    expect((await sending.send({ html: "h".repeat(3 * MB), text: "t".repeat(2 * MB) })).status).toBe(202);
    expect((await sending.send({ html: "ü".repeat(2.5 * MB), text: "" })).status).toBe(202);
    const before = await sending.stored();
    for (const changes of [
      { html: "h".repeat(3 * MB), text: "t".repeat(2 * MB + 1) },
      { html: "h".repeat(5 * MB + 1), text: undefined },
      { text: `${"ü".repeat(2.5 * MB)}x` },
    ]) {
      const response = await sending.send(changes);
      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({ detail: expect.stringContaining("5,000,000") });
    }
    expect(await sending.stored()).toEqual(before);
  });
});

describe("an error text", () => {
  it("names from_ when `from` was sent instead", async () => {
    const response = await sending.api.post("/v1/emails/", {
      from: { email: workspace.mailbox },
      to: [],
      subject: "s",
    });
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string }[] }>();
    expect(detail.find(({ loc }) => loc[1] === "from_")?.msg).toContain("`from_`");
    expect(detail.find(({ loc }) => loc[1] === "from_")?.msg).toContain("`from`");
  });

  it("names a field that is missing", async () => {
    const response = await sending.api.post("/v1/emails/", {});
    const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string; type: string }[] }>();
    expect(detail.map(({ msg }) => msg)).toEqual(["from_ is required", "to is required", "subject is required"]);
    expect(new Set(detail.map(({ type }) => type))).toEqual(new Set(["missing"]));
  });

  it("names the header that is owned, reserved or given twice", async () => {
    for (const [headers, name] of [
      [{ Subject: "x" }, "Subject"],
      [{ "X-PM-Tag": "x" }, "X-PM-Tag"],
      [{ "X-A": "1", "x-a": "1" }, "x-a"],
    ] as const) {
      const response = await sending.send({ headers });
      const { detail } = await response.json<{ detail: { msg: string }[] }>();
      expect(detail[0]?.msg).toContain(name);
    }
  });

  it("shows the sender's address and the length of a value that is too long", async () => {
    const sender = await sending.send({ from_: { email: "stranger@example.org" } });
    expect(await sender.text()).toContain("stranger@example.org");
    const subject = await sending.send({ subject: "s".repeat(1204) });
    expect(await subject.text()).toContain("1,204");
  });
});

describe("an email id", () => {
  it("is accepted in any letter case by every route of one email", async () => {
    const { id } = await (await sending.send({})).json<{ id: string }>();
    for (const path of [`/v1/emails/${id.toUpperCase()}`, `/v1/emails/${id.toUpperCase()}/events`])
      expect((await sending.api.get(path)).status, path).toBe(200);
    expect(await (await sending.api.get(`/v1/emails/${id.toUpperCase()}`)).json()).toMatchObject({ id });
    expect((await sending.api.get(`/v1/emails/?before=${id.toUpperCase()}`)).status).toBe(200);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    for (const [method, suffix, body] of [
      ["PATCH", "", { send_at: new Date(Date.now() + 7_200_000).toISOString() }],
      ["POST", "/send-now", undefined],
      ["DELETE", "", undefined],
    ] as const) {
      const scheduled = await (await sending.send({ send_at })).json<{ id: string }>();
      const path = `/v1/emails/scheduled/${scheduled.id.toUpperCase()}${suffix}`;
      const response = await sending.api.call(method, path, body);
      expect(await response.json(), path).toMatchObject({ id: scheduled.id });
    }
    // 409, not 404: the email exists and is not in a status that can be retried.
    expect((await sending.api.call("POST", `/v1/emails/${id.toUpperCase()}/retry`)).status).toBe(409);
  });
});
