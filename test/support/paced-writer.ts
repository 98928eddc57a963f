import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers";
import type { Script } from "./smtp-script.ts";

/** Writes to a socket in order, with the segment lengths and latency of a script. */
export class PacedWriter {
  readonly #socket: Socket;
  readonly #script: Script;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #piece = 0;

  constructor(socket: Socket, script: Script) {
    this.#socket = socket;
    this.#script = script;
  }

  /** True while a write is pending. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  write(text: string): void {
    if (!this.#script.segmentLengths && !this.#script.latencyMs) {
      if (this.#socket.writable) this.#socket.write(text, "latin1");
      return;
    }
    this.#then(async () => {
      for (const piece of this.#split(Buffer.from(text, "latin1"))) {
        if (!this.#socket.writable) return;
        this.#socket.write(piece);
        // One turn of the event loop between writes keeps the TCP segments separate.
        if (this.#script.segmentLengths) await new Promise((resolve) => setImmediate(resolve));
      }
    }, this.#script.latencyMs);
  }

  /** Closes after the last write, without a TCP reset, which could discard replies in transit. */
  end(): void {
    this.drained(() => this.#socket.end());
  }

  /** Calls `then` after the last write. */
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

  *#split(bytes: Buffer): Generator<Buffer> {
    const lengths = this.#script.segmentLengths;
    if (!lengths || lengths.length === 0) {
      yield bytes;
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      const length = Math.max(1, lengths[this.#piece++ % lengths.length] ?? 1);
      yield bytes.subarray(at, at + length);
      at += length;
    }
  }
}
