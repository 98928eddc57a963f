import { describe, expect, it } from "vitest";
import { aWorkspace, perTest } from "../support/workspace.ts";

const workspace = perTest(aWorkspace);

const manyOf = (value: unknown) => Array.from({ length: 200_000 }, () => value);
const email = { from_: { email: "a@b.example" }, to: [{ email: "c@d.example" }], subject: "s", text: "t" };
const tooMany = (loc: (string | number)[]) => ({
  loc: ["body", ...loc],
  msg: "There are 200000 entries; the limit is 10000",
  type: "too_big",
});

describe("a list of 200,000 entries that are no good is one error", () => {
  for (const field of ["to", "cc", "bcc", "tags", "attachments"])
    it(`as ${field} of an email`, async () => {
      const response = await workspace.call("POST", "/v1/emails/", { ...email, [field]: manyOf(1) });
      expect(response.status).toBe(422);
      expect(await response.json()).toEqual({ detail: [tooMany([field])] });
    });

  it("as headers of an email", async () => {
    const headers = Object.fromEntries(manyOf(1).map((value, index) => [`X-${index}`, value]));
    const response = await workspace.call("POST", "/v1/emails/", { ...email, headers });
    expect(await response.json()).toEqual({ detail: [tooMany(["headers"])] });
  });

  it("in an item of a batch, and the other items are sent", async () => {
    const good = { ...email, from_: { email: workspace.mailbox } };
    const response = await workspace.call("POST", "/v1/emails/batch", [{ ...email, to: manyOf(1) }, good]);
    const { results } = await response.json<{ results: { status: string; rejection_reason: string | null }[] }>();
    expect(results.map(({ status }) => status)).toEqual(["error", "queued"]);
    expect(results[0]?.rejection_reason).toBe("to: There are 200000 entries; the limit is 10000");
  });
});

it("a field that takes any JSON may have as many entries as a body", async () => {
  const list = await (await workspace.call("POST", "/v1/contacts/", { name: "List" })).json<{ id: string }>();
  const metadata = { numbers: Array.from({ length: 20_000 }, () => 1) };
  const contact = { email: "a@b.example", metadata };
  const response = await workspace.call("POST", `/v1/contacts/${list.id}/contacts`, contact);
  expect(response.status).toBe(201);
});

it("the name of a missing field is compared with 100 fields of the request", async () => {
  const after = (count: number) => {
    const others = Array.from({ length: count }, (_, index) => [`field${index}`, 1]);
    return workspace.call("POST", "/v1/emails/", { ...Object.fromEntries(others), From: 1, to: [], subject: "s" });
  };
  const missing = async (response: Response) => (await response.json<{ detail: { msg: string }[] }>()).detail[0]?.msg;
  expect(await missing(await after(99))).toBe(
    '`from_` is required; the request has `From`. Expected an object such as {"email": "ada@example.org", "name": "Ada"}',
  );
  expect(await missing(await after(100))).toBe("from_ is required");
});
