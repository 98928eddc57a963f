import type { Ctx } from "../../platform/context.ts";
import { checkPublicUrl } from "../../platform/public-urls/check.ts";
import { postTo } from "../../platform/public-urls/post.ts";
import type { DueDelivery, Target } from "./claim.ts";
import { afterAttempt, type DeliveryStatus, isDelivered, limits } from "./rules.ts";
import { signedHeaders } from "./sign.ts";

/** The changes of one attempt to the row of its delivery. */
export interface Outcome {
  n: number;
  endpoint: string;
  status: DeliveryStatus;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** When the next one is due, in milliseconds since 1970. */
  dueAt: number | null;
  url: string;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
}

/** Sends a delivery once. The URL is checked again, since DNS may have changed. Never throws. */
export async function attemptDelivery(ctx: Ctx, delivery: DueDelivery, target: Target): Promise<Outcome> {
  const response = await send(ctx, delivery, target);
  const isSuccess = response.error === null && isDelivered(response.status);
  const attempt = delivery.attempt + 1;
  const error = isSuccess ? null : (response.error ?? `the endpoint responded with ${response.status}`);
  return {
    n: delivery.n,
    endpoint: delivery.endpoint,
    ...afterAttempt(attempt, isSuccess, ctx.now()),
    attempt,
    url: target.url,
    responseStatus: response.status,
    responseBody: response.body,
    error,
  };
}

async function send(ctx: Ctx, { id, eventType, payload }: DueDelivery, { url, secret, previous }: Target) {
  const checked = await checkPublicUrl(ctx, url);
  if ("problem" in checked) return { status: null, body: null, error: `the URL is refused: ${checked.problem}` };
  const delivery = { deliveryId: id, event: eventType, body: payload };
  const signed = await signedHeaders({ ...delivery, secret, previous, now: ctx.now() });
  return postTo(checked, {
    headers: { "Content-Type": "application/json", "User-Agent": "email-delivery-webhooks/1.0", ...signed },
    body: payload,
    timeoutMs: limits.requestMs,
    maxBodyBytes: limits.responseBytes,
  });
}
