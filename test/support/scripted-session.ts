/** One connection to a ScriptedServer: reads commands, performs the scripted step of each, records a transcript. */

import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { appendChunk } from "./append-chunk.ts";
import { PacedWriter } from "./paced-writer.ts";
import type { ScriptedServer } from "./scripted-smtp.ts";
import { pathIn } from "./smtp-path.ts";
import type { Step, TransactionScript, TranscriptEntry } from "./smtp-script.ts";

const DEFAULT_CAPABILITIES = ["PIPELINING", "SIZE 26214400", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "DSN"];
const DOT_LINE = Buffer.from("\r\n.\r\n");

interface Transaction {
  number: number;
  steps: TransactionScript;
  mail: string;
  mailAccepted: boolean;
  rcpts: string[];
  rcptCount: number;
}

const NO_TRANSACTION: Transaction = { number: 0, steps: {}, mail: "", mailAccepted: false, rcpts: [], rcptCount: 0 };

export class ScriptedSession {
  readonly #server: ScriptedServer;
  readonly #connection: number;
  #socket: Socket;
  #writer: PacedWriter;
  #input: Buffer = Buffer.alloc(0);
  #mode: "commands" | "message" | "auth" | "ignore" = "commands";
  #scanned = 0;
  #authPlan: Iterator<Step> = [].values();
  #secure = false;
  #transaction: Transaction = NO_TRANSACTION;

