import { once } from "node:events";
import tls from "node:tls";

/** Characters of a response in which its end is looked for: a greeting with all capabilities is shorter. */
const TAIL = 2_000;

/** A client of IMAP that takes responses without reading them, so that its own time counts little. */
export class RawClient {
  readonly #socket: tls.TLSSocket;
  #tags = 0;

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "data");
    return new RawClient(socket);
  }

  /** Sends a command. Returns the milliseconds and the bytes to the end of its response. Throws unless it succeeds. */
  async command(text: string): Promise<{ ms: number; bytes: number }> {
    this.#tags += 1;
    return this.#until(
      `t${this.#tags} ${text}\r\n`,
      new RegExp(`(^|\\r\\n)t${this.#tags} (OK|NO|BAD)[^\\r\\n]*\\r\\n$`),
    );
  }

  /** Begins to wait for changes. */
  async idle(): Promise<void> {
    await this.#until("i IDLE\r\n", /\+ [^\r\n]*\r\n$/);
  }

  end(): void {
    this.#socket.destroy();
  }

  async #until(text: string, end: RegExp): Promise<{ ms: number; bytes: number }> {
    const startedAt = performance.now();
    let [bytes, tail] = [0, ""];
    const done = new Promise<void>((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        bytes += chunk.length;
        tail = (tail + chunk.subarray(-TAIL).toString("latin1")).slice(-TAIL);
        const [, , status = "OK"] = end.exec(tail) ?? [null, null, ""];
        if (status === "") return;
        this.#socket.off("data", onData);
        if (status === "OK") resolve();
        else reject(new Error(`${text.trim()}: ${tail.slice(-200)}`));
      };
      this.#socket.on("data", onData);
    });
    this.#socket.write(text);
    await done;
    return { ms: performance.now() - startedAt, bytes };
  }
}
