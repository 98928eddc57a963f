/** Statuses, transitions, refusals and limits of domain transfers (docs/contract/transfers.md#transfer-statuses). Pure. */

export const statuses = ["pending", "accepted", "completed", "declined", "cancelled", "reversed", "expired"] as const;
export type TransferStatus = (typeof statuses)[number];

/** Time for accepting a transfer, in ms. */
export const REQUEST_WINDOW_MS = 7 * 24 * 3_600_000;
/** Time from the acceptance to the completion, in which the source may stop the transfer, in ms. */
export const SAFETY_WINDOW_MS = 24 * 3_600_000;
/** Time from a deadline to the check by cron, which acts when the alarm of the object did not, in ms. */
export const REPAIR_DELAY_MS = 60_000;
/** Greatest number of blockers of each kind in one response. */
export const MAX_BLOCKERS = 50;
export const NOTE_CHARACTERS = 1_000;

/** Every transition; a test checks that all others are refused. `during`: the window that must be open. `after`: that must have ended. */
export const transitions = [
  { from: "pending", on: "accept", to: "accepted", during: "request" },
  { from: "pending", on: "decline", to: "declined", during: "request" },
  { from: "pending", on: "cancel", to: "cancelled", during: "request" },
  { from: "pending", on: "expire", to: "expired", after: "request" },
  { from: "accepted", on: "stop", to: "reversed", during: "safety" },
  { from: "accepted", on: "complete", to: "completed", after: "safety" },
  // The domain is no longer verified in the source workspace, or the recipient may no longer accept into the target workspace.
  { from: "accepted", on: "fail", to: "reversed", after: "safety" },
  { from: "pending", on: "force", to: "completed" },
  { from: "accepted", on: "force", to: "completed" },
  // The domain or its workspace is deleted, or moves as a sub-domain in a force transfer. A pending one also: who offered it lost the right.
  { from: "pending", on: "lose-domain", to: "cancelled" },
  { from: "accepted", on: "lose-domain", to: "reversed" },
] as const satisfies readonly Transition[];

interface Transition {
  from: TransferStatus;
  on: string;
  to: TransferStatus;
  during?: Window;
  after?: Window;
}

/** `request`: the time for accepting. `safety`: the time for stopping. */
type Window = "request" | "safety";

export type TransferEvent = (typeof transitions)[number]["on"];

/** The state that decides about a transition. Times are in ms since 1970. */
export interface TransferState {
  status: TransferStatus;
  expiresAt: number;
  /** Null until it is accepted. */
  cooloffUntil: number | null;
}

/** Returns the status after an event, or null when the transfer refuses it in its status or at this time. */
export function statusAfter(transfer: TransferState, on: TransferEvent, now: number): TransferStatus | null {
  const rows: readonly Transition[] = transitions;
  const row = rows.find((transition) => transition.from === transfer.status && transition.on === on);
  if (!row) return null;
  const isOpen = (window: Window) => now < endOf(transfer, window);
  if (row.during && !isOpen(row.during)) return null;
  if (row.after && isOpen(row.after)) return null;
  return row.to;
}

const endOf = ({ expiresAt, cooloffUntil }: TransferState, window: Window) =>
  window === "request" ? expiresAt : (cooloffUntil ?? Number.POSITIVE_INFINITY);

/** Returns the status that callers see: a pending transfer is expired from the end of its window on. */
export const shownStatus = (transfer: TransferState, now: number): TransferStatus =>
  statusAfter(transfer, "expire", now) ?? transfer.status;

/** Returns the time of the next event that happens by itself, or null when the transfer is closed. */
export function deadlineOf({ status, expiresAt, cooloffUntil }: TransferState): number | null {
  if (status === "pending") return expiresAt;
  return status === "accepted" ? cooloffUntil : null;
}

/** Status and message of each `code` (docs/contract/errors.md#codes-of-transfers). The last three are additions. */
export const codes = {
  transfer_active: [409, "A transfer of this domain, or of one above or below it, is pending or accepted"],
  broadcasts_in_flight: [409, "A broadcast from this domain is scheduled or sending"],
  scheduled_emails: [409, "This domain has scheduled emails"],
  self_transfer: [409, "The target is your own account"],
  target_not_found: [404, "No account uses this email address"],
  not_found: [404, "Domain transfer not found"],
  not_pending: [409, "This transfer is no longer pending"],
  expired: [410, "The seven days for accepting this transfer have passed"],
  wrong_recipient: [403, "This transfer was sent to a different account"],
  org_access_lost: [403, "You are not an owner or admin of the target workspace"],
  not_stoppable: [409, "This transfer is not in its safety window"],
  domain_not_verified: [409, "Only a verified domain can be transferred"],
  parent_domain: [409, "This workspace has verified a domain above this one; transfer that domain, or delete it first"],
  target_without_workspace: [409, "The target account is not an owner or admin of any workspace"],
} as const satisfies Record<string, readonly [number, string]>;

export type TransferCode = keyof typeof codes;

/** The calls that a transfer may refuse because of its status. */
export type TransferCall = "accept" | "decline" | "cancel" | "stop";

/** Returns the code of a call that a transfer refuses in the status that callers see. */
export function refusalOf(on: TransferCall, shown: TransferStatus): TransferCode {
  if (on === "stop") return "not_stoppable";
  return on === "accept" && shown === "expired" ? "expired" : "not_pending";
}
