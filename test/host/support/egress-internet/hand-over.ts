/** One SMTP connection on which emails are handed to the egress, as the Worker does. */
import { SmtpClient } from "../smtp-client.ts";

export interface HandedOver {
  ticket: string;
  from: string;
  to: readonly string[];
  content: string;
}

/** The reply of the egress to a hand-over. */
export type Taken =
  /** `waiting`: seconds by recipient of those that were told to wait. */
  | { kind: "held"; waiting: ReadonlyMap<string, number> }
  /** 451 at RCPT: there is a place in the line. */
  | { kind: "wait"; seconds: number; receiver: string; label: string; reason: string }
  | { kind: "refused"; reply: string }
  | { kind: "deferred"; reply: string };

const WAIT = /^451 4\.(?:7\.1|4\.5) wait (\d+) s for ([a-z0-9.-]{1,100}) \(([^)]*)\): (.{0,200})$/;

export class HandOver {
  readonly #client: SmtpClient;

  constructor(client: SmtpClient) {
    this.#client = client;
  }

  /** Connects to a port without TLS and login. Throws when the egress does not say that it holds mail under leases. */
  static async connect(port: number): Promise<HandOver> {
    const client = await SmtpClient.connect(port);
    const reply = await client.command("EHLO worker.test");
    if (!/^250[ -]XLEASE 2$/m.test(reply)) throw new Error(`no egress of ours: ${reply}`);
    return new HandOver(client);
  }

  /** Hands one email over. When no recipient is taken, the first one decides. Throws when the connection ends. */
  async send({ ticket, from, to, content }: HandedOver): Promise<Taken> {
    const client = this.#client;
    const recipients = to.map((address) => `RCPT TO:<${address}>\r\n`).join("");
    client.write(`MAIL FROM:<${from}> ENVID=${ticket} SIZE=${Buffer.byteLength(content)}\r\n${recipients}DATA\r\n`);
    const replies = [await this.#reply()];
    for (let n = 0; n <= to.length; n++) replies.push(await this.#reply());
    const refusal = replies.find((reply) => !/^[23]/.test(reply));
    const waiting = new Map<string, number>();
    if (refusal !== undefined && replies.at(-1)?.startsWith("354")) {
      for (const [n, address] of to.entries()) {
        const taken = toTaken(replies[n + 1] ?? "");
        if (taken.kind === "wait") waiting.set(address, taken.seconds);
        else if (!replies[n + 1]?.startsWith("250")) throw new Error("a recipient of several was refused");
      }
    } else if (refusal !== undefined) {
      await client.command("RSET");
      return toTaken(refusal);
    }
    const reply = await client.command(`${content}.`);
    if (reply === "") throw new Error("the egress has closed the connection");
    return reply.startsWith("250") ? { kind: "held", waiting } : toTaken(reply);
  }

  end(): void {
    this.#client.end();
  }

  async #reply(): Promise<string> {
    const reply = await this.#client.reply();
    if (reply === "") throw new Error("the egress has closed the connection");
    return reply;
  }
}

function toTaken(reply: string): Taken {
  const wait = WAIT.exec(reply);
  if (wait) {
    const [, seconds = "", receiver = "", label = "", reason = ""] = wait;
    return { kind: "wait", seconds: Number(seconds), receiver, label, reason };
  }
  return reply.startsWith("5") ? { kind: "refused", reply } : { kind: "deferred", reply };
}
