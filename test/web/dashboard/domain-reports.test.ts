import { expect, it } from "vitest";
import { saveReport } from "../../../src/domains/reports/save.ts";
import { DAY_MS } from "../../../src/lib/time.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, recordingContext } from "../../support/workspace.ts";

it("the page of the reports on a domain says who sends as it and what to do, and escapes what reporters wrote", async () => {
  const { ctx } = recordingContext();
  const workspace = await aWorkspace();
  const session = await aSession(workspace);
  const path = `/app/domains/${workspace.domainId}`;
  const pageOf = async (query = "") => (await session.get(`${path}/reports${query}`)).text();
  expect(await (await session.get(path)).text()).toContain(`href="${path}/reports"`);
  expect(await pageOf()).toContain("No reports have come yet.");
  expect(await pageOf("?kind=tls")).toContain(`_smtp._tls.${workspace.domain}`);
  const common = {
    workspace: { number: workspace.workspaceNumber, id: workspace.workspaceId },
    ...{ domainId: workspace.domainId, day: Math.floor(ctx.now() / DAY_MS), reportId: "1", skipped: 1_234 },
  };
  const source = { source: "192.0.2.9", disposition: "none" };
  const sources = [
    { ...source, aligned: 3, messages: 975 },
    { ...source, aligned: 0, messages: 25 },
  ];
  await saveReport(ctx, { ...common, organization: "<b>google.com", rows: { kind: "dmarc", sources } });
  const sessions = [
    { failure: "", server: "", sessions: 9 },
    { failure: "certificate-expired", server: "<i>mx", sessions: 1 },
  ];
  await saveReport(ctx, { ...common, organization: "microsoft.com", rows: { kind: "tls", sessions } });
  const dmarc = await pageOf("?kind=dmarc&period=7d");
  expect(dmarc).toContain("3 % of the messages with this domain in From are not aligned (25)");
  for (const text of ["1,000", "1,234", "97.5 %", "192.0.2.9", "&lt;b&gt;google.com"]) expect(dmarc).toContain(text);
  const tls = await pageOf("?kind=tls");
  for (const text of ["10.0 %", "certificate-expired", "renew it", "&lt;i&gt;mx"]) expect(tls).toContain(text);
  expect(await pageOf("?kind=x&period=9y")).toContain("1,000");
  const other = await aSession(await aWorkspace());
  expect((await other.get(`${path}/reports`)).status).toBe(404);
});
