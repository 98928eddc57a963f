import { beforeAll, expect, it } from "vitest";
import { publish } from "../../support/dns-control.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perSuite } from "../../support/workspace.ts";

/** Lists without rows show the call of the API that makes the first one. */

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));

beforeAll(async () => {
  await publish([{ name: "hooks.example.com", type: "A", value: "93.184.215.14" }]);
});

const toText = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

/** Calls the command that a page shows. Returns the status. */
async function callCommandOf(path: string): Promise<number> {
  const html = await (await session.get(path)).text();
  const [, command = ""] = /<section class="code-box"[^>]*><pre>([^<]+)</.exec(html) ?? [];
  const match = /^curl \S+?(\/v1\/[a-z-]+\/) -H "Authorization: Bearer \$KEY" --json '([^']+)'$/.exec(
    toText(command).replaceAll(" \\\n  ", " "),
  );
  expect(match, command).not.toBeNull();
  const [, endpoint = "", body = ""] = match ?? [];
  const own = body.replace("DOMAIN_ID", workspace.domainId).replace("a@b.example", workspace.mailbox);
  const response = await workspace.call("POST", endpoint, JSON.parse(own));
  return response.status === 201 ? 201 : Promise.reject(new Error(`${response.status} ${await response.text()}`));
}

it.each(["/app/contacts", "/app/templates", "/app/broadcasts", "/app/webhooks", "/app/smtp"])(
  "the command of %s is a call that the API takes",
  async (path) => {
    expect(await callCommandOf(path)).toBe(201);
  },
);

it("so are those of a workspace without mailboxes and without domains", async () => {
  const { id } = await (await workspace.get("/v1/smtp-credentials/"))
    .json<{ id: string }[]>()
    .then(([first]) => first ?? { id: "" });
  await workspace.call("DELETE", `/v1/smtp-credentials/${id}`);
  await workspace.call("DELETE", `/v1/mailboxes/${workspace.mailboxId}`);
  expect(await callCommandOf("/app/mailboxes")).toBe(201);
  const [mailbox] = await (await workspace.get("/v1/mailboxes/")).json<{ id: string }[]>();
  await workspace.call("DELETE", `/v1/mailboxes/${mailbox?.id}`);
  await workspace.call("DELETE", `/v1/domains/${workspace.domainId}?delete_mailboxes=true`);
  expect(await callCommandOf("/app/domains")).toBe(201);
});
