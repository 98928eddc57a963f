import type { CallerCtx } from "../../access/caller.ts";
import { AppError } from "../../lib/errors.ts";
import { createContext } from "../../platform/create-context.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import { acceptTransfer } from "./accept.ts";
import { cancelTransfer, declineTransfer, stopTransfer } from "./close.ts";
import { forceTransfer } from "./force.ts";
import { initiateTransfer } from "./initiate.ts";
import type { ObjectCall, ObjectResult, Performed } from "./object.ts";
import { deadlineOf } from "./rules.ts";

/**
 * Performs a call in the object of its domain. `deadline` is when the object must act next, in ms since 1970: null for never,
 * undefined when the call changed nothing. Throws unexpected errors only.
 */
export async function performCall(
  env: Env,
  call: ObjectCall,
): Promise<{ result: ObjectResult; deadline?: number | null }> {
  const ctx = createContext(env, call.requestId, () => call.now);
  const caller: CallerCtx = {
    ...onShard(ctx, call.caller.workspace.mailShard),
    ...call.caller,
    ...(call.idempotency ? { idempotency: { ...call.idempotency, sealingKeys: refuseSecrets } } : {}),
  };
  try {
    const { response, transfer } = await performRequest(caller, call);
    return { result: { response }, deadline: deadlineOf(transfer) };
  } catch (error) {
    if (error instanceof ConcurrencyError) return { result: { lostRace: true } };
    if (!(error instanceof AppError)) throw error;
    const { status, detail, extra } = error;
    return { result: { error: { status, detail, extra } } };
  }
}

const refuseSecrets = () => Promise.reject(new Error("a response of a transfer has no secret"));

function performRequest(ctx: CallerCtx, { domainId, request }: ObjectCall): Promise<Performed> {
  switch (request.verb) {
    case "initiate":
      return initiateTransfer(ctx, domainId, request.input);
    case "accept":
      return acceptTransfer(ctx, request.ref, request.input);
    case "decline":
      return declineTransfer(ctx, request.ref);
    case "cancel":
      return cancelTransfer(ctx, request.ref);
    case "stop":
      return stopTransfer(ctx, request.ref);
    case "force":
      return forceTransfer(ctx, domainId, request.input);
  }
}
