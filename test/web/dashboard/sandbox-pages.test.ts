/** The pages of a workspace with a test domain (docs/contract/domains.md#test-domain). */
import { expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { aSandbox } from "../../support/sandbox.ts";
import { aSession } from "../../support/sessions.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { submit } from "./support.ts";

const textOf = async (response: Response) => (await response.text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

it("Home begins with a mail to yourself, which one button sends from the test domain", async () => {
  const workspace = await aSandbox();
  const session = await aSession(workspace);
  const home = await (await session.get("/app")).text();
  expect(home).toContain("Set up: 1 of 5 steps are done");
  expect(home).not.toContain("Which domain do you send from?");
  const [form = ""] = /<form[^>]*action="\/app\/test-mail"(?:(?!<\/form>).)*Send yourself a mail/s.exec(home) ?? [];
  const fields = Object.fromEntries(
    [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  expect(fields).toMatchObject({ from_: workspace.mailbox, to: workspace.email });
  const sent = await submit(session, "/app/test-mail", fields as Record<string, string>);
  const [, id = ""] = /\/app\/emails\/([^?]+)/.exec(sent.headers.get("Location") ?? "") ?? [];
  expect((await readEmail(workspace, id)).status).toBe("queued");
  const next = await (await session.get("/app")).text();
  expect(next).toContain("Set up: 2 of 5 steps are done");
  expect(next).toContain("Which domain do you send from?");
  expect(next).toContain("The test domain sends to members of the workspace only.");
});

it("Home keeps its steps in a workspace without a test domain", async () => {
  const home = await (await (await aSession(await aWorkspace())).get("/app")).text();
  expect(home).toContain("Set up: 4 of 5 steps are done");
  expect(home).toContain("Write an email");
  expect(home).not.toContain("Send yourself a mail");
});

it("the test domain has a page of its own, and is no choice for a mailbox or an SMTP credential", async () => {
  const workspace = await aSandbox();
  const own = await insertDomain(workspace);
  const session = await aSession(workspace);
  const page = await textOf(await session.get(`/app/domains/${workspace.domainId}`));
  expect(page).toContain("This is the test domain of the workspace.");
  for (const word of ["Check records", "Offer the domain", "Receive mail here"]) expect(page).not.toContain(word);
  expect(await textOf(await session.get("/app/domains"))).toContain(`${workspace.domain} Verified Test domain`);
  for (const path of ["/app/mailboxes", "/app/smtp"]) {
    const options = [...(await (await session.get(path)).text()).matchAll(/<option value="([^"]+)"/g)].map(
      ([, id]) => id,
    );
    expect(options).toContain(own.id);
    expect(options).not.toContain(workspace.domainId);
  }
});

it("Home counts what the workspace owns, not its test domain", async () => {
  const workspace = await aSandbox();
  await insertDomain(workspace, undefined, "pending");
  await database.run("DELETE FROM api_keys WHERE workspace = ?1", [workspace.workspaceNumber]);
  expect(await (await (await aSession(workspace)).get("/app")).text()).toContain("Set up: 1 of 5 steps are done");
});
