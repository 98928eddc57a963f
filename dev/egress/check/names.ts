import type { Resolver } from "node:dns/promises";
import { parseIp } from "../../../src/lib/ip-addresses.ts";
import { addressesOf, namesOf } from "./dns.ts";
import { type Finding, ok, wrong } from "./finding.ts";

/** Checks that the name which the egress says in EHLO has the address from which its mail leaves. */
export async function checkName(resolver: Resolver, name: string, address: string): Promise<Finding> {
  const subject = `EHLO name ${name}`;
  const found = await addressesOf(resolver, name);
  if (found.some((other) => isSame(other, address))) return ok(subject, `it resolves to ${address}.`);
  const type = address.includes(":") ? "AAAA" : "A";
  const text = found.length === 0 ? "it has no address" : `it resolves to ${found.join(", ")} and not to ${address}`;
  return wrong(subject, `${text}.`, `publish the record "${name} ${type} ${address}".`);
}

/** Checks that the PTR record of an address has the EHLO name, and that the name leads back (RFC 1912 2.1). */
export async function checkPtr(resolver: Resolver, name: string, address: string): Promise<Finding> {
  const subject = `PTR of ${address}`;
  const names = await namesOf(resolver, address);
  const [first] = names;
  const advice = `set it to ${name}, usually as "reverse DNS" in the console of the machine's provider.`;
  if (first === undefined) return wrong(subject, "there is none, and most receivers refuse such an address.", advice);
  const found = names.find((other) => other.toLowerCase() === name.toLowerCase());
  if (found === undefined) return wrong(subject, `it is ${names.join(", ")} and not ${name}.`, advice);
  const back = await addressesOf(resolver, found);
  if (back.some((other) => isSame(other, address))) return ok(subject, `it is ${found}, which resolves back to it.`);
  return wrong(subject, `it is ${found}, which does not resolve back to it.`, `publish the address of ${found}.`);
}

/** Returns whether two texts are the same address: IPv6 has many forms. */
const isSame = (one: string, other: string) => parseIp(one)?.toString() === parseIp(other)?.toString();
