/**
 * Addresses that mail about a mail comes back to (VERP; decisions 9): the return path, and where a mailto
 * unsubscribe goes (RFC 8058, RFC 2369 3.2). Each names its email and is signed, so that a forged one tells nothing.
 *
 * Local part: a letter for the kind, then base32 of workspace (6 octets), email id (16), recipient (3), MAC (10):
 * 57 octets of the 64 that RFC 5321 4.5.3.1.1 allows, all of them significant, in letters of either case.
 */

import { concat } from "../lib/bytes.ts";
import { hex, isUuid } from "../lib/ids.ts";
import { mac, verifyMac } from "../lib/mac.ts";
import type { RootKey } from "../lib/secret-box.ts";
import { fromBase32, toBase32 } from "./base32.ts";

/** What such an address names. */
export interface AddressedMail {
  /** Number of the workspace. */
  workspace: number;
  emailId: string;
  /** Index of the recipient; `all` where one MAIL FROM serves every RCPT of the email. */
  recipient: number | "all";
}

type Kind = "b" | "u";

const FORM = /^([bBuU])([A-Za-z2-7]{56})$/;
const CLAIM_OCTETS = 25;
const MAC_OCTETS = 10;
const MAX_WORKSPACE = 2 ** 48 - 1;
/** All ones in the recipient's octets: every recipient. */
const ALL = 0xffffff;

/** The return path (RFC 5321 4.4) of a mail. Throws on what is no email's recipient. */
export function newReturnPath(roots: readonly RootKey[], mail: AddressedMail, bounceDomain: string): Promise<string> {
  return newAddress(roots, "b", mail, bounceDomain);
}

/** What a return path of ours names, given the address or its local part. Null for any other, and for a forged one. */
export function readReturnPath(roots: readonly RootKey[], address: string): Promise<AddressedMail | null> {
  return readAddress(roots, "b", address);
}

/** The address of a mailto unsubscribe. Throws on what is no email's recipient. */
export function newUnsubscribeAddress(roots: readonly RootKey[], mail: AddressedMail, domain: string): Promise<string> {
  return newAddress(roots, "u", mail, domain);
}

/** What an unsubscribe address of ours names. Null for any other (a return path too), and for a forged one. */
export function readUnsubscribeAddress(roots: readonly RootKey[], address: string): Promise<AddressedMail | null> {
  return readAddress(roots, "u", address);
}

async function newAddress(roots: readonly RootKey[], kind: Kind, mail: AddressedMail, domain: string): Promise<string> {
  const claim = claimOf(mail);
  const seal = (await mac(roots, purposeOf(kind), claim)).subarray(0, MAC_OCTETS);
  return `${kind}${toBase32(concat([claim, seal]))}@${domain}`;
}

async function readAddress(roots: readonly RootKey[], kind: Kind, address: string): Promise<AddressedMail | null> {
  const at = address.lastIndexOf("@");
  const form = FORM.exec(at < 0 ? address : address.slice(0, at));
  if (form?.[1]?.toLowerCase() !== kind) return null;
  const octets = fromBase32(form[2] ?? "");
  if (!octets) return null;
  const claim = octets.slice(0, CLAIM_OCTETS);
  if (!(await verifyMac(roots, purposeOf(kind), claim, octets.subarray(CLAIM_OCTETS)))) return null;
  return mailOf(claim);
}

/** A MAC of one kind is none of the other. */
const purposeOf = (kind: Kind) => (kind === "b" ? "return-path" : "unsubscribe-address");

function claimOf({ workspace, emailId, recipient }: AddressedMail): Uint8Array<ArrayBuffer> {
  const index = recipient === "all" ? ALL : recipient;
  const sound =
    isWithin(workspace, MAX_WORKSPACE) && isUuid(emailId) && (recipient === "all" || isWithin(index, ALL - 1));
  if (!sound) throw new RangeError("no email's recipient");
  const claim = new Uint8Array(CLAIM_OCTETS);
  const view = new DataView(claim.buffer);
  view.setUint16(0, Math.floor(workspace / 2 ** 32));
  view.setUint32(2, workspace % 2 ** 32);
  const id = emailId.replaceAll("-", "");
  for (let i = 0; i < 16; i++) claim[6 + i] = Number.parseInt(id.slice(2 * i, 2 * i + 2), 16);
  view.setUint8(22, index >> 16);
  view.setUint16(23, index & 0xffff);
  return claim;
}

const isWithin = (number: number, most: number) => Number.isInteger(number) && number >= 0 && number <= most;

function mailOf(claim: Uint8Array<ArrayBuffer>): AddressedMail {
  const view = new DataView(claim.buffer);
  const index = view.getUint8(22) * 2 ** 16 + view.getUint16(23);
  return {
    workspace: view.getUint16(0) * 2 ** 32 + view.getUint32(2),
    emailId: hex(claim.subarray(6, 22)).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    recipient: index === ALL ? "all" : index,
  };
}
