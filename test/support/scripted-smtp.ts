/** An SMTP server that does what its script says, however wrong (smtp-script.ts). It lives in Node, in global setup. */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { ScriptedSession } from "./scripted-session.ts";
import type { Counters, Script, TransactionScript, TranscriptEntry } from "./smtp-script.ts";

/** A message as it is kept: `raw` is base64 until the client asks. */
export interface KeptMessage {
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
  readonly messages: KeptMessage[] = [];
  readonly counters: Counters = { connections: 0, accepted: 0, messages: 0, reads: 0 };
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
      new ScriptedSession(this, socket, this.counters.connections);
    });
  }

  /** Listens on a free loopback port and returns it. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** The next MAIL command: its number and its steps. */
  nextTransaction(): { number: number; steps: TransactionScript } {
    const number = ++this.#transactions;
    return { number, steps: this.script.transactions?.[number - 1] ?? {} };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
