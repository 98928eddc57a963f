import type { CallerCtx } from "../../../access/caller.ts";

/** The things that sending needs and that a workspace has already. */
export interface SetupState {
  hasDomain: boolean;
  hasVerifiedDomain: boolean;
  hasMailbox: boolean;
  /** An API key or an SMTP credential. */
  hasCredential: boolean;
  hasSent: boolean;
}

/** With the address of the mailbox of its test domain, which counts for none of them; null: none. */
export type Setup = SetupState & { sandboxSender: string | null };

const FIND_SETUP = `
  SELECT EXISTS (SELECT 1 FROM domains WHERE workspace = ?1 AND NOT is_sandbox) AS hasDomain,
    EXISTS (SELECT 1 FROM domains WHERE workspace = ?1 AND status = 'verified' AND NOT is_sandbox) AS hasVerifiedDomain,
    EXISTS (SELECT 1 FROM mailboxes m JOIN domains d ON d.id = m.domain_id AND NOT d.is_sandbox WHERE m.workspace = ?1) AS hasMailbox,
    (SELECT m.address FROM domains d JOIN mailboxes m ON m.domain_id = d.id AND m.is_active
      WHERE d.workspace = ?1 AND d.is_sandbox) AS sandboxSender,
    EXISTS (SELECT 1 FROM api_keys WHERE workspace = ?1 AND revoked_at IS NULL)
      OR EXISTS (SELECT 1 FROM smtp_credentials WHERE workspace = ?1 AND deactivated_at IS NULL) AS hasCredential`;

const HAS_SENT = "SELECT EXISTS (SELECT 1 FROM emails WHERE workspace = ?1) AS hasSent";

/** Returns which steps of the set-up the caller's workspace has done: one call to the main database, and one to its mail database. */
export async function findSetup(ctx: CallerCtx): Promise<Setup> {
  const { number } = ctx.workspace;
  const main = ctx.db.findRow<Record<keyof SetupState, 0 | 1> & Pick<Setup, "sandboxSender">>(FIND_SETUP, number);
  const [found, hasSent] = await Promise.all([main, ctx.mail.findValue(HAS_SENT, number)]);
  return {
    hasDomain: found?.hasDomain === 1,
    hasVerifiedDomain: found?.hasVerifiedDomain === 1,
    hasMailbox: found?.hasMailbox === 1,
    hasCredential: found?.hasCredential === 1,
    hasSent: hasSent === 1,
    sandboxSender: found?.sandboxSender ?? null,
  };
}
