/** Names in the zones of the deployment to which the CNAMEs of delegated domains lead. Pure. */

/** Targets that all delegated domains share, below the first zone. Their hosts lead to HOSTNAME_TARGET, which the operator publishes. */
export type SharedLabel = "_mta-sts" | "_smtp._tls" | "return";

/** Returns the name of a shared target. */
export const sharedTarget = (label: SharedLabel, firstZone: string): string => `${label}.${firstZone}`;

/** The zone of a delegated domain, and its token of 160 random bits, which no other registration has. */
export interface Delegation {
  zone: string;
  token: string;
  /** Name of a domain inside the zone, which has its records at its own names in place of CNAMEs. */
  own?: string;
}

/** A delegated domain has two selectors: one signs, the other has the next key or the last one. */
export const SLOTS = [1, 2] as const;
export type Slot = (typeof SLOTS)[number];

/** Returns the name at which the key of a slot is published. */
export const dkimTarget = ({ zone, token, own }: Delegation, slot: Slot): string =>
  own === undefined ? `s${slot}.${token}.${zone}` : `${slotSelector({ token }, slot)}._domainkey.${own}`;

/** Returns the name at which the DMARC record of a domain is published. */
export const dmarcTarget = ({ zone, token, own }: Delegation): string =>
  own === undefined ? `dmarc.${token}.${zone}` : `_dmarc.${own}`;

/**
 * Returns the selector of a slot. It has a part of the token, so that a domain that is registered again, here or elsewhere, uses
 * other names: no resolver then has a CNAME of the registration before in its cache.
 */
export const slotSelector = ({ token }: Pick<Delegation, "token">, slot: Slot): string =>
  `svc-${slot}-${token.slice(0, 8)}`;
