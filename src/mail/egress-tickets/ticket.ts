import { fromBase64Url, toBase64Url } from "../../lib/bytes.ts";
import { bytesOfHex, uuidOf } from "../../lib/ids.ts";

/** How long the lease of an outbox row lasts after an egress has renewed it, in ms (docs/egress.md). */
export const EGRESS_LEASE_MS = 15 * 60_000;
/** So much of the lease of a row is left at least when an egress receives a ticket, in ms. */
export const HAND_OVER_MS = 60_000;

/** Names an email that an egress holds, and the outbox row under whose lease it does. It stays the same for the whole lease. */
export interface Ticket {
  /** Number of the mail database. */
  shard: number;
  /** Id of the outbox row, and the token of its lease. */
  row: string;
  token: string;
  /** Id of the email, and its number in the database. */
  email: string;
  n: number;
  /** 1 is the first. */
  attempt: number;
  /** True when an earlier claim of the row ended without a report, so that the email may arrive twice. */
  isRepeated: boolean;
  /** True when the egress is not that of EGRESS_URL, so that its deliveries say nothing about an outage of that. */
  isOther: boolean;
}

const TICKET = /^(\d{1,3})\.([\w-]{22})\.([\w-]{22})\.([\w-]{22})\.([0-9a-z]{1,9})\.([1-9]\d{0,4})(r?)(o?)$/;

/** Returns the ticket as it stands in ENVID of MAIL FROM: at most 100 characters, none of which xtext changes (RFC 3461 4.4). */
export function writeTicket({ shard, row, token, email, n, attempt, isRepeated, isOther }: Ticket): string {
  const ids = [shard, shorten(row), shorten(token), shorten(email), n.toString(36)];
  return `${ids.join(".")}.${attempt}${isRepeated ? "r" : ""}${isOther ? "o" : ""}`;
}

/** Reads a ticket. Returns null for any other text, also for a ticket of version 0.2.0, which has the end of the lease. Pure. */
export function readTicket(text: string): Ticket | null {
  const found = TICKET.exec(text);
  if (!found) return null;
  const [, shard, row = "", token = "", email = "", n = "", attempt, repeated, other] = found;
  return {
    shard: Number(shard),
    row: lengthen(row),
    token: lengthen(token),
    email: lengthen(email),
    n: Number.parseInt(n, 36),
    attempt: Number(attempt),
    isRepeated: repeated === "r",
    isOther: other === "o",
  };
}

/** Returns the 16 bytes of a UUID in base64url. */
const shorten = (uuid: string) => toBase64Url(bytesOfHex(uuid));

/** Returns the UUID of 22 characters of base64url. */
const lengthen = (text: string) => uuidOf(fromBase64Url(text) ?? new Uint8Array(16));
