import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { isFull, refuseConnection } from "../rules/replies.ts";
import { readCommand } from "./commands.ts";
import { ContentReader } from "./content-reader.ts";
import type { Envelope } from "./received.ts";
import type { Receiver } from "./receiver.ts";
import { tarpit } from "./tarpit.ts";

const MAX_LINE_BYTES = 4_096;
const EXTENSIONS = ["PIPELINING", "SIZE 52428800", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "DSN"];

/** One SMTP connection to a receiver. Replies to commands that came together leave together, unless the receiver is slow. */
export class Session {
  readonly #receiver: Receiver;
  readonly #secureContext: SecureContext;
  readonly #host: string;
  readonly #source: string;
  readonly #connections: number;
  #socket: Socket;
  #input: Buffer = Buffer.alloc(0);
  #output = "";
  #envelope: Envelope | null = null;
  #content: ContentReader | null = null;
  #isSecure = false;
  #messages = 0;
  /** Waits before a reply, for a caller or for TLS: commands stay in the input. */
  #isWaiting = false;
  #isEnded = false;

  constructor(receiver: Receiver, socket: Socket, secureContext: SecureContext) {
    this.#receiver = receiver;
    this.#socket = socket;
    this.#secureContext = secureContext;
    this.#host = receiver.system.mx[0] ?? receiver.system.domains[0] ?? receiver.system.name;
    this.#source = socket.remoteAddress ?? "";
    this.#connections = receiver.open(this.#source);
    socket.on("close", () => {
      this.#isEnded = true;
      receiver.close(this.#source, this.#messages);
    });
    const { behaviour } = receiver.system;
    if (behaviour.tarpit) tarpit(socket, behaviour.tarpit.msPerByte);
    else this.#greet();
  }

  #greet(): void {
    const refusal = refuseConnection(this.#receiver.system.behaviour, this.#client());
    this.#listen();
    if (refusal !== null && this.#receiver.system.behaviour.connections?.isSilent) {
      this.#receiver.counters.closedSilently++;
      this.#socket.destroy();
      return;
    }
    this.#reply(refusal === null ? reply(`220 ${this.#host} ESMTP`) : this.#last(refusal));
    this.#flush();
  }

  #client() {
    const common = { source: this.#source, isSecure: this.#isSecure };
    return { ...common, connections: this.#connections, messages: this.#messages };
  }

  #listen(): void {
    this.#socket.on("error", () => this.#socket.destroy());
    this.#socket.on("data", (chunk: Buffer) => {
      this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
      this.#pump();
    });
  }

  /** Handles the input up to the first reply that has to wait. */
  #pump(): void {
    while (!this.#isWaiting && !this.#isEnded && this.#input.length > 0) {
      if (this.#content) this.#readContent(this.#content);
      else if (!this.#readLine()) break;
    }
    this.#flush();
  }

  #readLine(): boolean {
    const end = this.#input.indexOf("\r\n");
    if (end < 0) {
      if (this.#input.length > MAX_LINE_BYTES) this.#reply(this.#last("500 5.5.2 Line too long"));
      return false;
    }
    const line = this.#input.toString("utf8", 0, end);
    this.#input = this.#input.subarray(end + 2);
    this.#reply(this.#command(line));
    return true;
  }

  #command(line: string): Reply {
    const command = readCommand(line);
    switch (command.verb) {
      case "EHLO":
        return reply(this.#extensions());
      case "HELO":
        return reply(`250 ${this.#host}`);
      case "STARTTLS":
        return this.#startTls();
      case "MAIL":
        return this.#mail(command);
      case "RCPT":
        return this.#rcpt(command);
      case "DATA":
        return this.#data();
      case "RSET":
        this.#envelope = null;
        return reply("250 2.0.0 Ok");
      case "NOOP":
        return reply("250 2.0.0 Ok");
      case "QUIT":
        return this.#last("221 2.0.0 Bye");
      default:
        return reply("500 5.5.2 Unknown command");
    }
  }

  #extensions(): string {
    const offersTls = !this.#isSecure && this.#receiver.system.behaviour.tls !== "none";
    return `250-${[this.#host, ...EXTENSIONS].join("\n250-")}${offersTls ? "\n250 STARTTLS" : "\n250 HELP"}`;
  }

  #mail({ address, parameters }: { address: string; parameters: string[] }): Reply {
    if (this.#envelope) return reply("503 5.5.1 Nested MAIL command");
    const size = parameters.find((parameter) => /^SIZE=\d+$/i.test(parameter))?.slice("SIZE=".length) ?? 0;
    const refusal = this.#receiver.mail(this.#client(), Number(size), Date.now());
    if (refusal !== null)
      return isFull(this.#receiver.system.behaviour, this.#client()) ? this.#last(refusal) : reply(refusal);
    this.#messages++;
    this.#envelope = { from: address, to: [], parameters, source: this.#source, isSecure: this.#isSecure };
    return reply("250 2.1.0 Ok");
  }

  #rcpt({ address, parameters }: { address: string; parameters: string[] }): Reply {
    if (!this.#envelope) return reply("503 5.5.1 MAIL first");
    const refusal = this.#receiver.recipient(this.#envelope, address, Date.now());
    if (refusal !== null) return reply(refusal);
    this.#envelope.to.push(address);
    this.#envelope.parameters.push(...parameters);
    return reply("250 2.1.5 Ok");
  }

  #data(): Reply {
    const refusal = this.#refusalOf("data");
    if (!this.#envelope || this.#envelope.to.length === 0) return reply("503 5.5.1 No valid recipients");
    if (refusal !== null) {
      this.#envelope = null;
      return reply(refusal);
    }
    const { kept } = this.#receiver.keeping;
    this.#content = new ContentReader(kept === "nothing" ? "size" : kept);
    return reply("354 End with a dot");
  }

  #refusalOf(phase: "data" | "final-dot"): string | null {
    const replies = this.#envelope?.to.map((address) => this.#receiver.replyOfAddress(address, phase)) ?? [];
    return replies.find((reply) => reply !== null) ?? null;
  }

  #readContent(content: ContentReader): void {
    const end = content.read(this.#input);
    this.#input = end === null ? Buffer.alloc(0) : this.#input.subarray(end);
    if (end === null) return;
    const finished = this.#finish(content);
    if (finished) this.#reply(finished);
  }

  /** Returns the reply to a message, or null when it comes later or never. */
  #finish(content: ContentReader): Reply | null {
    const refusal = this.#refusalOf("final-dot");
    const envelope = this.#envelope;
    this.#content = null;
    this.#envelope = null;
    if (this.#receiver.finalDot()) {
      this.#isEnded = true;
      this.#socket.destroy();
      return null;
    }
    if (refusal !== null || !envelope) return reply(refusal ?? "503 5.5.1 MAIL first");
    const { kept } = this.#receiver.keeping;
    const bytes = kept === "content" || kept === "header" ? content.kept() : null;
    const storing = this.#receiver.accept(envelope, content.size, bytes, Date.now());
    const accepted = reply(`250 2.0.0 Ok: queued as ${this.#receiver.counters.messages}`);
    if (storing === null) return accepted;
    this.#isWaiting = true;
    const go = (late: Reply) => {
      this.#isWaiting = false;
      this.#reply(late);
      this.#pump();
    };
    storing.then(
      () => go(accepted),
      () => go(reply("451 4.3.0 The message could not be stored")),
    );
    return null;
  }

  /** Replies, at once or after the time of a slow receiver, and does what follows the reply. */
  #reply({ text, done }: Reply): void {
    this.#receiver.count(text);
    this.#output += `${text.replaceAll("\n", "\r\n")}\r\n`;
    const { slow } = this.#receiver.system.behaviour;
    if (slow) {
      this.#isWaiting = true;
      setTimeout(() => {
        this.#isWaiting = false;
        this.#flush();
        done?.();
        this.#pump();
      }, slow.ms);
    } else if (done) {
      this.#flush();
      done();
    }
  }

  #flush(): void {
    if (this.#output === "" || this.#isEnded || this.#isWaiting) return;
    this.#socket.write(this.#output);
    this.#output = "";
  }

  #startTls(): Reply {
    if (this.#isSecure || this.#receiver.system.behaviour.tls === "none") return reply("502 5.5.1 No TLS here");
    const done = () => {
      this.#socket.removeAllListeners("data");
      const secure = new TLSSocket(this.#socket, { isServer: true, secureContext: this.#secureContext });
      secure.once("secure", () => this.#receiver.counters.tlsConnections++);
      this.#socket = secure;
      // Input before the handshake is not protected by it (RFC 3207 6).
      this.#input = Buffer.alloc(0);
      this.#envelope = null;
      this.#isSecure = true;
      this.#listen();
    };
    return { text: "220 2.0.0 Ready to start TLS", done };
  }

  /** Returns a reply after which the connection closes. */
  #last(text: string): Reply {
    const done = () => {
      this.#isEnded = true;
      this.#socket.end();
    };
    return { text, done };
  }
}

/** A reply and what follows it. */
interface Reply {
  text: string;
  done?: () => void;
}

const reply = (text: string): Reply => ({ text });
