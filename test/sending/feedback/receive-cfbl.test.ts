import { describe, expect, it } from "vitest";
import type { CheckedAuthentication } from "../../../src/mail/authentication-results/stored-results.ts";
import { checkRecipient, receiveMail } from "../../../src/mailboxes/inbound/index.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { lines } from "../../mail/reports/samples.ts";
import { fieldOf, type SentMail, sendWithCfbl } from "../../support/cfbl.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const CFBL = "cfbl@bounces.mail.test";
const PROVIDER = "provider.example";

const workspace = perTest(aWorkspace);

/** Returns what the receiving server found: one DKIM signature of this domain. */
const signed = (domain = PROVIDER, result = "pass", dmarc: string | null = null): CheckedAuthentication => ({
  spf: null,
  dkim: [{ result, domain, selector: "s" }],
  dmarc: dmarc === null ? null : { result: dmarc, domain },
  dmarc_policy: null,
  arc: null,
});

interface Report {
  from?: string;
  /** Fields of the message/feedback-report. */
  report?: readonly string[];
  /** Header of the reported mail. */
  original?: readonly string[];
  originalType?: string;
}

/** Returns a report in the shape of RFC 9477 A.2. */
const report = ({
  from = `From: Complaints <fbl@${PROVIDER}>`,
  report: fields = ["Feedback-Type: abuse"],
  original = [],
  originalType = "text/rfc822-headers; charset=UTF-8",
}: Report = {}) =>
  lines(
    from,
    `To: ${CFBL}`,
    "Subject: complaint",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "A complaint.",
    "--b",
    "Content-Type: message/feedback-report",
    "",
    ...fields,
    "User-Agent: FBL/0.1",
    "Version: 1",
    "",
    "--b",
    `Content-Type: ${originalType}`,
    "",
    ...original,
    "",
    "--b--",
    "",
  );

/** Returns the header that a provider which discloses as little as it may gives of an email (RFC 9477 3.5). */
const leastHeader = (mail: SentMail) => [`CFBL-Feedback-ID: ${fieldOf(mail, "CFBL-Feedback-ID")}`];

/** Delivers a message to the address and returns what the log says of it. */
async function deliver(
  raw: string | Uint8Array,
  authentication: CheckedAuthentication | "in-header" | null = signed(),
  bindings: Record<string, unknown> = {},
) {
  const results: unknown[] = [];
  const ctx: Ctx = { ...testContext(bindings), log: (_event, detail) => void results.push(detail?.result) };
  const bytes = typeof raw === "string" ? new TextEncoder().encode(raw) : raw;
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  })();
  const mail = { from: `fbl@${PROVIDER}`, to: CFBL, raw: chunks, size: bytes.length, authentication };
  expect(await receiveMail(ctx, mail)).toEqual({ accepted: true, kind: "feedback" });
  expect(results).toHaveLength(1);
  return results[0];
}

async function eventsOf({ id }: SentMail, of = workspace) {
  const list = await (await of.get(`/v1/emails/${id}/events`)).json<
    { event_type: string; metadata: Record<string, unknown> | null }[]
  >();
  return list.map(({ event_type }) => event_type);
}

async function suppressed(of = workspace): Promise<string[]> {
  const list = await (await of.get("/v1/suppressions/")).json<{ email: string; reason: string }[]>();
  return list.map(({ email, reason }) => `${email} ${reason}`);
}

const bulk = (of = workspace) => sendWithCfbl(of, "bulk");
const NOTHING = ["queued", "delivered"];

