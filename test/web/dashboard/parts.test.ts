import { describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aMail, apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The parts that all pages share: titles, statuses, times, messages, empty lists. */

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));

const pageOf = async (path: string) => (await session.get(path)).text();

describe("each page", () => {
  it("has a title that ends with the workspace, and with the service for visitors", async () => {
    const { name } = await (await workspace.get(`/v1/workspaces/${workspace.workspaceId}`)).json<{ name: string }>();
    expect(await pageOf("/app/domains")).toContain(`<title>Domains · ${name}</title>`);
    expect(await (await apiWith(null).get("/auth/sign-in")).text()).toContain("<title>Sign in · Email service</title>");
  });

  it("has an icon, which a page of a visitor shows as the mark of the service", async () => {
    expect(await pageOf("/app/domains")).toContain('<link rel="icon" href="/favicon.svg"/>');
    expect(await (await apiWith(null).get("/auth/sign-in")).text()).toContain('<svg class="mark"');
  });

  it("says once what was just done, as a message that assistive programs announce", async () => {
    await submit(session, "/app/settings/time-zone", { time_zone: "" });
    expect(await pageOf("/app/settings?done=zone")).toContain('<div class="toast" role="status" data-toast="">');
    expect(await pageOf("/app/settings")).not.toContain('class="toast"');
  });
});

it("a status is a sentence-case word whose class is its colour, and a time says how long ago it was", async () => {
  expect(await pageOf("/app/templates")).toContain('<svg class="drawing"');
  await workspace.post("/v1/emails/", aMail(workspace, { send_at: new Date(Date.now() + 7_200_000).toISOString() }));
  const html = await pageOf("/app/emails");
  expect(html).toContain('<span class="status plan">Scheduled</span>');
  expect(html).toMatch(/<time dateTime="[^"]+" title="[^"]+ UTC">just now<\/time>/);
});
