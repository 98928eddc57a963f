/**
 * SQL of the people to whom domain `d` sends: null for all, and for a test domain of the service the canonical addresses of the members
 * of its workspace, as a JSON list (docs/contract/emails.md#test-domain). Ordinary domains cost nothing: `iif` reads no member then.
 */
export const SANDBOX_MEMBERS_SQL = `
  iif(d.is_sandbox, (SELECT json_group_array(mu.email_key) FROM memberships mm JOIN users mu ON mu.id = mm.user_id
    WHERE mm.workspace = d.workspace), NULL)`;
