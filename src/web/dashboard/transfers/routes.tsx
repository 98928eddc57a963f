import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
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

const notices: Readonly<Record<string, string>> = {
  offered: "The domain is offered. The recipient gets a link by mail.",
  accepted: "You have accepted the transfer. The domain moves in 24 hours.",
  declined: "You have declined the transfer.",
  cancelled: "The transfer is cancelled.",
};

export const transferPages = new Hono<AppEnv>()
  .get("/app/transfers", ...pageFor("GET /v1/domain-transfers/outgoing"), (c) => showTransfers(c))
  .post(
    "/app/transfers/:transfer_id/accept",
    ...pageFor("POST /v1/domain-transfers/by-id/:transfer_id/accept"),
    async (c) => {
      const form = await readForm(c);
      const fields = { target_org_id: textOf(form, "target_org_id"), rotate_dkim: form.get("rotate_dkim") === "on" };
      return decide(c, "accepted", (id) => acceptById(c.get("caller"), id, parseFields(AcceptIn, fields)));
    },
  )
  .post("/app/transfers/:transfer_id/decline", ...pageFor("POST /v1/domain-transfers/:transfer_id/decline"), (c) =>
    decide(c, "declined", (id) => declineById(c.get("caller"), id)),
  )
  .post("/app/transfers/:transfer_id/cancel", ...pageFor("DELETE /v1/domain-transfers/:transfer_id"), (c) =>
    decide(c, "cancelled", (id) => cancelById(c.get("caller"), id)),
  );

function decide(c: Context<AppEnv>, done: string, run: (id: string) => Promise<unknown>): Promise<Response> {
  requireSwitchedOn(c.get("ctx"));
  return submitForm(
    c,
    async () => {
      await run(c.req.param("transfer_id") ?? "");
      return `/app/transfers?done=${done}`;
    },
    (refusal) => showTransfers(c, refusal),
  );
}

async function showTransfers(c: Context<AppEnv>, refusal?: Refusal) {
  requireSwitchedOn(c.get("ctx"));
  const caller = c.get("caller");
  const after = c.req.query("after")?.toLowerCase();
  const [incoming, found, targets] = await Promise.all([
    findIncoming(caller, { limit: PAGE_SIZE }),
    listOutgoing(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 }),
    listTargets(caller),
  ]);
  const outgoing = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? outgoing.at(-1) : undefined;
  const page = (
    <TransfersPage
      caller={caller}
      incoming={incoming}
      outgoing={outgoing}
      targets={targets}
      next={last === undefined ? null : `/app/transfers?${new URLSearchParams({ after: last.id })}`}
      notice={refusal ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={refusal}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
