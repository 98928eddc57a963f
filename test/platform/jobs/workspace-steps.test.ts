import { expect, it } from "vitest";
import { mainWorkspaceSteps, workspaceSteps } from "../../../src/platform/jobs/workspace-steps.ts";
import { database } from "../../support/databases.ts";
import { run } from "../../support/sending.ts";
import { testContext } from "../../support/workspace.ts";

it("a step of a job has up to 500 workspaces, however their numbers are spread", async () => {
  const numbers = Array.from({ length: 1_001 }, (_, n) => 10_000_000 + 3 * n);
  const before = await database.value<number>("SELECT count(*) AS n FROM shard_workspaces");
  await database.run(
    "INSERT INTO shard_workspaces (number, id, status) SELECT value, 'w' || value, 'open' FROM json_each(?1)",
    [JSON.stringify(numbers)],
  );
  const steps = await workspaceSteps(testContext());
  await run("DELETE FROM shard_workspaces WHERE number >= ?1", numbers[0]);
  expect(steps).toHaveLength(Math.ceil(((before ?? 0) + 1_001) / 500));
  expect(steps.at(-1)?.last).toBe(numbers.at(-1));
});

it("a step of a job that counts rows of the main database has up to 50, and gaps between numbers cost none", async () => {
  const before = (await database.value<number>("SELECT count(*) FROM workspaces")) ?? 0;
  // Below those of all others, which then go on without a gap.
  const numbers = Array.from({ length: 101 }, (_, n) => 1_000_000 * (n - 200));
  await database.run(
    "INSERT INTO workspaces (number, id, name, slug, created_at) SELECT value, 'w' || value, 'W', 'w' || value, 0 FROM json_each(?1)",
    [JSON.stringify(numbers)],
  );
  const steps = await mainWorkspaceSteps(testContext());
  await database.run("DELETE FROM workspaces WHERE number <= ?1", [numbers[100]]);
  expect(steps).toHaveLength(Math.ceil((before + 101) / 50));
  expect(steps.slice(0, 2)).toEqual([
    { first: numbers[0], last: numbers[49] },
    { first: numbers[50], last: numbers[99] },
  ]);
});
