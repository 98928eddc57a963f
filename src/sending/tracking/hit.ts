import { isUuid } from "../../lib/ids.ts";
import type { HitKind } from "../../platform/mail-tokens/tracking.ts";

/** A message of the queue `hits`. `type` carries the version. */
export interface HitMessage {
  type: "hit.v1";
  id: string;
  kind: HitKind;
  /** The workspace's number. */
  workspace: number;
  email: string;
  /** Index of the recipient. Null when several recipients got the same message. */
  recipient: number | null;
  /** Milliseconds since 1970. */
  at: number;
  /** Target of a click. */
  url?: string;
  /** User agent. */
  ua: string;
  ip: string;
  /** The Sec-Purpose header, when the request had one. */
  purpose?: string;
  /** Name of the client's autonomous system, when it is known. */
  network?: string;
}

/** Returns whether a queue message is a hit of a version that this Worker supports. */
export function isHitMessage(body: unknown): body is HitMessage {
  if (typeof body !== "object" || body === null) return false;
  const { type, id, kind, workspace, email, recipient, at, url, ua, ip, purpose, network } =
    body as Partial<HitMessage>;
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
    [url ?? "", ua, ip, purpose ?? "", network ?? ""].every((text) => typeof text === "string")
  );
}
