/** The calls of the API and the pages. Each finds the domain first, and is then performed in the object of that domain. */

import type { CallerCtx } from "../../access/caller.ts";
import { requireProofOfSession } from "../../access/sessions/reauthentication.ts";
import { getDomain } from "../../domains/domains/index.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { callObject } from "./object.ts";
import { getTransfer, type TransferRef } from "./queries.ts";
import type { AcceptIn, ForceIn, TransferIn, TransferOut } from "./schema.ts";
import { tokenRef } from "./tokens.ts";

export async function initiateForDomain(ctx: CallerCtx, domainId: string, input: TransferIn): Promise<TransferOut> {
  const { id } = await getDomain(ctx, domainId);
  return callObject(ctx, id, { verb: "initiate", input });
}

export const acceptByToken = async (ctx: CallerCtx, token: string, input: AcceptIn): Promise<TransferOut> =>
  accept(ctx, await tokenRef(ctx, "accept", token), input);

export const acceptById = (ctx: CallerCtx, id: string, input: AcceptIn) => accept(ctx, { id }, input);

const accept = async (ctx: CallerCtx, ref: TransferRef, input: AcceptIn): Promise<TransferOut> =>
  callObject(ctx, await domainOf(ctx, ref), { verb: "accept", ref, input });

export const declineById = (ctx: CallerCtx, id: string): Promise<TransferOut> => close(ctx, "decline", { id });

export const declineByToken = async (ctx: CallerCtx, token: string): Promise<TransferOut> =>
  close(ctx, "decline", await tokenRef(ctx, "accept", token));

export const cancelById = (ctx: CallerCtx, id: string): Promise<TransferOut> => close(ctx, "cancel", { id });

export const stopByToken = async (ctx: CallerCtx, token: string): Promise<TransferOut> =>
  close(ctx, "stop", await tokenRef(ctx, "stop", token));

async function close(ctx: CallerCtx, verb: "decline" | "cancel" | "stop", ref: TransferRef): Promise<TransferOut> {
  return callObject(ctx, await domainOf(ctx, ref), { verb, ref });
}

export async function forceDomain(ctx: CallerCtx, domainId: string, input: ForceIn): Promise<TransferOut> {
  requireProofOfSession(ctx);
  const id = requireFound(parseUuid(domainId), "Domain");
  return callObject(ctx, id, { verb: "force", input });
}

const domainOf = async (ctx: CallerCtx, ref: TransferRef) => (await getTransfer(ctx, ref)).transfer.domainId;
