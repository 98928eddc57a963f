import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers";
import type { Script } from "./smtp-script.ts";

/** Writes to a socket in the pieces and with the latency a script asks for; in order, never two at once. */
export class SteppedWriter {
  readonly #socket: Socket;
  readonly #script: Script;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #piece = 0;

  constructor(socket: Socket, script: Script) {
    this.#socket = socket;
    this.#script = script;
  }

  /** True while something is not yet written. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  write(text: string): void {
    if (!this.#script.cuts && !this.#script.latencyMs) {
      if (this.#socket.writable) this.#socket.write(text, "latin1");
      return;
    }
    this.#then(async () => {
      for (const piece of this.#cut(Buffer.from(text, "latin1"))) {
        if (!this.#socket.writable) return;
        this.#socket.write(piece);
        // A turn of the loop between writes keeps the pieces apart on the wire.
        if (this.#script.cuts) await new Promise((resolve) => setImmediate(resolve));
      }
    }, this.#script.latencyMs);
  }

  /** Closes once everything is written; never by a reset, which could take replies away that are on their way. */
  end(): void {
    this.drained(() => this.#socket.end());
  }

  drained(then: () => void): void {
    if (this.#waiting === 0) then();
    else this.#then(async () => then());
  }

  #then(work: () => Promise<void>, delayMs = 0): void {
    this.#waiting++;
    const due = delayMs > 0 ? new Promise((resolve) => setTimeout(resolve, delayMs)) : null;
    this.#queue = this.#queue.then(async () => {
      await due;
      await work();
      this.#waiting--;
    });
  }

  *#cut(octets: Buffer): Generator<Buffer> {
    const cuts = this.#script.cuts;
    if (!cuts || cuts.length === 0) {
      yield octets;
      return;
    }
    for (let at = 0; at < octets.length; ) {
      const length = Math.max(1, cuts[this.#piece++ % cuts.length] ?? 1);
      yield octets.subarray(at, at + length);
      at += length;
    }
  }
}
