import type { Socket } from "node:net";

const [CR, LF, NUL] = [0x0d, 0x0a, 0x00];
/** Bytes that wait for a command that runs. The socket is paused above it, so a client cannot fill the memory. */
const MAX_WAITING = 64 * 1024;

/** Signals a line that cannot be read, after which nothing of the connection can be understood. */
export class LineError extends Error {
  override name = "LineError";
}

/** Signals that the client has closed its connection. */
export class ClosedError extends Error {
  override name = "ClosedError";
}

/** The bytes of a socket, read when they are needed. One reader at a time. */
export class ByteQueue {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isClosed = false;
  #wake: (() => void) | null = null;
  readonly #onData = (chunk: Buffer) => this.#add(chunk);
  readonly #onClose = () => this.#close();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#onData);
    socket.once("close", this.#onClose);
    socket.once("end", this.#onClose);
  }

  /** Stops reading, and returns whether bytes were waiting. For STARTTLS, which must not take what came before it. */
  detach(): boolean {
    this.#socket.off("data", this.#onData);
    this.#socket.off("close", this.#onClose);
    this.#socket.off("end", this.#onClose);
    return this.#bytes > 0;
  }

  /** Returns a line without its CRLF, one character for each byte. Throws LineError beyond `maxBytes`, and for a NUL or a lone CR or LF. */
  async readLine(maxBytes: number): Promise<string> {
    let from = 0;
    for (;;) {
      const all = this.#join();
      const end = all.indexOf(LF, from);
      if ((end < 0 ? all.length : end) > maxBytes) throw new LineError("The line is too long");
      if (end >= 0) {
        const line = all.subarray(0, end - 1);
        if (all[end - 1] !== CR || line.includes(CR) || line.includes(NUL))
          throw new LineError("A line must end in CRLF and must have no NUL");
        this.#keep(all.subarray(end + 1));
        return line.toString("latin1");
      }
      from = all.length;
      await this.#more();
    }
  }

  /** Returns this number of bytes in pieces, as they arrive. */
  async *read(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes;
    while (left > 0) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) {
        await this.#more();
        continue;
      }
      const taken = chunk.length > left ? chunk.subarray(0, left) : chunk;
      if (taken.length < chunk.length) this.#chunks.unshift(chunk.subarray(taken.length));
      this.#bytes -= taken.length;
      left -= taken.length;
      if (this.#bytes < MAX_WAITING) this.#socket.resume();
      yield taken;
    }
  }

  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    if (this.#bytes < MAX_WAITING) this.#socket.resume();
  }

  #add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // A line that is longer than this is read on, because its reader waits.
    if (this.#bytes >= MAX_WAITING && this.#wake === null) this.#socket.pause();
    this.#wake?.();
  }

  #close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async #more(): Promise<void> {
    if (this.#isClosed) throw new ClosedError("The client has closed the connection");
    this.#socket.resume();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }
}
