import type { Socket } from "node:net";
import { ClosedError } from "./byte-queue.ts";

/** Bytes that wait for a client to read them, above which a writer waits. */
const MAX_WAITING = 256 * 1024;

/** Writes responses to a client. Text has one character for each byte. */
export class ResponseWriter {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Writes lines, each with its CRLF. */
  lines(lines: readonly string[]): void {
    if (lines.length > 0) this.text(`${lines.join("\r\n")}\r\n`);
  }

  text(text: string): void {
    this.bytes(Buffer.from(text, "latin1"));
  }

  bytes(bytes: Uint8Array): void {
    // A write after the end would destroy the socket and what it has not sent yet.
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  /** Waits until the client has read most of what was written. Rejects when its connection closes. */
  async ready(): Promise<void> {
    if (this.#socket.destroyed) throw new ClosedError("The client has closed the connection");
    if (this.#socket.writableLength < MAX_WAITING) return;
    await new Promise<void>((resolve, reject) => {
      const onDrain = () => {
        this.#socket.off("close", onClose);
        resolve();
      };
      const onClose = () => {
        this.#socket.off("drain", onDrain);
        reject(new ClosedError("The client has closed the connection"));
      };
      this.#socket.once("drain", onDrain);
      this.#socket.once("close", onClose);
    });
  }
}