describe("a report to the address of CFBL-Address", () => {
  it("is accepted, also in upper case and without a key in the settings", async () => {
    for (const to of [CFBL, CFBL.toUpperCase()])
      expect(await checkRecipient(testContext(), to)).toEqual({ accepted: true, kind: "feedback" });
  });

  it("counts as a complaint with nothing but the token, and suppresses the recipient in the right workspace", async () => {
    const other = await aWorkspace();
    const [mail, foreign] = [await bulk(), await bulk(other)];
    expect(await deliver(report({ original: leastHeader(mail) }))).toBe("counted");
    expect(await eventsOf(mail)).toEqual([...NOTHING, "complained"]);
    expect(await suppressed()).toEqual(["friend@example.org complaint"]);
    expect(await eventsOf(foreign, other)).toEqual(NOTHING);
    expect(await suppressed(other)).toEqual([]);
  });

  it("counts with the whole original, with a folded token in upper case, and with the return path alone", async () => {
    const [whole, folded, path] = [await bulk(), await bulk(), await bulk()];
    const original = new TextDecoder().decode(whole.raw).split("\r\n");
    expect(await deliver(report({ original, originalType: "message/rfc822" }))).toBe("counted");
    const token = fieldOf(folded, "CFBL-Feedback-ID").toUpperCase();
    const halves = [`cfbl-feedback-id: ${token.slice(0, 20)}`, `\t ${token.slice(20)}`];
    expect(await deliver(report({ original: halves, originalType: "text/rfc822" }))).toBe("counted");
    const fields = ["Feedback-Type: abuse", `Original-Mail-From: <${path.returnPath}>`];
    expect(await deliver(report({ report: fields, original: ["Subject: A subject"] }))).toBe("counted");
    for (const mail of [whole, folded, path]) expect(await eventsOf(mail)).toContain("complained");
  });

  it("counts once, however many reports there are, at once and with other text", async () => {
    const mail = await bulk();
    const texts = [1, 2, 3, 4].map((n) =>
      report({ report: ["Feedback-Type: abuse", `Arrival-Date: ${n}`], original: leastHeader(mail) }),
    );
    const results = await Promise.all([...texts, ...texts].map((text) => deliver(text)));
    expect(new Set(results)).toEqual(new Set(["counted"]));
    expect(await eventsOf(mail)).toEqual([...NOTHING, "complained"]);
  });

  it("counts with the results that the server before the Email Worker wrote above it", async () => {
    const mail = await bulk();
    const raw = report({ original: leastHeader(mail) });
    const bindings = { EMAIL_WORKER_AUTHSERV_ID: "mx.cloudflare.net" };
    const results = (value: string) =>
      `Received: from out.${PROVIDER} (203.0.113.7)\r\n by cloudflare-email.net (cloudflare) id 7A\r\nAuthentication-Results: mx.cloudflare.net; ${value}\r\n`;
    const pass = results(`dkim=pass header.d=${PROVIDER} header.s=s; dmarc=pass header.from=${PROVIDER}`);
    expect(await deliver(`${results(`dkim=fail header.d=${PROVIDER}`)}${pass}${raw}`, "in-header", bindings)).toBe(
      "not authenticated",
    );
    expect(await deliver(`${pass}${raw}`, "in-header")).toBe("not authenticated");
    expect(await eventsOf(mail)).toEqual(NOTHING);
    expect(await deliver(`${pass}${raw}`, "in-header", bindings)).toBe("counted");
  });

  it("counts by a Message-ID only from the provider of the recipient's own domain", async () => {
    const mail = await bulk();
    const original = [`Message-ID: ${fieldOf(mail, "Message-ID")}`];
    expect(await deliver(report({ original }))).toBe("unknown email");
    const below = report({ original, from: "From: fbl@mail.example.org" });
    expect(await deliver(below, signed("mail.example.org"))).toBe("unknown email");
    const strange = [`Message-ID: <${crypto.randomUUID()}@${workspace.domain}>`];
    const own = { from: "From: fbl@example.org" };
    expect(await deliver(report({ ...own, original: strange }), signed("example.org"))).toBe("unknown email");
    expect(await eventsOf(mail)).toEqual(NOTHING);
    expect(await deliver(report({ ...own, original }), signed("example.org"))).toBe("counted");
    expect(await eventsOf(mail)).toEqual([...NOTHING, "complained"]);
  });
});

