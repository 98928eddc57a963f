import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";

/** Bytes of a message that are held in memory. More goes to a temporary file. */
const MEMORY_BYTES = 256 * 1024;

/** Keeps a message until it was read twice: to check its signatures, and to send it on. */
export class Spool {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  #folder: string | null = null;
  #file: WriteStream | null = null;

  /** Bytes that were written. */
  get size(): number {
    return this.#size;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#size += bytes.length;
    if (this.#file === null && this.#size <= MEMORY_BYTES) {
      this.#pieces.push(bytes);
      return;
    }
    if (this.#file === null) {
      this.#folder = await mkdtemp(path.join(tmpdir(), "mail-gateway-"));
      this.#file = createWriteStream(path.join(this.#folder, "message"), { mode: 0o600 });
      for (const piece of this.#pieces.splice(0)) await append(this.#file, piece);
    }
    await append(this.#file, bytes);
  }

  abort(): void {
    void this.remove();
  }

  /** Ends the message. Call it once, before `read`. */
  async finish(): Promise<void> {
    const file = this.#file;
    if (file)
      await new Promise<void>((resolve, reject) =>
        file.end((error?: Error | null) => (error ? reject(error) : resolve())),
      );
  }

  /** Returns the message from its first byte. */
  read(): Readable {
    return this.#folder === null
      ? Readable.from([Buffer.concat(this.#pieces)])
      : createReadStream(path.join(this.#folder, "message"));
  }

  async remove(): Promise<void> {
    this.#file?.destroy();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}

function append(file: WriteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    file.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
