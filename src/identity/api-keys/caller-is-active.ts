/**
 * SQL condition that the calling API key or session (?1) has not ended and its user is still a member of the workspace
 * with the number `workspace` (an SQL expression). It runs in the statement that inserts a key, so a revoked credential
 * cannot create another while its request is in progress.
 */
export const callerIsActive = (workspace: string) => `
  (EXISTS (SELECT 1 FROM api_keys c JOIN memberships m ON m.workspace = c.workspace AND m.user_id = c.user_id
            WHERE c.id = ?1 AND c.revoked_at IS NULL)
   OR EXISTS (SELECT 1 FROM sessions s JOIN memberships m ON m.user_id = s.user_id AND m.workspace = ${workspace}
               WHERE s.id = ?1))`;
