import { describe, expect, it } from "vitest";
import { anInbox } from "../../../mailboxes/inbox/support.ts";
import { aMail, aWorkspace, perSuite } from "../../../support/workspace.ts";

const MAILBOX = 'Expected an object such as {"email": "ada@example.org", "name": "Ada"}';
const LIST = 'Expected a list such as [{"email": "ada@example.org", "name": "Ada"}]';

const workspace = perSuite(aWorkspace);

/** Returns the errors of a 422 as `path: message`. */
async function errorsOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(422);
  const { detail } = await response.json<{ detail: { loc: string[]; msg: string }[] }>();
  return detail.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`);
}

describe("an address of the wrong form gets the right one in its error", () => {
  it.each([
    ["from_ as a text", { from_: "a@b.example" }, [`from_: ${MAILBOX}`]],
    ["to as a text", { to: "a@b.example" }, [`to: ${LIST}`]],
    ["to as a list of texts", { to: ["a@b.example"] }, [`to.0: ${MAILBOX}`]],
    ["to as one address", { to: { email: "a@b.example" } }, [`to: ${LIST}`]],
    [
      "cc and reply_to as texts",
      { cc: "a@b.example", reply_to: "a@b.example" },
      [`cc: ${LIST}`, `reply_to: ${MAILBOX}`],
    ],
    [
      "from in place of from_",
      { from_: undefined, from: "a@b.example" },
      [`from_: \`from_\` is required; the request has \`from\`. ${MAILBOX}`],
    ],
  ])("%s", async (_, fields, errors) => {
    const mail = { ...aMail(workspace), ...fields };
    expect(await errorsOf(await workspace.post("/v1/emails/", mail))).toEqual(errors);
    const { issues } = await (await workspace.post("/v1/emails/validate", mail)).json<{
      issues: { error: string }[];
    }>();
    expect(issues.map(({ error }) => error)).toEqual(errors);
    const batch = await workspace.post("/v1/emails/batch", [mail, aMail(workspace)]);
    const { results } = await batch.json<{ results: { status: string; rejection_reason: string | null }[] }>();
    expect(results).toMatchObject([{ status: "error", rejection_reason: errors[0] }, { status: "queued" }]);
  });

  it("in a draft and a message of a mailbox, which take texts", async () => {
    const inbox = await anInbox();
    const fields = { from: { email: "a@b.example" }, to: "a@b.example", cc: [{ email: "a@b.example" }] };
    const address = 'Expected an address such as "ada@example.org"';
    const errors = ['to: Expected a list such as ["ada@example.org"]', `from: ${address}`, `cc.0: ${address}`];
    for (const path of ["/drafts", "/send"])
      expect(await errorsOf(await inbox.call("POST", path, fields)), path).toEqual(errors);
  });
});
