import { DAY_MS, HOUR_MS } from "../../lib/time.ts";

/** Time for which a key of a delegated domain signs, in ms. */
export const ROTATION_MS = 90 * DAY_MS;
/** How long the record of a key stays after its last signature, in ms: retries and mailing lists deliver mail later. */
export const LAST_KEY_MS = 14 * DAY_MS;
/**
 * How long a key is published before it signs, in ms: resolvers then have no older value of its name. Records of a zone are cached
 * for an hour (TTL_SECONDS), CNAMEs of customers mostly for a day.
 */
export const PUBLISHED_MS = 2 * DAY_MS;
/** Wait for a record that is not published yet, in ms. */
export const UNPUBLISHED_MS = HOUR_MS;

/** The part of a key that a rotation depends on. Times in ms since 1970. */
export interface RotatingKey {
  activatedAt: number | null;
  retiredAt: number | null;
  publishedAt: number | null;
}

/**
 * The next step of a rotation. `switch`: the other key signs from now on. `replace`: a new key takes the slot of the retired one.
 * `wait`: nothing before a time. `none`: no key signs yet, or a slot is empty.
 */
export type RotationStep<Key> =
  | { kind: "switch"; from: Key; to: Key }
  | { kind: "replace"; retired: Key; active: Key }
  | { kind: "wait"; until: number }
  | { kind: "none" };

/**
 * Returns the next step of the two keys of a delegated domain. `isAsked`: the customer asks for a switch before its time. Pure.
 *
 * | the key that signs | the other key | step |
 * |---|---|---|
 * | | retired for less than LAST_KEY_MS | wait |
 * | | retired for LAST_KEY_MS | replace it by a new key |
 * | for less than ROTATION_MS | new | wait |
 * | for ROTATION_MS | not published for PUBLISHED_MS | wait |
 * | for ROTATION_MS | published for PUBLISHED_MS | switch to it |
 */
export function nextStep<Key extends RotatingKey>(
  keys: readonly Key[],
  now: number,
  isAsked: boolean = false,
): RotationStep<Key> {
  const active = keys.find(({ activatedAt, retiredAt }) => activatedAt !== null && retiredAt === null);
  const other = keys.find((key) => key !== active);
  if (!active || active.activatedAt === null || !other || keys.length !== 2) return { kind: "none" };
  if (other.retiredAt !== null) {
    const end = other.retiredAt + LAST_KEY_MS;
    return now < end ? { kind: "wait", until: end } : { kind: "replace", retired: other, active };
  }
  const due = isAsked ? now : active.activatedAt + ROTATION_MS;
  const earliest = other.publishedAt === null ? now + UNPUBLISHED_MS : other.publishedAt + PUBLISHED_MS;
  const at = now < due ? due : Math.max(due, earliest);
  return now < at ? { kind: "wait", until: at } : { kind: "switch", from: active, to: other };
}
