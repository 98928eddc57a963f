import { expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** Refused buttons and questions say why (src/http/page-actions.tsx). */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

async function refused(path: string, fields: Record<string, string> = {}) {
  const response = await submit(session, path, fields);
  const html = await response.text();
  return {
    status: response.status,
    title: /<h1>(.*?)<\/h1>/.exec(html)?.[1],
    alerts: html.match(/role="alert"/g)?.length,
  };
}

it("a question that is refused is asked again, with the reason once", async () => {
  const path = `/app/team/${workspace.userId}/remove`;
  const asked = await (await session.get(path)).text();
  const title = /<h1>(.*?)<\/h1>/.exec(asked)?.[1];
  expect(title).toMatch(/^Leave /);
  expect(await refused(path)).toEqual({ status: 409, title, alerts: 1 });
  expect((await session.get("/app/team")).status).toBe(200);
});

it("a button that is refused shows its page, with the reason once", async () => {
  const { id } = await (await session.post("/v1/automations/", { name: "Empty", trigger: { event: "x" } })).json<{
    id: string;
  }>();
  expect(await refused(`/app/automations/${id}/pause`)).toEqual({ status: 409, title: "Empty", alerts: 1 });
});

it("the address of a form that was refused leads to the page that the form stands on", async () => {
  const page = `/app/domains/${workspace.domainId}`;
  for (const [path, to] of [
    [`${page}/transfer`, page],
    [`/app/mailboxes/${workspace.mailboxId}/password`, `/app/mailboxes/${workspace.mailboxId}`],
    ["/app/settings/time-zone", "/app/settings"],
    [`/mail/read/${workspace.mailboxId}/undo-nothing`, null],
  ] as const) {
    const response = await session.get(path);
    expect([response.status, response.headers.get("Location")], path).toEqual(to === null ? [404, null] : [303, to]);
  }
});
