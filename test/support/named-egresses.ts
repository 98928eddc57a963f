import { database } from "./databases.ts";
import type { TestWorkspace } from "./workspace.ts";

/** Gives a workspace, or its domain, an egress of its own, or none. */
export async function assignEgress(
  workspace: TestWorkspace,
  to: { workspace?: string | null; domain?: string | null },
): Promise<void> {
  const { workspaceNumber: number } = workspace;
  if (to.workspace !== undefined)
    await database.run("UPDATE workspaces SET egress = ?2 WHERE number = ?1", [number, to.workspace]);
  if (to.domain !== undefined)
    await database.run("UPDATE domains SET egress = ?2 WHERE workspace = ?1", [number, to.domain]);
}

/** Returns NAMED_EGRESS_URLS with these egresses. */
export const namedEgresses = (urls: Readonly<Record<string, string>>): string =>
  Object.entries(urls)
    .map(([name, url]) => `${name}=${url}`)
    .join("\n");
