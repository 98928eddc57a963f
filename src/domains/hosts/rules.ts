import { timeOfId } from "../../lib/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/time.ts";

/** Rules of the hosts of customers (docs/contract/domains.md#link-host). Pure; tests check each row of the tables. */

export type HostPurpose = "link" | "mta_sts";
export type HostStatus = "pending" | "active" | "failed" | "removing";

/**
 * A look at a custom hostname. `ready`: it serves over TLS. `waiting`: it is validated. `expired`: its validation ended without
 * success and can start again. `blocked`, `moved`: Cloudflare does not serve it. `refused`: it takes no such name. `absent`: there
 * is none. `unavailable`: the API did not respond, which says nothing.
 */
export type Observation = "ready" | "waiting" | "expired" | "blocked" | "moved" | "refused" | "absent" | "unavailable";

/** The call that follows an observation. */
export type HostAction = "create" | "restart" | "remove" | "forget" | null;

export interface HostStep {
  to: HostStatus;
  action: HostAction;
  /** Milliseconds until the next check. */
  waitMs: number;
}

/** A host that serves, or that cannot, is checked once a day; one that is about to, each minute, and after an hour each hour. */
const [SOON, HOURLY, DAILY] = [MINUTE_MS, HOUR_MS, DAY_MS];
/** Time in which a new host is checked each minute. */
const NEW_MS = HOUR_MS;

const step = (to: HostStatus, action: HostAction, waitMs: number): HostStep => ({ to, action, waitMs });

/** The next step by status and observation. Only a host that is `active` is in new emails. */
export const hostSteps: Readonly<Record<HostStatus, Readonly<Record<Observation, HostStep>>>> = {
  pending: {
    ready: step("active", null, DAILY),
    waiting: step("pending", null, SOON),
    expired: step("pending", "restart", HOURLY),
    blocked: step("failed", null, DAILY),
    moved: step("failed", "restart", HOURLY),
    refused: step("failed", null, DAILY),
    absent: step("pending", "create", SOON),
    unavailable: step("pending", null, 5 * SOON),
  },
  active: {
    ready: step("active", null, DAILY),
    waiting: step("pending", null, SOON),
    expired: step("failed", "restart", HOURLY),
    blocked: step("failed", null, DAILY),
    moved: step("failed", "restart", HOURLY),
    refused: step("failed", null, DAILY),
    absent: step("pending", "create", SOON),
    unavailable: step("active", null, 5 * SOON),
  },
  failed: {
    ready: step("active", null, DAILY),
    waiting: step("pending", null, SOON),
    expired: step("failed", "restart", DAILY),
    blocked: step("failed", null, DAILY),
    moved: step("failed", "restart", DAILY),
    refused: step("failed", null, DAILY),
    absent: step("failed", "create", DAILY),
    unavailable: step("failed", null, 5 * SOON),
  },
  removing: {
    ready: step("removing", "remove", SOON),
    waiting: step("removing", "remove", SOON),
    expired: step("removing", "remove", SOON),
    blocked: step("removing", "remove", SOON),
    moved: step("removing", "remove", SOON),
    refused: step("removing", "forget", SOON),
    absent: step("removing", "forget", SOON),
    unavailable: step("removing", null, 5 * SOON),
  },
};

/** Returns the next step of a host. One that waits for longer than an hour is checked each hour. */
export function nextStep(status: HostStatus, observation: Observation, ageMs: number): HostStep {
  const next = hostSteps[status][observation];
  return observation === "waiting" && status !== "removing" && ageMs > NEW_MS ? { ...next, waitMs: HOURLY } : next;
}

/** Statuses of a custom hostname that serves (Cloudflare for Platforms, hostname validation). */
const SERVING = ["active", "active_redeploying"];
const BLOCKED = ["blocked", "pending_blocked", "test_blocked"];
const GONE = ["moved", "deleted", "pending_deletion"];
/** Statuses of a certificate that a new validation can mend. */
const EXPIRED = /_timed_out$|^(expired|deleted|inactive)$/;

/** Returns the observation of a custom hostname by its two statuses. The certificate becomes active after the hostname. */
export function observe({ status, certificate }: { status: string; certificate: string | null }): Observation {
  if (BLOCKED.includes(status)) return "blocked";
  if (GONE.includes(status)) return "moved";
  if (certificate !== null && EXPIRED.test(certificate)) return "expired";
  return SERVING.includes(status) && certificate === "active" ? "ready" : "waiting";
}

/** Why a host is not active, for its owner: the observation, or that its CNAME was missing or different in the last check. */
export type HostProblem = Observation | "record";

/** The sentence of each problem that an owner can see. */
export const hostProblems: Readonly<Record<Exclude<HostProblem, "ready">, string>> = {
  record: "Its CNAME record is missing or different. Publish it, then check the records.",
  waiting: "Its certificate is being issued. This takes some minutes.",
  absent: "It is being set up.",
  unavailable: "It is being set up.",
  expired:
    "Its certificate could not be issued. Check that CAA records of the domain permit the authority, then check the records.",
  moved: "Its CNAME no longer leads here, or another service has taken the name over. Check the record.",
  blocked: "The name may not be used, since another account or an abuse block holds it. Ask the operator.",
  refused: "The name was refused. Another account may use it.",
};

/** The label of each host below its domain, of which that of MTA-STS is fixed (RFC 8461 3.3). The purpose is also the key of its record in the column `records` of the domain. */
export const hostLabels: Readonly<Record<HostPurpose, string>> = { link: "links", mta_sts: "mta-sts" };

/** The workspace of a host, and those that had its domain before a transfer, each with the time until which it did. */
export interface HostOwners {
  workspace: number;
  past: readonly (readonly [workspace: number, until: number])[];
}

/**
 * Returns whether the token of an email works at a host: the email is of its workspace, or of one that had the domain when the
 * email was made. Nothing works at a host that is unknown (null).
 */
export function isOwner(
  owners: HostOwners | null,
  { workspace, emailId }: { workspace: number; emailId: string },
): boolean {
  if (owners === null) return false;
  const madeAt = timeOfId(emailId);
  return owners.workspace === workspace || owners.past.some(([past, until]) => past === workspace && madeAt <= until);
}
