import { describe, expect, it } from "vitest";
import { transferError } from "../../../../src/transfers/domain-transfers/errors.ts";
import {
  codes,
  deadlineOf,
  REQUEST_WINDOW_MS,
  refusalOf,
  SAFETY_WINDOW_MS,
  shownStatus,
  statusAfter,
  statuses,
  type TransferEvent,
  type TransferStatus,
  transitions,
} from "../../../../src/transfers/domain-transfers/rules.ts";

const T = 1_000_000_000;
const state = (status: TransferStatus) => ({
  status,
  expiresAt: T,
  cooloffUntil: status === "pending" || status === "declined" ? null : T,
});

/** The table of docs/contract/transfers.md#transfer-statuses, written out again: [before the deadline, from it on]. */
const expected: Record<string, Record<string, [TransferStatus | null, TransferStatus | null]>> = {
  pending: {
    accept: ["accepted", null],
    decline: ["declined", null],
    cancel: ["cancelled", null],
    expire: [null, "expired"],
    force: ["completed", "completed"],
    "lose-domain": ["cancelled", "cancelled"],
  },
  accepted: {
    stop: ["reversed", null],
    complete: [null, "completed"],
    fail: [null, "reversed"],
    force: ["completed", "completed"],
    "lose-domain": ["reversed", "reversed"],
  },
};

describe("transitions of a transfer", () => {
  const events = [...new Set(transitions.map(({ on }) => on))] as TransferEvent[];
  for (const from of statuses)
    for (const on of events) {
      const [before, after] = expected[from]?.[on] ?? [null, null];
      it(`${from}, ${on}: ${before ?? "refused"} before the deadline, ${after ?? "refused"} from it on`, () => {
        expect(statusAfter(state(from), on, T - 1)).toBe(before);
        expect(statusAfter(state(from), on, T)).toBe(after);
        expect(statusAfter(state(from), on, T + 1)).toBe(after);
      });
    }
});

describe("refusals of a transfer", () => {
  /** docs/contract/errors.md#codes-of-transfers. */
  const codeOf: Record<string, Partial<Record<TransferStatus, [number, string]>>> = {
    accept: { expired: [410, "expired"] },
    decline: {},
    cancel: {},
    stop: {},
  };
  for (const on of ["accept", "decline", "cancel", "stop"] as const)
    for (const status of statuses) {
      const standard: [number, string] = on === "stop" ? [409, "not_stoppable"] : [409, "not_pending"];
      const [number, code] = codeOf[on]?.[status] ?? standard;
      it(`${on} of a transfer that is ${status} is a ${number} ${code}`, () => {
        const error = transferError(refusalOf(on, status));
        expect([error.status, error.extra.code]).toEqual([number, code]);
      });
    }

  it("a pending transfer is shown as expired from the end of its window on, an accepted one stays accepted", () => {
    expect(shownStatus(state("pending"), T - 1)).toBe("pending");
    expect(shownStatus(state("pending"), T)).toBe("expired");
    expect(shownStatus(state("accepted"), T)).toBe("accepted");
  });

  it("every code has its status", () => {
    const table = Object.fromEntries(Object.entries(codes).map(([code, [status]]) => [code, status]));
    expect(table).toMatchObject({
      ...{ transfer_active: 409, broadcasts_in_flight: 409, scheduled_emails: 409, self_transfer: 409 },
      ...{ target_not_found: 404, not_found: 404, not_pending: 409, expired: 410, wrong_recipient: 403 },
      ...{ org_access_lost: 403, not_stoppable: 409 },
    });
  });
});

it("the windows last seven days and 24 hours, and only an active transfer has a deadline", () => {
  expect([REQUEST_WINDOW_MS, SAFETY_WINDOW_MS]).toEqual([604_800_000, 86_400_000]);
  for (const status of statuses)
    expect(deadlineOf(state(status))).toBe(status === "pending" || status === "accepted" ? T : null);
});
