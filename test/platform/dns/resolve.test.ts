import { type Answer, type RecordType as AnyType, encode, type Packet } from "dns-packet";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RecordType, resolve } from "../../../src/platform/dns/resolve.ts";
import { testContext } from "../../support/workspace.ts";

/** Tests the parsing of a resolver's responses, malformed ones included. test/unit/dns.test.ts tests the local DNS server. */

const NAME = "shop.test";

afterEach(() => vi.unstubAllGlobals());

/** Resolves a name with a resolver that sends this response. */
function ask(bytes: Uint8Array | string, type: RecordType = "TXT", init: ResponseInit = {}) {
  vi.stubGlobal("fetch", async () => new Response(bytes, init));
  return resolve(testContext(), NAME, type);
}

const question = (name = NAME, type: AnyType = "TXT") => ({ name, type });
const message = (answers: Answer[], packet: Partial<Packet> = {}) =>
  new Uint8Array(encode({ type: "response", questions: [question()], answers, ...packet }));
const txt = (data: string | string[], name = NAME): Answer => ({ type: "TXT", name, data });

describe("an answer", () => {
  it("joins the strings of one TXT record without a space, and keeps records apart", async () => {
    const answer = await ask(message([txt(["v=DKIM1; p=ab", "cd"]), txt("other"), txt("")]));
    expect(answer).toEqual({ status: "ok", values: ["v=DKIM1; p=abcd", "other", ""] });
  });

  it("behind a CNAME is read at its target; records of other types are ignored", async () => {
    const alias: Answer = { type: "CNAME", name: NAME, data: "Target.test" };
    const odd: Answer = { type: "A", name: "target.test", data: "192.0.2.1" };
    expect(await ask(message([alias, odd, txt("token", "target.test")]))).toEqual({
      status: "ok",
      values: ["token"],
      aliases: ["target.test"],
    });
    const questions = [question(NAME, "CNAME")];
    expect(await ask(message([alias], { questions }), "CNAME")).toEqual({
      status: "ok",
      values: ["target.test"],
      aliases: ["target.test"],
    });
  });

  it("keeps quotes and letter case of texts, and accepts bytes that are not UTF-8", async () => {
    const raw: Answer = { type: "TXT", name: NAME, data: [Buffer.from([0x22, 0xff, 0x41])] };
    const values = ['"quoted"', "UPPER lower", '"\ufffdA'];
    expect(await ask(message([txt('"quoted"'), txt("UPPER lower"), raw]))).toEqual({ status: "ok", values });
  });

  it("may repeat the question in other letter case", async () => {
    expect(await ask(message([txt("x")], { questions: [question("sHoP.TeSt")] }))).toMatchObject({ status: "ok" });
  });

  it("without records has no values", async () => {
    expect(await ask(message([]))).toEqual({ status: "ok", values: [] });
    expect(await ask(message([], { flags: 3 }))).toEqual({ status: "ok", values: [] });
  });

  it("of nearly the maximum size is parsed", async () => {
    const many = Array.from({ length: 200 }, (_, n) => txt(`${n}${"x".repeat(200)}`));
    const answer = await ask(message(many));
    expect(answer).toMatchObject({ status: "ok" });
  });
});

describe("a response without a usable answer", () => {
  const unusable: [string, Uint8Array | string, ResponseInit?][] = [
    ["the question itself, sent back", new Uint8Array(encode({ type: "query", questions: [question()] }))],
    ["an answer to another name", message([txt("x")], { questions: [question("other.test")] })],
    ["an answer to another type", message([], { questions: [question(NAME, "MX")] })],
    ["an answer to no question", message([], { questions: [] })],
    ["zeros", new Uint8Array(12)],
    ["nothing", ""],
    ["a page", "<!DOCTYPE html><html>Sign in to this network</html>"],
    ["a message that is cut in a value", message([txt("token")]).slice(0, -4)],
    ["a message that is cut before a value", message([txt("token")]).slice(0, -6)],
    ["a message that is cut between two records", message([txt("token"), txt("other")]).slice(0, -40)],
    ["more bytes than a message has", new Uint8Array(70_000)],
    ["SERVFAIL", message([], { flags: 2 })],
    ["NOTIMP", message([], { flags: 4 })],
    ["a redirect", "", { status: 302, headers: { Location: "https://elsewhere.test/" } }],
    ["429", message([txt("x")]), { status: 429 }],
  ];
  for (const [what, bytes, init] of unusable)
    it(`is a temperror: ${what}`, async () => {
      expect(await ask(bytes, "TXT", init)).toMatchObject({ status: "temperror" });
    });
});
