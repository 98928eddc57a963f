import type { AuditEntryOut } from "../../src/identity/workspaces/audit-log/schema.ts";

/** Returns the audit log of a workspace, oldest first. `api` is a credential of an owner. */
export async function readAudit(api: { get(path: string): Promise<Response> }): Promise<AuditEntryOut[]> {
  const response = await api.get("/v1/audit?limit=500");
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json<AuditEntryOut[]>()).reverse();
}

/** Returns the actions and targets of the audit log of a workspace, oldest first. */
export const auditedActions = async (api: { get(path: string): Promise<Response> }) =>
  (await readAudit(api)).map(({ action, target }) => `${action} ${target.id}`);
