import type { CallerCtx } from "../../../access/caller.ts";
import { AppError } from "../../../lib/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import { openEventSocket } from "../../mailbox-store/index.ts";
import { openMailbox } from "../open.ts";
import { MAX_SOCKETS, MAX_SOCKETS_OF_CREDENTIAL, WATCHER_HEADER } from "./sockets.ts";
import { toWatcher } from "./watchers.ts";

/** Opens the socket of a gateway for the changes of a mailbox and returns its handshake. Throws 429 when too many are open. */
export async function connectGateway(ctx: Ctx, mailboxId: string): Promise<Response> {
  const response = await openEventSocket(ctx, mailboxId, { Upgrade: "websocket", [WATCHER_HEADER]: "null" });
  if (response.status === 101) return response;
  throw new AppError(429, "Too many gateways have sockets of this mailbox");
}

/**
 * Opens a socket of the changes of a mailbox and returns its handshake. `upgrade` is the Upgrade header of the request. Throws
 * 403 and 404 as `openMailbox` does, 426 for a request that is no handshake, and 429 when too many sockets are open.
 */
export async function connectToEvents(ctx: CallerCtx, mailboxId: string, upgrade = ""): Promise<Response> {
  const { id } = await openMailbox(ctx, mailboxId);
  if (upgrade.toLowerCase() !== "websocket")
    throw new AppError(426, "This endpoint accepts WebSocket handshakes only", { headers: { Upgrade: "websocket" } });
  const headers = { Upgrade: "websocket", [WATCHER_HEADER]: JSON.stringify(toWatcher(ctx, id)) };
  const response = await openEventSocket(ctx, id, headers);
  if (response.status === 101) return response;
  const limits = `${MAX_SOCKETS} of a mailbox and ${MAX_SOCKETS_OF_CREDENTIAL} of a credential`;
  const text = `Too many sockets are open; the limit is ${limits}`;
  throw new AppError(429, text, { headers: { "Retry-After": "60" } });
}
