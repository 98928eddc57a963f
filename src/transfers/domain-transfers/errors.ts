import { AppError, type Blocker } from "../../lib/errors.ts";
import {
  codes,
  refusalOf,
  shownStatus,
  statusAfter,
  type TransferCall,
  type TransferCode,
  type TransferState,
} from "./rules.ts";

/** Returns the error of a code, with its status (docs/contract/errors.md#codes-of-transfers). */
export function transferError(
  code: TransferCode,
  { detail, blockers }: { detail?: string; blockers?: Blocker[] } = {},
) {
  const [status, standard] = codes[code];
  return new AppError(status, detail ?? standard, { code, ...(blockers ? { blockers } : {}) });
}

/** Throws the error of a call that the transfer refuses at this time. */
export function requireTransition(transfer: TransferState, on: TransferCall, now: number): void {
  if (statusAfter(transfer, on, now) === null) throw transferError(refusalOf(on, shownStatus(transfer, now)));
}
