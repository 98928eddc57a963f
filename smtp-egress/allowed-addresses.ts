import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Says why no mail goes to an address: one of this machine, or one that is not of the public internet. */
export type AddressIssue = "own" | "private" | null;

/**
 * Returns a check of addresses. Own ones are those of this machine and the source address, by which mail would return for ever.
 * `allowsPrivate` lets private ones pass, own or not.
 */
export function addressCheck(allowsPrivate: boolean, sourceAddress: string | null): (address: string) => AddressIssue {
  const own = new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));
  if (sourceAddress !== null) own.add(sourceAddress);
  return (address) => {
    const isPrivate = ipaddr.process(address).range() !== "unicast";
    if (isPrivate && allowsPrivate) return null;
    if (own.has(address)) return "own";
    return isPrivate ? "private" : null;
  };
}
