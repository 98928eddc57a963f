import { recordDeadLetters } from "../../src/platform/outbox/dead-letters.ts";
import { database, mail } from "../support/databases.ts";
import { aMember, aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";

/** The dead letter and the host of the examples. */
const LETTER = "4f2f6b1c9d";
const HOST = "phishing.example.net";

async function letter() {
  await database.run("DELETE FROM dead_letters WHERE id = ?1", [LETTER]);
  const body = JSON.stringify({ type: "outbox.wake.v2", database: "main", rows: [] });
  await recordDeadLetters(testContext(), "work-dead", [{ id: LETTER, body }]);
  return { letter_id: LETTER };
}

async function quarantined() {
  const insert = `INSERT OR REPLACE INTO quarantine (id, due_at, kind, ref, claims, workspace, error, set_aside_at)
     VALUES ('019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01', 1, 'purge', '{}', 0, 0, 'SyntaxError', 1)`;
  await testContext().db.prepare(insert).run();
  return { database: "main", row_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01" };
}

async function host() {
  const insert = database.prepare("INSERT OR IGNORE INTO blocked_hosts (host, created_at) VALUES (?1, ?2)");
  await insert.bind(HOST, Date.now()).run();
  return { host: HOST };
}

async function receiver() {
  const insert = database.prepare(
    "INSERT OR IGNORE INTO egress_waits (receiver, egress, label, reason, until) VALUES ('outlook', 'main', 'Outlook', '451 4.7.650', ?1)",
  );
  await insert.bind(Date.now() + 600_000).run();
  return {};
}

async function assignment() {
  await database.run("UPDATE domains SET egress = 'east' WHERE name = 'example.com'");
  return { name: "example.com" };
}

/** Another workspace, since it refuses the calls that follow; mail has left it. */
async function shut() {
  const { workspaceId, workspaceNumber } = await aWorkspace();
  const hour = Math.floor(Date.now() / 3_600_000);
  const insert = "INSERT INTO rollups_hourly (workspace, hour, domain, sent) VALUES (?1, ?2, 'example.org', 5210)";
  await mail.prepare(insert).bind(workspaceNumber, hour).run();
  return { workspace_id: workspaceId };
}

/** Functions that create what the operations of platform administrators name, by operation id. */
export const adminPreparations = (
  workspaceOf: () => TestWorkspace,
): Record<string, () => Promise<Record<string, string>>> => ({
  restrictUser: async () => ({ user_id: (await aMember(workspaceOf(), "member")).userId }),
  unrestrictUser: async () => ({ user_id: workspaceOf().userId }),
  pauseWorkspace: async () => ({ workspace_id: workspaceOf().workspaceId }),
  resumeWorkspace: async () => ({ workspace_id: workspaceOf().workspaceId }),
  shutWorkspace: shut,
  updateBudget: async () => ({ workspace_id: workspaceOf().workspaceId }),
  updateDailyLimit: async () => ({ workspace_id: workspaceOf().workspaceId }),
  listDomainClaims: async () => ({ name: "example.com" }),
  endDomainClaim: async () => ({ name: "example.com" }),
  listReceivers: receiver,
  listEgressAssignments: assignment,
  updateWorkspaceEgress: async () => ({ workspace_id: workspaceOf().workspaceId }),
  removeWorkspaceEgress: async () => ({ workspace_id: workspaceOf().workspaceId }),
  updateDomainEgress: async () => ({ name: "example.com" }),
  removeDomainEgress: assignment,
  listQuarantinedRows: quarantined,
  retryQuarantinedRow: quarantined,
  deleteQuarantinedRow: quarantined,
  listOutboxRows: async () => ({ database: "main" }),
  retryOutboxRows: async () => ({ database: "main" }),
  replaceSearchIndex: async () => ({ database: "0" }),
  listDeadLetters: letter,
  retryDeadLetter: letter,
  deleteDeadLetter: letter,
  listBlockedHosts: host,
  addBlockedHost: async () => ({ host: HOST }),
  removeBlockedHost: host,
});
