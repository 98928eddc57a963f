import type { RouteCase } from "./route-case.ts";

/** Routes of commands of the operator: without a token that is signed with a master key each returns 401. */
export const operatorCases: Readonly<Record<string, RouteCase>> = {
  "POST /auth/backup/databases": { success: 401 },
  "POST /auth/backup/tables": { success: 401 },
  "POST /auth/backup/start": { success: 401 },
  "POST /auth/backup/rows": { success: 401 },
  "POST /auth/backup/objects": { success: 401 },
  "GET /auth/backup/object": { success: 401 },
  "POST /auth/backup/reindex": { success: 401 },
  "POST /auth/backup/mailbox-structures": { success: 401 },
  "POST /auth/restore/begin": { success: 401 },
  "POST /auth/restore/rows": { success: 401 },
  "PUT /auth/restore/object": { success: 401 },
  "POST /auth/restore/repair": { success: 401 },
  "POST /auth/restore/file": { success: 401 },
  "POST /auth/restore/finish": { success: 401 },
  "POST /auth/restore/release": { success: 401 },
  "POST /auth/rotate-secrets": { success: 401, body: () => ({ column: 0, after: "" }) },
  "POST /auth/master-keys": { success: 401 },
};
