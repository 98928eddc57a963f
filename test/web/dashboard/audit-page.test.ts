/** The page of the audit log. */
import { expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aMember, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

/** Returns what the rows of the page say. */
async function shown(query: Record<string, string> = {}): Promise<string[]> {
  const response = await session.get(`/app/audit?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  const rows = (await response.text()).match(/<td data-column="What">.*?<\/td>/gs) ?? [];
  return rows.map((row) =>
    row
      .replace(/<p class="soft">/g, " (")
      .replace(/<\/p>/g, ")")
      .replace(/<[^>]+>/g, ""),
  );
}

it("says each change as a sentence, with further values below it", async () => {
  const { email, userId } = await aMember(workspace, "member");
  const owner = `owner@${workspace.domain}`;
  await session.call("PATCH", `/v1/workspaces/${workspace.workspaceId}/members/${userId}`, { role: "admin" });
  await session.call("POST", "/v1/suppressions/", { email: "ada@example.org" });
  await session.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { display_name: "Ada & Söhne" });
  expect((await shown()).slice(0, 3)).toEqual([
    `${owner} changed the settings of a mailbox (display name: Ada &amp; Söhne)`,
    `${owner} suppressed ada@example.org (reason: manual)`,
    `${owner} changed the role of ${email} from member to admin`,
  ]);
});

it("is filtered by person, by kind and by time, over pages", async () => {
  const { userId } = await aMember(workspace, "admin");
  const admin = await aSession({ ...workspace, userId });
  for (const name of ["one", "two"]) await admin.call("POST", "/v1/suppressions/", { email: `${name}@example.org` });
  await session.call("POST", "/v1/suppressions/", { email: "three@example.org" });
  const about = async (query: Record<string, string>) =>
    (await shown(query)).map((text) => /(\w+)@example\.org/.exec(text)?.[1]).filter(Boolean);
  expect(await about({ kind: "suppression" })).toEqual(["three", "two", "one"]);
  expect(await about({ kind: "suppression", by: userId })).toEqual(["two", "one"]);
  expect(await shown({ kind: "domain", by: userId })).toEqual([]);
  expect(await shown({ before: "2020-01-01T00:00" })).toEqual([]);
  expect(await about({ before: "2999-01-01T00:00", before_zone: "Europe/Vienna" })).toEqual(["three", "two", "one"]);
  expect(await shown({ by: "' OR 1=1 --", kind: "\u0000", before: "never" })).toEqual([]);
});
