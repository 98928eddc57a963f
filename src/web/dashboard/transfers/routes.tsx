import type { Context } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import { type AppEnv, newRoutes } from "../../../http/env.ts";
import { pageQuery, toPage } from "../../../http/list-page.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
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

function decide(
  c: Context<AppEnv>,
  done: keyof typeof notices,
  run: (caller: CallerCtx, id: string, fields: URLSearchParams) => Promise<unknown>,
): Promise<Response> {
  requireSwitchedOn(c.get("ctx"));
  return submitForm(c, showTransfers, async (fields) => {
    await run(c.get("caller"), c.req.param("transfer_id") ?? "", fields);
    return `/app/transfers?done=${done}`;
  });
}

async function showTransfers(c: Context<AppEnv>) {
  requireSwitchedOn(c.get("ctx"));
  const caller = c.get("caller");
  const [incoming, found, targets] = await Promise.all([
    findIncoming(caller, { limit: PAGE_SIZE }),
    listOutgoing(caller, pageQuery(c, PAGE_SIZE)),
    listTargets(caller),
  ]);
  const { rows: outgoing, next } = toPage(found, PAGE_SIZE, "/app/transfers", ({ id }) => id);
  const page = <TransfersPage incoming={incoming} outgoing={outgoing} targets={targets} />;
  return respondPage(c, page, { notices, next });
}
