import { expect, it } from "vitest";
import { aPatient, publishTxt } from "../../domains/health/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace } from "../../support/workspace.ts";

it("the page of a domain's health says what is wrong and what to do, escapes what DNS has, and checks again by a button", async () => {
  const patient = await aPatient();
  const session = await aSession(patient.workspace);
  const path = `/app/domains/${patient.domain.id}`;
  const page = async (at = `${path}/health`) => (await session.get(at)).text();
  expect(await page()).toContain("Nothing is wrong");
  expect(await page(path)).toContain(`href="${path}/health"`);
  await patient.txt("dmarc", "v=DMARC1; p=<b>x</b>");
  await session.post(`${path}/health`, {});
  const text = await page();
  for (const part of ["Something to improve", "p=&lt;b&gt;", "Correct the record at", "What was found"])
    expect(text).toContain(part);
  expect(text).not.toContain("<b>x");
  expect(await page("/app/domains")).toContain("Something to improve");
  await patient.remove("dmarc");
  await publishTxt([patient.record("dmarc").name, patient.record("dmarc").value]);
  await session.post(`${path}/health`, {});
  expect(await page()).toContain("Nothing is wrong");
  const other = await aSession(await aWorkspace());
  expect((await other.get(`${path}/health`)).status).toBe(404);
});
