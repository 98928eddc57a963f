import { expect, it } from "vitest";
import { run } from "../../support/sending.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of a workspace that has stopped itself (docs/contract/workspaces.md#self-stop). */

const BANNER = "so this mail is paused: bulk, broadcast, automation, batch.";
const BUTTON = "Resume this mail";

const workspace = perTest(aWorkspace);

const stop = () =>
  run(
    "UPDATE workspaces SET bulk_pause = 2, bulk_paused_at = ?2 WHERE number = ?1",
    workspace.workspaceNumber,
    Date.now(),
  );

it("every page names the mail that waits, and the settings let an owner resume it", async () => {
  const session = await aSession(workspace);
  const textOf = async (path: string) => (await session.get(path)).text();
  expect(await textOf("/app/settings")).not.toContain(BUTTON);
  await stop();
  expect(await textOf("/app/contacts")).toContain(BANNER);
  expect(await textOf("/app/settings")).toContain(BUTTON);
  const response = await submit(session, "/app/settings/resume-bulk", {});
  expect([response.status, response.headers.get("Location")]).toEqual([303, "/app/settings?done=resumed"]);
  const resumed = await textOf("/app/settings?done=resumed");
  expect([resumed.includes("The mail is resumed."), resumed.includes(BANNER), resumed.includes(BUTTON)]).toEqual([
    true,
    false,
    false,
  ]);
});

it("others see that it waits, and have no button", async () => {
  const { userId } = await aMember(workspace, "admin");
  const session = await aSession({ ...workspace, userId });
  await stop();
  const page = await (await session.get("/app/settings")).text();
  expect([page.includes(BANNER), page.includes(BUTTON)]).toEqual([true, false]);
  expect((await submit(session, "/app/settings/resume-bulk", {})).status).toBe(403);
});