  constructor(server: ScriptedServer, socket: Socket, connection: number) {
    this.#server = server;
    this.#connection = connection;
    this.#socket = socket;
    this.#writer = new PacedWriter(socket, server.script);
    this.#log("open", socket.remoteAddress ?? "");
    socket.on("close", () => this.#log("close", ""));
    this.#listen();
    this.#perform(server.script.greeting ?? "220 scripted.test ESMTP");
  }

  #listen(): void {
    this.#socket.on("error", () => {});
    this.#socket.on("data", (chunk: Buffer) => {
      this.#server.counters.chunks++;
      this.#input = appendChunk(this.#input, chunk);
      this.#readInput();
    });
  }

  #readInput(): void {
    for (;;) {
      if (this.#mode === "ignore") {
        this.#input = Buffer.alloc(0);
        return;
      }
      if (this.#mode === "message") {
        if (!this.#readMessage()) return;
        continue;
      }
      const end = this.#input.indexOf("\r\n");
      if (end < 0) return;
      const line = this.#input.toString("utf8", 0, end);
      this.#input = this.#input.subarray(end + 2);
      if (this.#mode === "auth") this.#auth(line);
      else this.#command(line);
    }
  }

  #command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    const nested = verb === "MAIL" && this.#transaction.mailAccepted;
    if (verb === "MAIL") {
      this.#transaction = { ...NO_TRANSACTION, ...this.#server.nextTransaction(), mail: line, rcpts: [] };
    }
    this.#log("command", line);
    const { script } = this.#server;
    if (verb === "EHLO") this.#perform(script.ehlo ?? this.#capabilities());
    else if (verb === "HELO") this.#perform(script.helo ?? "250 scripted.test");
    else if (verb === "MAIL")
      this.#transaction.mailAccepted = this.#perform(
        this.#transaction.steps.mail ?? (nested ? "503 5.5.1 Nested MAIL" : "250 2.1.0 Ok"),
      );
    else if (verb === "RCPT") this.#rcpt(line);
    else if (verb === "DATA") this.#data();
    else if (verb === "RSET") this.#rset(script.rset ?? "250 2.0.0 Ok");
    else if (verb === "STAR") this.#startTls(script.starttls ?? "220 2.0.0 Ready");
    else if (verb === "AUTH") this.#auth(line);
    else if (verb === "QUIT") this.#perform(script.quit ?? { drop: true, reply: "221 2.0.0 Bye" });
    else this.#perform("500 5.5.2 What?");
  }

  #capabilities(): string {
    const { capabilities = DEFAULT_CAPABILITIES, capabilitiesAfterTls } = this.#server.script;
    const now = this.#secure
      ? (capabilitiesAfterTls ?? capabilities.filter((one) => one !== "STARTTLS"))
      : capabilities;
    const lines = ["scripted.test", ...now];
    return lines.map((text, i) => `250${i === lines.length - 1 ? " " : "-"}${text}`).join("\n");
  }

  #rcpt(line: string): void {
    const current = this.#transaction;
    const address = pathIn(line);
    const step = current.steps.rcpt?.[current.rcptCount++] ?? this.#server.script.recipients?.[address];
    if (this.#perform(step ?? (current.mailAccepted ? "250 2.1.5 Ok" : "503 5.5.1 MAIL first")))
      current.rcpts.push(line);
  }

  #data(): void {
    const { steps, mailAccepted, rcpts } = this.#transaction;
    const step = steps.data ?? (mailAccepted && rcpts.length > 0 ? "354 Go ahead" : "503 5.5.1 No valid recipients");
    this.#perform(step);
    if (typeof step === "string" && step.startsWith("354")) {
      this.#mode = "message";
      this.#scanned = 0;
    }
  }

  #rset(step: Step): void {
    if (this.#perform(step)) this.#transaction = { ...NO_TRANSACTION, number: this.#transaction.number };
  }

  /** Returns true when the message is complete and commands follow. */
  #readMessage(): boolean {
    const { steps } = this.#transaction;
    if (steps.during && this.#input.length >= steps.during.bytes && !this.#findEnd()) {
      this.#perform(steps.during.step);
      this.#transaction = { ...this.#transaction, steps: { ...steps, during: undefined } };
      return false;
    }
    const end = this.#findEnd();
    if (!end) return false;
    const body = this.#input.subarray(0, end.body);
    this.#input = this.#input.subarray(end.next);
    this.#mode = "commands";
    this.#storeMessage(body);
    return true;
  }

  #findEnd(): { body: number; next: number } | null {
    if (this.#input.length >= 3 && this.#input.toString("latin1", 0, 3) === ".\r\n") return { body: 0, next: 3 };
    const at = this.#input.indexOf(DOT_LINE, Math.max(0, this.#scanned - DOT_LINE.length));
    this.#scanned = this.#input.length;
    return at < 0 ? null : { body: at + 2, next: at + DOT_LINE.length };
  }

  #storeMessage(body: Buffer): void {
    const { arrivals, arrivalByRecipient, counters, messages, script } = this.#server;
    const { number, mail, rcpts, steps } = this.#transaction;
    counters.messages++;
    const arrivedAt = performance.now();
    arrivals.push(arrivedAt);
    for (const line of rcpts) arrivalByRecipient.set(pathIn(line), arrivedAt);
    const drop = script.dropAfterDotEvery !== undefined && counters.messages % script.dropAfterDotEvery === 0;
    const scripted = drop ? { drop: true as const } : (steps.dot ?? "250 2.0.0 Ok: queued");
    const step = this.#server.onMessage(this.#connection, body, rcpts) ?? scripted;
    if (!script.countOnly) {
      const base64 = unstuff(body).toString("base64");
      const accepted = typeof step === "string" && step.startsWith("2");
      messages.push({ connection: this.#connection, transaction: number, mail, rcpts, base64, accepted });
      this.#log("message", base64);
    }
    this.#transaction = { ...NO_TRANSACTION, number };
    if (this.#perform(step)) counters.accepted++;
  }

  #startTls(step: Step): void {
    this.#perform(step);
    const reply = typeof step === "string" ? step : "raw" in step ? step.raw : "";
    if (!reply.startsWith("220")) return;
    this.#mode = "commands";
    this.#socket.removeAllListeners("data");
    this.#writer.drained(() => {
      const { key, cert } = this.#server.keys;
      const secure = new TLSSocket(this.#socket, { isServer: true, key, cert });
      this.#socket = secure;
      this.#secure = true;
      this.#input = Buffer.alloc(0);
      this.#writer = new PacedWriter(secure, this.#server.script);
      secure.on("secure", () => this.#log("secure", secure.getProtocol() ?? ""));
      this.#listen();
    });
  }

  #auth(line: string): void {
    if (this.#mode === "auth") this.#log("command", line);
    else this.#authPlan = this.#server.script.auth?.values() ?? authReplies(line).values();
    const step = this.#authPlan.next().value ?? "503 5.5.1 No more AUTH steps";
    this.#mode = typeof step === "string" && step.startsWith("334") ? "auth" : "commands";
    this.#perform(step);
  }

  /** Performs a step. Returns true when it is a 2xx reply. */
  #perform(step: Step): boolean {
    if (typeof step === "string") {
      this.#writer.write(`${step.replaceAll("\n", "\r\n")}\r\n`);
      return step.startsWith("2");
    }
    if ("raw" in step) this.#writer.write(step.raw);
    if ("silent" in step) this.#mode = "ignore";
    if ("drop" in step) {
      this.#mode = "ignore";
      if (step.reply !== undefined) this.#writer.write(`${step.reply}\r\n`);
      this.#writer.end();
    }
    return false;
  }

  #log(event: TranscriptEntry["event"], text: string): void {
    if (this.#server.script.countOnly) return;
    const pipelined = event === "command" && this.#writer.busy;
    this.#server.transcript.push({
      connection: this.#connection,
      transaction: this.#transaction.number,
      event,
      text,
      pipelined,
    });
  }
}

/** Returns the replies of a server without an AUTH script, line by line. */
function authReplies(line: string): Step[] {
  const welcome = "235 2.7.0 Welcome";
  if (/^AUTH LOGIN/i.test(line)) return ["334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", welcome];
  return /^AUTH PLAIN$/i.test(line) ? ["334 ", welcome] : [welcome];
}

function unstuff(body: Buffer): Buffer {
  const text = body.toString("latin1");
  return Buffer.from(text.replace(/(^|\r\n)\./g, "$1"), "latin1");
}
