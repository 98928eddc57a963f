/** An SMTP server that follows a script, valid or not (smtp-script.ts). It runs in Node, in the global setup. */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { ScriptedSession } from "./scripted-session.ts";
import type { Counters, Script, Step, TransactionScript, TranscriptEntry } from "./smtp-script.ts";

/** A received message, with its bytes in base64. */
export interface StoredMessage {
  connection: number;
  transaction: number;
  mail: string;
  rcpts: string[];
  base64: string;
  accepted: boolean;
}

export class ScriptedServer {
  readonly script: Script;
  readonly keys: { key: string; cert: string };
  readonly transcript: TranscriptEntry[] = [];
  readonly messages: StoredMessage[] = [];
  readonly counters: Counters = { connections: 0, accepted: 0, messages: 0, chunks: 0 };
  /** Times at which the final dot of each message arrived, in milliseconds of `performance.now()`. */
  readonly arrivals: number[] = [];
  /** The same of the last message to each recipient. */
  readonly arrivalByRecipient = new Map<string, number>();
  /** Called with the number of each new connection. */
  onConnection: (connection: number) => void = () => {};
  /** Called with each message, still with doubled dots, and its RCPT lines. Returns the step at its final dot; without one, the script has it. */
  onMessage: (connection: number, content: Buffer, rcpts: readonly string[]) => Step | undefined = () => undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #transactions = 0;

  constructor(script: Script, keys: { key: string; cert: string }) {
    this.script = script;
    this.keys = keys;
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      this.counters.connections++;
      this.onConnection(this.counters.connections);
      new ScriptedSession(this, socket, this.counters.connections);
    });
  }

  /** Listens on this port of a loopback address, or a free one for 0, and returns it. */
  async listen(port = 0, host = "127.0.0.1"): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the number and the steps of the next MAIL command. */
  nextTransaction(): { number: number; steps: TransactionScript } {
    const number = ++this.#transactions;
    return { number, steps: this.script.transactions?.[number - 1] ?? {} };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
