/**
 * What tracking links and pixels carry, signed so that nobody else can make one: workspace (6 octets), email id (16),
 * recipient (1), MAC (10), for a link the target behind it; base64url. The first 44 characters name the mail (and
 * through the MAC the target), whatever follows.
 */

import { concat, fromBase64, toBase64, utf8 } from "../lib/bytes.ts";
import { hex, isUuid } from "../lib/ids.ts";
import { mac, verifyMac } from "../lib/mac.ts";
import type { RootKey } from "../lib/secret-box.ts";
import { isWebUrl } from "../lib/web-url.ts";

/** The mail that a hit is about. */
export interface TrackedMail {
  /** Number of the workspace. */
  workspace: number;
  emailId: string;
  /** Index of the recipient; `all` where several got the same message. */
  recipient: number | "all";
}

/** A link's target with the mail it stood in. */
export interface TrackedLink extends TrackedMail {
  url: string;
}

export type HitKind = "open" | "click";

/** Longest target of a tracking link, in octets: base64 makes a third more, and a URL may have 16 KB at the edge. */
export const MAX_TARGET_OCTETS = 8000;

const CLAIM_OCTETS = 23;
const MAC_OCTETS = 10;
const HEAD_OCTETS = CLAIM_OCTETS + MAC_OCTETS;
const ALL = 255;
const MAX_CHARACTERS = Math.ceil(((HEAD_OCTETS + MAX_TARGET_OCTETS) * 4) / 3);

/** What two tokens for the same mail and target have in common. */
export const tokenName = (token: string) => token.slice(0, (HEAD_OCTETS * 4) / 3);

/** The token of a pixel. The same mail gives the same token. */
export function newOpenToken(roots: readonly RootKey[], mail: TrackedMail): Promise<string> {
  return newToken(roots, "open", mail, "");
}

/** The token of a link. */
export function newClickToken(roots: readonly RootKey[], link: TrackedLink): Promise<string> {
  return newToken(roots, "click", link, link.url);
}

/** What a pixel's token names; null for one that we did not make. */
export async function readOpenToken(roots: readonly RootKey[], token: string): Promise<TrackedMail | null> {
  const read = await readToken(roots, "open", token);
  return read?.url === "" ? read.mail : null;
}

/** What a link's token names; null for one that we did not make, and for a target that is not on the web. */
export async function readClickToken(roots: readonly RootKey[], token: string): Promise<TrackedLink | null> {
  const read = await readToken(roots, "click", token);
  return read && isWebUrl(read.url) ? { ...read.mail, url: read.url } : null;
}

async function newToken(roots: readonly RootKey[], kind: HitKind, mail: TrackedMail, url: string): Promise<string> {
  const claim = claimOf(mail);
  const target = utf8(url);
  const seal = (await mac(roots, purposeOf(kind), concat([claim, target]))).subarray(0, MAC_OCTETS);
  const base64 = toBase64(concat([claim, seal, target]));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function readToken(roots: readonly RootKey[], kind: HitKind, token: string) {
  if (!/^[A-Za-z0-9_-]{44,}$/.test(token) || token.length % 4 === 1 || token.length > MAX_CHARACTERS) return null;
  const octets = fromBase64(token.replaceAll("-", "+").replaceAll("_", "/"));
  const claim = octets.slice(0, CLAIM_OCTETS);
  const target = octets.slice(HEAD_OCTETS);
  const seal = octets.subarray(CLAIM_OCTETS, HEAD_OCTETS);
  if (!(await verifyMac(roots, purposeOf(kind), concat([claim, target]), seal))) return null;
  // A byte order mark would be swallowed.
  return { mail: mailOf(claim), url: new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(target) };
}

/** A MAC of one kind is none of the other. */
const purposeOf = (kind: HitKind) => `track-${kind}`;

function claimOf({ workspace, emailId, recipient }: TrackedMail): Uint8Array<ArrayBuffer> {
  const sound = Number.isInteger(workspace) && workspace >= 0 && workspace < 2 ** 48 && isUuid(emailId);
  const index = recipient === "all" ? ALL : recipient;
  if (!sound || (recipient !== "all" && !(index >= 0 && index < ALL))) throw new RangeError("no email's recipient");
  const claim = new Uint8Array(CLAIM_OCTETS);
  const view = new DataView(claim.buffer);
  view.setUint16(0, Math.floor(workspace / 2 ** 32));
  view.setUint32(2, workspace % 2 ** 32);
  const id = emailId.replaceAll("-", "");
  for (let i = 0; i < 16; i++) claim[6 + i] = Number.parseInt(id.slice(2 * i, 2 * i + 2), 16);
  claim[CLAIM_OCTETS - 1] = index;
  return claim;
}

function mailOf(claim: Uint8Array<ArrayBuffer>): TrackedMail {
  const view = new DataView(claim.buffer);
  const index = view.getUint8(CLAIM_OCTETS - 1);
  return {
    workspace: view.getUint16(0) * 2 ** 32 + view.getUint32(2),
    emailId: hex(claim.subarray(6, 22)).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    recipient: index === ALL ? "all" : index,
  };
}
