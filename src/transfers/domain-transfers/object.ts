import type { CallerCtx } from "../../access/caller.ts";
import { AppError } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import type { TransferRef, TransferRow } from "./queries.ts";
import type { AcceptIn, ForceIn, TransferIn, TransferOut } from "./schema.ts";

/** A call that changes the transfer of a domain. */
export type TransferRequest =
  | { verb: "initiate"; input: TransferIn }
  | { verb: "accept"; ref: TransferRef; input: AcceptIn }
  | { verb: "decline"; ref: TransferRef }
  | { verb: "cancel"; ref: TransferRef }
  | { verb: "stop"; ref: TransferRef }
  | { verb: "force"; input: ForceIn };

/** A call as plain data, which crosses to the object of the domain. */
export interface ObjectCall {
  domainId: string;
  request: TransferRequest;
  caller: Pick<CallerCtx, "actor" | "workspace" | "clientIp">;
  /** Hashes of the Idempotency-Key, and the fingerprint of the request. */
  idempotency: { keys: readonly string[]; fingerprint: string } | null;
  requestId: string;
  /** Time of the request, in ms since 1970. */
  now: number;
}

/** The result of a call: its response, and the transfer after it. */
export interface Performed {
  response: TransferOut;
  transfer: TransferRow;
}

/** The result of a call as plain data. Errors of the caller are results, since an exception loses its fields on the way. */
export type ObjectResult =
  | { response: TransferOut }
  | { error: Pick<AppError, "status" | "detail" | "extra"> }
  | { lostRace: true };

/** Methods of the Durable Object of one domain, which handles one call at a time. */
export interface TransferObject {
  perform(call: ObjectCall): Promise<ObjectResult>;
  /** Does what is due at `now`, in ms since 1970. */
  runDeadline(domainId: string, now: number): Promise<void>;
}

/** Returns the object of a domain. */
export const transferObject = ({ env }: Pick<Ctx, "env">, domainId: string): TransferObject =>
  env.DOMAIN_TRANSFER.getByName(domainId);

/** Runs a call in the object of the domain. Throws what the call throws. */
export async function callObject(ctx: CallerCtx, domainId: string, request: TransferRequest): Promise<TransferOut> {
  const { actor, workspace, clientIp, idempotency, requestId } = ctx;
  const result = await transferObject(ctx, domainId).perform({
    domainId,
    request,
    caller: { actor, workspace, clientIp },
    idempotency: idempotency ? { keys: idempotency.keys, fingerprint: idempotency.fingerprint } : null,
    requestId,
    now: ctx.now(),
  });
  if ("response" in result) return result.response;
  if ("lostRace" in result) throw new ConcurrencyError();
  throw new AppError(result.error.status, result.error.detail, result.error.extra);
}
