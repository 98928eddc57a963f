import { mayOpen } from "../../../access/mailbox-sessions/may-open.ts";
import { createContext } from "../../../platform/create-context.ts";
import { type MailboxChange, summarizeChanges } from "../../mailbox-store/index.ts";
import type { Watcher } from "./watchers.ts";

/** Sockets of one mailbox, and of one credential among them. */
export const MAX_SOCKETS = 100;
export const MAX_SOCKETS_OF_CREDENTIAL = 10;

/** Close codes (RFC 6455 7.4; 4000 to 4999 are for applications). */
const closes = {
  ended: [4001, "The access has ended; authenticate again"],
  unknown: [1011, "The access could not be checked; connect again"],
  message: [1008, "This socket takes no messages"],
  deleted: [1001, "The mailbox was deleted"],
} as const;

/** The header of the request to the object that says who opens a socket. */
export const WATCHER_HEADER = "X-Watcher";

/** The tag of the sockets of gateways, and how many a mailbox has at most. */
const GATEWAY = "gateway";
const MAX_GATEWAYS = 20;

/**
 * The open sockets of a mailbox's object. They survive its hibernation; what is known of each is its attachment. Before a
 * change is sent, all sockets are asked about, so one whose access has ended is told nothing. One that is told nothing is not asked about.
 * A gateway has one socket for all mail programs that it serves. It is told when an access may have ended, and checks its own clients.
 */
export class EventSockets {
  readonly #state: DurableObjectState;
  readonly #env: Env;
  #pending: MailboxChange[] = [];
  #sending: Promise<void> | null = null;

  constructor(state: DurableObjectState, env: Env) {
    this.#state = state;
    this.#env = env;
    // The platform responds, so that it does not wake the object.
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Opens a socket. Returns 429 when the mailbox or the credential has too many. */
  accept(request: Request): Response {
    const watcher = JSON.parse(request.headers.get(WATCHER_HEADER) ?? "") as Watcher | null;
    if (watcher === null) return this.#acceptGateway();
    const isFull =
      this.#watched().length >= MAX_SOCKETS ||
      this.#state.getWebSockets(watcher.credentialId).length >= MAX_SOCKETS_OF_CREDENTIAL;
    if (isFull) return new Response(null, { status: 429 });
    return this.#open(watcher.credentialId, watcher);
  }

  #acceptGateway(): Response {
    if (this.#state.getWebSockets(GATEWAY).length >= MAX_GATEWAYS) return new Response(null, { status: 429 });
    return this.#open(GATEWAY, null);
  }

  #open(tag: string, watcher: Watcher | null): Response {
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.#state.acceptWebSocket(server, [tag]);
    server.serializeAttachment(watcher);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Returns the open sockets of clients whose access is checked here. One that was closed stays until its client confirms that. */
  #watched(): WebSocket[] {
    return this.#state
      .getWebSockets()
      .filter((socket) => socket.readyState === WebSocket.OPEN && socket.deserializeAttachment() !== null);
  }

  /** Returns when the next socket ends at the latest, in ms since 1970. Null without sockets. */
  nextEnd(): number | null {
    const ends = this.#watched().map((socket) => toWatcher(socket).endsAt);
    return ends.length > 0 ? Math.min(...ends) : null;
  }

  /** Sends changes to the sockets whose access has not ended, in their order. Does not wait for it, and never throws. */
  announce(changes: readonly MailboxChange[]): void {
    if (changes.length === 0 || this.#state.getWebSockets().length === 0) return;
    this.#pending.push(...changes);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
  }

  async #send(): Promise<void> {
    while (this.#pending.length > 0) {
      const changes = this.#pending.splice(0);
      this.#tellGateways({ folders: [...new Set(changes.map(({ folder }) => folder))] });
      const texts = summarizeChanges(changes).map((change) => JSON.stringify(change));
      for (const socket of await this.check()) for (const text of texts) send(socket, text);
    }
  }

  /** Closes the sockets whose access has just ended, and lets gateways check their clients. */
  async checkEnded(): Promise<void> {
    this.#tellGateways({ access: true });
    await this.check();
  }

  #tellGateways(message: { folders: string[] } | { access: true }): void {
    const text = JSON.stringify(message);
    for (const socket of this.#state.getWebSockets(GATEWAY)) send(socket, text);
  }

  /** Closes the sockets whose access has ended, and all when that is unknown. Returns the others. */
  async check(): Promise<WebSocket[]> {
    const sockets = this.#watched();
    if (sockets.length === 0) return [];
    const ctx = createContext(this.#env, crypto.randomUUID());
    const watchers = sockets.map(toWatcher);
    try {
      const answers = await mayOpen(ctx, watchers);
      const open = answers.map((answer, index) => answer && ctx.now() < (watchers[index]?.endsAt ?? 0));
      for (const [index, socket] of sockets.entries()) if (!open[index]) close(socket, "ended");
      return sockets.filter((_, index) => open[index]);
    } catch (error) {
      ctx.log("mailbox.sockets-not-checked", { error: String(error) });
      for (const socket of sockets) close(socket, "unknown");
      return [];
    }
  }

  /** Closes the socket of a client that sends anything but `ping`. */
  refuseMessage(socket: WebSocket): void {
    close(socket, "message");
  }

  /** Closes all sockets of a mailbox that is deleted. */
  closeAll(): void {
    for (const socket of this.#state.getWebSockets()) close(socket, "deleted");
  }
}

const toWatcher = (socket: WebSocket) => socket.deserializeAttachment() as Watcher;

function send(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The client has gone.
  }
}

function close(socket: WebSocket, why: keyof typeof closes): void {
  try {
    const [code, reason] = closes[why];
    socket.close(code, reason);
  } catch {
    // The client has gone.
  }
}
