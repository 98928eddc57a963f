import type { CallerCtx } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf, isChecked } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, change, page, pagesOf } from "../../../http/page-actions.tsx";
import {
  AcceptIn,
  acceptById,
  cancelById,
  declineById,
  findIncoming,
  listOutgoing,
  listTargets,
  requireSwitchedOn,
} from "../../../transfers/domain-transfers/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { TransfersPage } from "./page.tsx";

/** Returns an operation that throws 404 while the deployment has no transfers. */
const whileOn =
  <Args extends unknown[], Result>(run: (caller: CallerCtx, ...args: Args) => Promise<Result>) =>
  async (caller: CallerCtx, ...args: Args) => {
    requireSwitchedOn(caller);
    return run(caller, ...args);
  };

export const transferPages = pagesOf(
  "transfer",
  page("/app/transfers", "GET /v1/domain-transfers/outgoing", showTransfers, {
    offered: "The domain is offered. The recipient gets a link by mail.",
  }),
  change("/app/transfers/:transfer_id/accept", "POST /v1/domain-transfers/by-id/:transfer_id/accept", {
    read: inputOf(AcceptIn, { rotate_dkim: isChecked }),
    run: whileOn(acceptById),
    done: { accepted: "You have accepted the transfer. The domain moves in 24 hours." },
  }),
  button("/app/transfers/:transfer_id/decline", "POST /v1/domain-transfers/:transfer_id/decline", {
    run: whileOn(declineById),
    done: { declined: "You have declined the transfer." },
  }),
  button("/app/transfers/:transfer_id/cancel", "DELETE /v1/domain-transfers/:transfer_id", {
    run: whileOn(cancelById),
    done: { cancelled: "The transfer is cancelled." },
  }),
);

async function showTransfers(c: AppContext) {
  requireSwitchedOn(c.get("ctx"));
  const caller = c.get("caller");
  const [incoming, { rows: outgoing, next }, targets] = await Promise.all([
    findIncoming(caller, { limit: PAGE_SIZE }),
    readPage(c, { path: "/app/transfers", read: listOutgoing, after: ({ id }) => id, size: PAGE_SIZE }),
    listTargets(caller),
  ]);
  return respondPage(c, <TransfersPage incoming={incoming} outgoing={outgoing} targets={targets} />, { next });
}
