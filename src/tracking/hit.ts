import { isUuid } from "../lib/ids.ts";
import type { HitKind } from "../mail-tokens/index.ts";

/** A message of the queue `hits`. Tagged and versioned. */
export interface HitMessage {
  type: "hit.v1";
  id: string;
  kind: HitKind;
  /** Number of the workspace. */
  workspace: number;
  email: string;
  /** Index of the recipient; null where several got the same message. */
  recipient: number | null;
  /** Milliseconds since 1970. */
  at: number;
  /** Where a click went. */
  url?: string;
  /** User agent. */
  ua: string;
  ip: string;
  /** It said that it fetches ahead (Sec-Purpose): what it said. */
  purpose?: string;
}

/** Whether a queue message is one that this version of the Worker understands. */
export function isHitMessage(body: unknown): body is HitMessage {
  if (typeof body !== "object" || body === null) return false;
  const { type, id, kind, workspace, email, recipient, at, url, ua, ip, purpose } = body as Partial<HitMessage>;
  return (
    type === "hit.v1" &&
    typeof id === "string" &&
    isUuid(id) &&
    (kind === "open" || kind === "click") &&
    Number.isSafeInteger(workspace) &&
    typeof email === "string" &&
    isUuid(email) &&
    (recipient === null || Number.isSafeInteger(recipient)) &&
    Number.isSafeInteger(at) &&
    (url === undefined) === (kind === "open") &&
    [url ?? "", ua, ip, purpose ?? ""].every((text) => typeof text === "string")
  );
}