describe("a report that does not count", () => {
  const FOLLOWS: [string, Report, CheckedAuthentication | "in-header" | null][] = [
    ["without results of the server that received it", {}, null],
    ["without a signature", {}, { ...signed(), dkim: [] }],
    ["whose signature fails", {}, signed(PROVIDER, "fail")],
    ["whose signature has a temporary error", {}, signed(PROVIDER, "temperror")],
    ["signed by another domain", {}, signed("evil.example")],
    ["signed by a domain below its own", {}, signed(`mail.${PROVIDER}`)],
    ["signed by a domain that ends alike", { from: `From: a@evil${PROVIDER}` }, signed()],
    ["that passes SPF alone", {}, { ...signed(), dkim: [], spf: { result: "pass", domain: PROVIDER } }],
    ["that fails DMARC", {}, signed(PROVIDER, "pass", "fail")],
    ["with two From fields", { from: `From: a@evil.example\r\nFrom: a@${PROVIDER}` }, signed()],
    ["with two addresses in From", { from: `From: a@${PROVIDER}, a@evil.example` }, signed()],
    ["without a From field", { from: "X-From: nothing" }, signed()],
    [
      "with results that its sender wrote",
      { from: `Authentication-Results: mx.cloudflare.net; dkim=pass header.d=${PROVIDER}\r\nFrom: a@${PROVIDER}` },
      "in-header",
    ],
  ];

  it.each(FOLLOWS)("is one %s", async (_name, fields, authentication) => {
    const mail = await bulk();
    const raw = report({ ...fields, original: [...leastHeader(mail), `Message-ID: ${fieldOf(mail, "Message-ID")}`] });
    expect(await deliver(raw, authentication)).toBe("not authenticated");
    expect(await eventsOf(mail)).toEqual(NOTHING);
    expect(await suppressed()).toEqual([]);
  });

  it("is one whose signature is of a parent domain only when that is no other one", async () => {
    const mail = await bulk();
    const below = report({ from: `From: fbl@arf.${PROVIDER}`, original: leastHeader(mail) });
    expect(await deliver(below, signed(PROVIDER))).toBe("counted");
  });

  it("is one with a changed token, the token of another email, or a token of another kind", async () => {
    const [mail, other] = [await bulk(), await bulk()];
    const token = fieldOf(mail, "CFBL-Feedback-ID");
    const path = `Return-Path: <${mail.returnPath}>`;
    for (let at = 0; at < token.length; at += 5) {
      const changed = `${token.slice(0, at)}${token[at] === "q" ? "r" : "q"}${token.slice(at + 1)}`;
      expect(await deliver(report({ original: [path, `CFBL-Feedback-ID: ${changed}`] }))).toBe("unknown email");
    }
    const kinds = [mail.returnPath.slice(1, 57), mail.returnPath, `${token}${token}`, "a".repeat(70_000), ""];
    for (const kind of kinds)
      expect(await deliver(report({ original: [path, `CFBL-Feedback-ID: ${kind}`] }))).toBe("unknown email");
    expect(await deliver(report({ original: [path, ...leastHeader(other)] }))).toBe("unknown email");
    for (const one of [mail, other]) expect(await eventsOf(one)).toEqual(NOTHING);
    expect(await suppressed()).toEqual([]);
  });

  it("is one of a type that is no complaint, one in XARF, and one about nothing", async () => {
    const mail = await bulk();
    for (const type of ["not-spam", "auth-failure", "xarf"])
      expect(await deliver(report({ report: [`Feedback-Type: ${type}`], original: leastHeader(mail) }))).toBe(
        "no complaint",
      );
    const xarf = lines(
      `From: fbl@${PROVIDER}`,
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: application/json; name=xarf.json",
      "",
      JSON.stringify({ Version: "2", Report: { ReportType: "Spam", Samples: [leastHeader(mail)[0]] } }),
      "--b--",
    );
    expect(await deliver(xarf)).toBe("no complaint");
    expect(await deliver(report())).toBe("unknown email");
    expect(await deliver("")).toBe("not authenticated");
    expect(await eventsOf(mail)).toEqual(NOTHING);
  });

  it("is one beyond the first MiB, with thousands of parts or with endless nesting, which is read in bounded time", async () => {
    const mail = await bulk();
    const head = `From: fbl@${PROVIDER}\r\nContent-Type: multipart/report; report-type=feedback-report; boundary="b"\r\n\r\n`;
    const rest = report({ original: leastHeader(mail) })
      .split("\r\n\r\n")
      .slice(1)
      .join("\r\n\r\n");
    const parts = "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(20_000);
    let nested = "";
    for (let depth = 0; depth < 2_000; depth++)
      nested += `--b${depth || ""}\r\nContent-Type: multipart/mixed; boundary="b${depth + 1}"\r\n\r\n`;
    for (const filler of ["x".repeat(3 * 1024 * 1024), parts, nested])
      expect(await deliver(`${head}${filler}\r\n${filler === nested ? "" : rest}`)).toBe("no complaint");
    expect(await eventsOf(mail)).toEqual(NOTHING);
    const large = report({
      original: [...leastHeader(mail), "", "x".repeat(3 * 1024 * 1024)],
      originalType: "message/rfc822",
    });
    expect(await deliver(large)).toBe("counted");
  });
});
