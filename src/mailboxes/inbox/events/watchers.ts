import type { CallerCtx } from "../../../access/caller.ts";
import type { Opener } from "../../../access/mailbox-sessions/may-open.ts";

/** Longest life of a socket, in ms: the next one authenticates again and is recorded (docs/contract/inbox.md#changes-of-a-mailbox). */
const MAX_SOCKET_MS = 3_600_000;

/** Who opened a socket, and when it ends at the latest, in ms since 1970. */
export type Watcher = Opener & { endsAt: number };

/** Returns the watcher of an authenticated caller. */
export function toWatcher({ actor, workspace, now }: CallerCtx, mailboxId: string): Watcher {
  if (actor.kind === "system" || actor.kind === "smtp") throw new Error(`${actor.kind} is never a caller`);
  const expiresAt = actor.kind === "session" ? actor.accessExpiresAt : actor.expiresAt;
  const endsAt = Math.min(expiresAt ?? Number.MAX_SAFE_INTEGER, now() + MAX_SOCKET_MS);
  const { credentialId, userId } = actor;
  if (actor.kind === "mailbox") return { kind: actor.kind, mailboxId, credentialId, endsAt };
  return { kind: actor.kind, mailboxId, credentialId, userId, workspace: workspace.number, expiresAt, endsAt };
}
