import { recordEventsOf } from "../../src/platform/person-events/flags.ts";
import { database } from "./databases.ts";
import { type TestWorkspace, testContext } from "./workspace.ts";

/** Lets the service record events of a workspace, as an active automation does. */
export async function recordEvents(workspace: Pick<TestWorkspace, "workspaceNumber" | "workspaceId">): Promise<void> {
  await recordEventsOf(testContext(), { number: workspace.workspaceNumber, id: workspace.workspaceId });
}

/** An event of a person as a test reads it. */
export interface ReadEvent {
  id: string;
  email: string;
  name: string;
  data: Record<string, unknown>;
}

/** Returns the events of a workspace in their order. */
export async function eventsOf(workspace: Pick<TestWorkspace, "workspaceNumber">): Promise<ReadEvent[]> {
  const results = await database.rows<Omit<ReadEvent, "data"> & { data: string }>(
    "SELECT id, email_key AS email, name, data FROM events WHERE workspace = ?1 ORDER BY n",
    [workspace.workspaceNumber],
  );
  return results.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
}

/** Returns the names of the events of a workspace with the addresses, in their order. */
export async function eventNamesOf(workspace: Pick<TestWorkspace, "workspaceNumber">): Promise<string[]> {
  return (await eventsOf(workspace)).map(({ name, email }) => `${name} ${email}`);
}
