import type { CallerCtx } from "../../access/caller.ts";
import { isRecentlyReauthenticated } from "../../access/sessions/reauthentication.ts";
import { type AppContext, clientOf } from "../../http/env.ts";
import { Field } from "../../http/ui/index.ts";
import { reauthenticate } from "../../identity/sign-ins/index.ts";
import { AppError, invalidField } from "../../lib/errors.ts";

/**
 * Returns the caller with a session that was re-authenticated. `proof` is a TOTP code, or the address or token of a fresh
 * sign-in link. Throws 422 for a wrong one.
 */
export async function withProof(c: AppContext, proof: string): Promise<CallerCtx> {
  const caller = c.get("caller");
  if (isRecentlyReauthenticated(caller) || caller.actor.kind !== "session") return caller;
  if (proof === "") throw invalidField("proof", "Give a code, or the address of a fresh sign-in link");
  const given = /^[\d ]{6,9}$/.test(proof) ? { code: proof } : { token: proof.slice(proof.lastIndexOf("/") + 1) };
  try {
    const reauthenticatedAt = await reauthenticate(caller, given, clientOf(c).ip);
    const proven = { ...caller, actor: { ...caller.actor, reauthenticatedAt } };
    c.set("caller", proven);
    return proven;
  } catch (error) {
    if (error instanceof AppError && error.status === 403) throw invalidField("proof", error.message);
    throw error;
  }
}

/** The field of the proof, for a form of an administrator. */
export const ProofField = () => (
  <Field
    name="proof"
    label="Proof of your identity"
    hint="A code of your authenticator app. Without two-factor authentication: the address of a fresh sign-in link that was not opened."
    autocomplete="one-time-code"
    maxlength={500}
  />
);
