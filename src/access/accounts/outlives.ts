import { forbidden } from "../../lib/errors.ts";
import type { Actor } from "../caller.ts";

/** Something that goes on when the credential ends that made it or read it. */
export interface Outliving {
  /** The words of the refusal after "An OAuth token cannot". */
  act: string;
  /** The condition under which the operation makes or reads it; null: always. */
  when: string | null;
}

/**
 * The things that an operation makes, reads or changes and that outlive its credential. Each writing operation declares one of these values. A grant of
 * OAuth that ends must leave nothing behind, so its tokens are refused (docs/contract/scopes.md#credentials-and-oauth). Ending
 * something leaves nothing.
 */
export const outlives = {
  nothing: null,
  credential: { act: "create or read credentials", when: null },
  invitation: { act: "create or read invitations", when: null },
  forward: { act: "create, read or change forwards", when: null },
  filterThatForwards: { act: "create, read or change filters that forward", when: "it forwards" },
  role: { act: "change roles", when: null },
  assignment: { act: "assign mailboxes", when: null },
  slackUrl: { act: "set the Slack URL", when: "it sets the Slack URL" },
  offer: { act: "offer a domain", when: null },
  deletedWorkspace: { act: "delete a workspace", when: null },
} as const satisfies Readonly<Record<string, Outliving | null>>;

/** Returns the 403 of a caller who may not do this, whatever its scopes; null for one who may. */
export const outlivingRefusal = (actor: Actor, outliving: Outliving | null) =>
  actor.kind === "oauth" && outliving ? forbidden(`An OAuth token cannot ${outliving.act}`) : null;

/** Throws 403 for a caller with an OAuth token, before it does what would outlive the token. */
export function refuseOauth(actor: Actor, outliving: Outliving): void {
  const refusal = outlivingRefusal(actor, outliving);
  if (refusal) throw refusal;
}
