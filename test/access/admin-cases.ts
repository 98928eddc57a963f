import { env } from "cloudflare:workers";
import { recordDeadLetters } from "../../src/platform/outbox/dead-letters.ts";
import { database } from "../support/databases.ts";
import type { PathIds } from "../support/route-tests.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const createDeadLetter = async () => {
  const id = crypto.randomUUID();
  const body = JSON.stringify({ type: "outbox.wake.v2", database: "main", rows: [] });
  await recordDeadLetters(testContext(), "work-dead", [{ id, body }]);
  return { letter_id: id };
};

const aHost = async () => ({ host: `h${crypto.randomUUID()}.example.net` });

const createBlockedHost = async () => {
  const ids = await aHost();
  await database.run("INSERT INTO blocked_hosts (host, created_at) VALUES (?1, 1)", [ids.host]);
  return ids;
};

const aWorkspaceId = async () => ({ workspace_id: (await aWorkspace()).workspaceId });

const createClaim = async () => ({ name: (await aWorkspace()).domain });

/** An egress that the tests do not have. */
const EAST = { egress: "east" };

const createAssignedDomain = async () => {
  const ids = await createClaim();
  await database.run("UPDATE domains SET egress = ?2 WHERE name = ?1", [ids.name, EAST.egress]);
  return ids;
};

const aQuarantinedRow = async () => {
  const row_id = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO quarantine (id, due_at, kind, ref, claims, workspace, error, set_aside_at) VALUES (?1, 1, 'purge', '{}', 0, 0, '', 1)",
  )
    .bind(row_id)
    .run();
  return { database: "main", row_id };
};

const all = { crossesWorkspaces: true } as const;

/** The routes of platform administrators, except the force transfer. */
export const adminCases = (createMember: (workspace: TestWorkspace) => Promise<PathIds>) =>
  ({
    "GET /v1/admin/users": { success: 200 },
    "POST /v1/admin/users/:user_id/restrict": { success: 200, create: createMember, ...all },
    "POST /v1/admin/users/:user_id/unrestrict": { success: 200, create: createMember, ...all },
    "GET /v1/admin/audit": { success: 200 },
    "POST /v1/admin/outbox/flush": { success: 200 },
    "GET /v1/admin/receivers": { success: 200 },
    "GET /v1/admin/outboxes/:database": { success: 200, create: async () => ({ database: "main" }), ...all },
    "POST /v1/admin/outboxes/:database/requeue": {
      success: 200,
      create: async () => ({ database: "main" }),
      body: () => ({ rows: [{ id: "-", due_at: "2026-11-21T14:00:00Z" }] }),
      ...all,
    },
    "GET /v1/admin/quarantines/:database": { success: 200, create: async () => ({ database: "main" }), ...all },
    "POST /v1/admin/quarantines/:database/:row_id/retry": { success: 204, create: aQuarantinedRow, ...all },
    "DELETE /v1/admin/quarantines/:database/:row_id": { success: 204, create: aQuarantinedRow, ...all },
    "GET /v1/admin/dead-letters": { success: 200 },
    "POST /v1/admin/dead-letters/:letter_id/replay": { success: 200, create: createDeadLetter, ...all },
    "DELETE /v1/admin/dead-letters/:letter_id": { success: 204, create: createDeadLetter, ...all },
    "GET /v1/admin/blocked-hosts": { success: 200 },
    "PUT /v1/admin/blocked-hosts/:host": { success: 200, create: aHost, ...all },
    "DELETE /v1/admin/blocked-hosts/:host": { success: 204, create: createBlockedHost, ...all },
    "POST /v1/admin/databases/:database/reindex": {
      success: 200,
      create: async () => ({ database: "0" }),
      body: () => ({ restart: false }),
      ...all,
    },
    "POST /v1/admin/outbox/release": { success: 200 },
    "GET /v1/admin/workspaces": { success: 200 },
    "POST /v1/admin/workspaces/:workspace_id/pause": { success: 200, create: aWorkspaceId, ...all },
    "POST /v1/admin/workspaces/:workspace_id/resume": { success: 200, create: aWorkspaceId, ...all },
    "PUT /v1/admin/workspaces/:workspace_id/daily-limit": {
      success: 200,
      create: aWorkspaceId,
      body: () => ({ daily_limit: 50_000 }),
      ...all,
    },
    "POST /v1/admin/workspaces/:workspace_id/shut": { success: 200, create: aWorkspaceId, ...all },
    "PUT /v1/admin/workspaces/:workspace_id/budgets": {
      success: 200,
      create: aWorkspaceId,
      body: () => ({ of: "domains", rows: 5_000 }),
      ...all,
    },
    "GET /v1/admin/egresses": { success: 200 },
    "GET /v1/admin/egress-assignments": { success: 200 },
    "PUT /v1/admin/workspaces/:workspace_id/egress": { success: 422, create: aWorkspaceId, body: () => EAST, ...all },
    "DELETE /v1/admin/workspaces/:workspace_id/egress": { success: 204, create: aWorkspaceId, ...all },
    "PUT /v1/admin/domains/:name/egress": { success: 422, create: createClaim, body: () => EAST, ...all },
    "DELETE /v1/admin/domains/:name/egress": { success: 204, create: createAssignedDomain, ...all },
    "GET /v1/admin/domain-claims/:name": { success: 200, create: createClaim, ...all },
    "DELETE /v1/admin/domain-claims/:name": { success: 204, create: createClaim, ...all },
  }) satisfies Record<string, RouteCase>;
