import type { Clock, Timer } from "../clock.ts";
import type { ChangeListener } from "./mailbox.ts";

/** How a socket is opened, and what is done with its messages. */
interface ChangeSocketOptions {
  clock: Clock;
  open(): WebSocket;
  onChange: ChangeListener;
  /** The access may have ended. */
  onAccess(): void;
}

/** Wait before a socket is opened again, in ms: doubled after each failure. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 60_000;
/** Time in which a socket must be open, in ms. */
const OPEN_MS = 10_000;
/** Time between pings, in ms. A socket that does not answer until the next one is replaced. */
const PING_MS = 240_000;

/** The socket of a mailbox's changes. It is opened again when it closes. */
export class ChangeSocket {
  readonly #options: ChangeSocketOptions;
  #socket: WebSocket | null = null;
  #wait = FIRST_WAIT_MS;
  #timer: Timer | null = null;
  #isClosed = false;
  #hasAnswered = true;
  readonly #pings: Timer;

  constructor(options: ChangeSocketOptions) {
    this.#options = options;
    this.#pings = options.clock.every(PING_MS, () => this.#ping());
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    this.#pings.cancel();
    this.#timer?.cancel();
    this.#socket?.close();
  }

  #open(): void {
    const socket = this.#options.open();
    this.#socket = socket;
    this.#hasAnswered = true;
    const late = this.#options.clock.after(OPEN_MS, () => {
      this.#replace(socket);
      socket.close();
    });
    socket.addEventListener("open", () => {
      late.cancel();
      this.#wait = FIRST_WAIT_MS;
      // Changes before it was open were not told.
      this.#options.onChange(null);
    });
    socket.addEventListener("message", ({ data }) => this.#read(String(data)));
    for (const event of ["close", "error"] as const)
      socket.addEventListener(event, () => {
        late.cancel();
        this.#replace(socket);
      });
  }

  /** Opens another socket in place of one that is closed or does not answer. */
  #replace(socket: WebSocket): void {
    if (this.#isClosed || this.#socket !== socket) return;
    this.#socket = null;
    // The mailbox may have been deleted.
    this.#options.onAccess();
    this.#timer = this.#options.clock.after(this.#wait, () => this.#open());
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
  }

  #read(text: string): void {
    if (text === "pong") {
      this.#hasAnswered = true;
      return;
    }
    const message = readMessage(text);
    if (message.access) this.#options.onAccess();
    else this.#options.onChange(message.folders ?? null);
  }

  #ping(): void {
    const socket = this.#socket;
    if (!socket) return;
    if (!this.#hasAnswered) {
      this.#replace(socket);
      socket.close();
      return;
    }
    this.#hasAnswered = false;
    if (socket.readyState === WebSocket.OPEN) socket.send("ping");
  }
}

/** Returns a message of the Worker. One that is not JSON is of a change that is unknown. */
function readMessage(text: string): { folders?: string[]; access?: true } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
