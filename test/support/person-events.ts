import { database } from "./databases.ts";
import { type TestWorkspace, testContext } from "./workspace.ts";

/** Gives a workspace a paused automation, for which the service records all events. */
export async function recordEvents({ workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">): Promise<void> {
  await database.run(
    `INSERT INTO automations (workspace, id, user_id, name, status, definition, size, trigger_event, created_at, updated_at)
     VALUES (?1, ?2, '', 'Paused', 'paused', '{}', 2, 'none', 0, 0)`,
    [workspaceNumber, testContext().newId()],
  );
}

/** Deletes the automations of a workspace. */
export async function stopEvents({ workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">): Promise<void> {
  await database.run("DELETE FROM automations WHERE workspace = ?1", [workspaceNumber]);
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
