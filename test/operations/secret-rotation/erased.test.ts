import { expect, it } from "vitest";
import { readDeployedKeys } from "../../../src/operations/secret-rotation/deployed-keys.ts";
import { erasedForm } from "../../../src/platform/erased-addresses/index.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

it("a master key is needed while suppressions of erased persons are hashed under it", async () => {
  const { workspaceNumber } = await aWorkspace();
  const masterKeys = `7777:${btoa("k".repeat(32))}`;
  const form = erasedForm(testContext({ MASTER_KEYS: masterKeys }), "ada@example.org");
  const insert = "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, 'manual', 0)";
  expect((await readDeployedKeys(testContext())).sealed_under).not.toContain(7777);
  await run(insert, workspaceNumber, form);
  expect((await readDeployedKeys(testContext())).sealed_under).toContain(7777);
  await run("DELETE FROM suppressions WHERE workspace = ?1", workspaceNumber);
});
