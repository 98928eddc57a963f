import { once } from "node:events";
import { readFileSync } from "node:fs";
import net, { type Socket } from "node:net";
import tls from "node:tls";

/** How a client of a test connects. */
export interface ImapClientOptions {
  port: number;
  caFile: string;
  isImplicitTls?: boolean;
}

/** A client of IMAP that sends what a test says, byte for byte, and returns what the server answers. */
export class ImapClient {
  #socket: Socket;
  #received = Buffer.alloc(0);
  #wake: (() => void) | null = null;
  #isClosed = false;
  #hasEnded = false;
  #tags = 0;
  readonly #ca: Buffer;

  private constructor(socket: Socket, ca: Buffer) {
    this.#ca = ca;
    this.#socket = socket;
    this.#listen();
  }

  /** Connects and returns the client and the greeting. */
  static async connect({ port, caFile, isImplicitTls = true }: ImapClientOptions) {
    const ca = readFileSync(caFile);
    const socket = isImplicitTls
      ? tls.connect({ port, host: "127.0.0.1", ca, servername: "localhost", checkServerIdentity: () => undefined })
      : net.connect({ port, host: "127.0.0.1" });
    await once(socket, isImplicitTls ? "secureConnect" : "connect");
    const client = new ImapClient(socket, ca);
    return { client, greeting: await client.line() };
  }

  #listen(): void {
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    this.#socket.on("end", () => {
      this.#hasEnded = true;
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  /** Bytes that were received and not read. */
  get unread(): string {
    return this.#received.toString("latin1");
  }

  write(text: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(typeof text === "string" ? Buffer.from(text, "latin1") : text);
  }

  /** Returns the next line with the literals in it, without its CRLF, one character for each byte. Throws when the server has closed. */
  async line(): Promise<string> {
    for (let from = 0; ; ) {
      const end = this.#received.indexOf("\r\n", from);
      if (end < 0) {
        await this.#more();
        continue;
      }
      const text = this.#received.subarray(0, end).toString("latin1");
      const [, length] = /\{(\d+)\}$/.exec(text) ?? [];
      if (length === undefined) {
        this.#received = this.#received.subarray(end + 2);
        return text;
      }
      from = end + 2 + Number(length);
      while (this.#received.length < from) await this.#more();
    }
  }

  /** Returns the lines that were received whole and not read, after the end of the connection. */
  async *left(): AsyncGenerator<string> {
    try {
      for (;;) yield await this.line();
    } catch {
      // The last line is not whole.
    }
  }

  async #more(): Promise<void> {
    if (this.#isClosed) throw new Error("the server has closed the connection");
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }

  /** Sends a command and returns its untagged responses, then the tagged one without its tag. */
  async command(text: string): Promise<string[]> {
    const tag = this.nextTag();
    this.write(`${tag} ${text}\r\n`);
    return this.responses(tag);
  }

  nextTag(): string {
    this.#tags += 1;
    return `t${this.#tags}`;
  }

  /** Returns the responses up to the tagged one. */
  async responses(tag: string): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.line();
      if (line.startsWith(`${tag} `)) return [...lines, line.slice(tag.length + 1)];
      lines.push(line);
    }
  }

  /** Begins TLS after the server has agreed to it. */
  async startTls(): Promise<void> {
    this.#socket.removeAllListeners("data");
    this.#socket.removeAllListeners("close");
    this.#socket = tls.connect({ socket: this.#socket, ca: this.#ca, checkServerIdentity: () => undefined });
    await once(this.#socket, "secureConnect");
    this.#listen();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True: the connection broke without an end of TLS. */
  get isTruncated(): boolean {
    return !this.#hasEnded;
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#more().catch(() => {});
  }

  /** Reads nothing more of what the server sends. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Ends the connection from this side, and goes on to receive. */
  halfClose(): void {
    this.#socket.end();
  }

  end(): void {
    this.#socket.destroy();
  }
}
