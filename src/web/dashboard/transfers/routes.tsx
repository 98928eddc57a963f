import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { changeByForm, type FormChange, pageFor, parseFields, textOf } from "../../../http/page-routes.ts";
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

const notices = {
  offered: "The domain is offered. The recipient gets a link by mail.",
  accepted: "You have accepted the transfer. The domain moves in 24 hours.",
  declined: "You have declined the transfer.",
  cancelled: "The transfer is cancelled.",
};

export const transferPages = newRoutes()
  .get("/app/transfers", ...pageFor("GET /v1/domain-transfers/outgoing"), showTransfers)
  .post("/app/transfers/:transfer_id/accept", ...pageFor("POST /v1/domain-transfers/by-id/:transfer_id/accept"), (c) =>
    decide(c, "accepted", (caller, id, fields) => {
      const [target_org_id, rotate_dkim] = [textOf(fields, "target_org_id"), fields.get("rotate_dkim") === "on"];
      return acceptById(caller, id, parseFields(AcceptIn, { target_org_id, rotate_dkim }));
    }),
  )
  .post("/app/transfers/:transfer_id/decline", ...pageFor("POST /v1/domain-transfers/:transfer_id/decline"), (c) =>
    decide(c, "declined", declineById),
  )
  .post("/app/transfers/:transfer_id/cancel", ...pageFor("DELETE /v1/domain-transfers/:transfer_id"), (c) =>
    decide(c, "cancelled", cancelById),
  );

const PAGE = { parameter: "transfer_id", show: showTransfers, pathOf: () => "/app/transfers" };

function decide(c: AppContext, done: keyof typeof notices, change: FormChange) {
  requireSwitchedOn(c.get("ctx"));
  return changeByForm(c, PAGE, done, change);
}

async function showTransfers(c: AppContext) {
  requireSwitchedOn(c.get("ctx"));
  const caller = c.get("caller");
  const [incoming, { rows: outgoing, next }, targets] = await Promise.all([
    findIncoming(caller, { limit: PAGE_SIZE }),
    readPage(c, { path: "/app/transfers", read: listOutgoing, after: ({ id }) => id, size: PAGE_SIZE }),
    listTargets(caller),
  ]);
  const page = <TransfersPage incoming={incoming} outgoing={outgoing} targets={targets} />;
  return respondPage(c, page, { notices, next });
}
