import { beforeEach, expect, it } from "vitest";
import type { PersonExportOut } from "../../../src/audience/people/schema.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages that export and erase a person do what the API does. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));
let path: string;

beforeEach(async () => {
  const list = await workspace.create("/v1/contacts/", { name: "Readers" });
  path = `/app/contacts/${list.id}/contacts/${(await workspace.create(`/v1/contacts/${list.id}/contacts`, { email: "ada@example.org", name: "Ada" })).id}`;
});

it("the export of a contact's person is a file with all pages", async () => {
  expect(await (await session.get(path)).text()).toContain(`href="${path}/export"`);
  const response = await session.get(`${path}/export`);
  expect(response.headers.get("Content-Disposition")).toContain("person.json");
  const pages = await response.json<PersonExportOut[]>();
  expect(pages).toMatchObject([{ email: "ada@example.org", contacts: [{ name: "Ada" }] }]);
});

it("a person is erased after a question, and the receipt says how far it is", async () => {
  const question = await (await session.get(`${path}/erase`)).text();
  expect(question).toContain("Erase ada@example.org?");
  expect((await session.get(path)).status).toBe(200);
  const receipt = (await submit(session, `${path}/erase`, {})).headers.get("Location") ?? "";
  expect(receipt).toMatch(/^\/app\/people\/erasures\//);
  expect(await (await session.get(receipt)).text()).toContain("runs in the background");
  await runOutboxAt(Date.now() + 125_000, {}, ["purge"]);
  const done = await (await session.get(receipt)).text();
  expect(done).toContain("The person is erased.");
  expect(done).not.toContain("ada@example.org");
  expect((await session.get(path)).status).toBe(404);
});

it("a member sees neither and may do neither", async () => {
  const member = await aSession({ ...workspace, userId: (await aMember(workspace, "member")).userId });
  expect(await (await member.get(path)).text()).not.toContain("/erase");
  for (const action of ["export", "erase"]) {
    const response =
      action === "export" ? await member.get(`${path}/export`) : await submit(member, `${path}/erase`, {});
    expect(response.status, action).toBe(403);
  }
  expect((await session.get(path)).status).toBe(200);
});
