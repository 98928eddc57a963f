/** A client of Marionette, the remote control of Mozilla's programs: frames of JSON with their length before them, over TCP. */
import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = 20;

/** Kind of a frame, its number, and for a reply the error or the result. */
type Reply = [
  kind: 1,
  id: number,
  error: { error: string; message: string } | null,
  result: { value?: unknown } | null,
];

export class Marionette {
  readonly #socket: net.Socket;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("error", () => {});
    socket.on("close", () => this.#rejectAll());
  }

  /** Connects, begins a session, and runs scripts with the rights of the program from then on. */
  static async connect(port: number, scriptMs: number): Promise<Marionette> {
    const socket = net.connect(port, "127.0.0.1");
    await once(socket, "connect");
    const client = new Marionette(socket);
    // With the standard, each call closes an open dialog, before the program has told its text.
    await client.send("WebDriver:NewSession", { unhandledPromptBehavior: "ignore" });
    await client.send("WebDriver:SetTimeouts", { script: scriptMs });
    await client.send("Marionette:SetContext", { value: "chrome" });
    return client;
  }

  /**
   * Runs the body of a function whose last argument is a callback, and returns what the callback gets. A script does not begin while a
   * dialog is open, and is sent again until the program has closed it.
   */
  async run(script: string, args: unknown[]): Promise<unknown> {
    for (;;) {
      try {
        return await this.send("WebDriver:ExecuteAsyncScript", { script, args });
      } catch (error) {
        if (!String(error).includes("unexpected alert open")) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  /** Sends a command and returns its value. Rejects with the error of the program, and when the connection ends. */
  send(command: string, parameters: Record<string, unknown>): Promise<unknown> {
    const id = ++this.#lastId;
    const frame = JSON.stringify([0, id, command, parameters]);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#socket.destroyed) return this.#rejectAll();
      this.#socket.write(`${Buffer.byteLength(frame)}:${frame}`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const colon = this.#received.indexOf(":");
      if (colon === -1) return;
      const end = colon + 1 + Number(this.#received.subarray(0, colon).toString());
      if (this.#received.length < end) return;
      const message = JSON.parse(this.#received.subarray(colon + 1, end).toString()) as unknown;
      this.#received = this.#received.subarray(end);
      // The first frame is a greeting, an object.
      if (Array.isArray(message)) this.#settle(message as Reply);
    }
  }

  #settle([, id, error, result]: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) pending?.reject(new Error(`${error.error}: ${error.message}`));
    else pending?.resolve(result?.value);
  }

  #rejectAll(): void {
    for (const { reject } of this.#pending.values()) reject(new Error("the program has closed the connection"));
    this.#pending.clear();
  }
}
