/**
 * SQL condition that the calling API key (?1) is not revoked and its user is still a member of the workspace. It runs
 * in the statement that inserts a key, so a revoked key cannot create another while its request is in progress.
 */
export const CALLER_IS_ACTIVE = `
  EXISTS (SELECT 1 FROM api_keys c JOIN memberships m ON m.workspace = c.workspace AND m.user_id = c.user_id
           WHERE c.id = ?1 AND c.revoked_at IS NULL)`;
