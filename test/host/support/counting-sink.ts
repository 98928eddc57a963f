/** An SMTP server that accepts and records every message. It keeps running while hosts are killed. Implements the part of RFC 5321 that the service uses. */
import net from "node:net";
import { appendChunk } from "../../support/append-chunk.ts";
import { pathIn } from "../../support/smtp-path.ts";

/** One message that was received up to its final dot. */
export interface Receipt {
  messageId: string;
  subject: string;
  recipients: string[];
  /** The number of the host that sent it: the value of `epoch` when the connection was opened. */
  epoch: number;
  /** True if the connection was closed without a reply, so that the sender cannot know the outcome. */
  dropped: boolean;
}

const DOT = Buffer.from("\r\n.\r\n");
const EHLO = ["sink.test", "PIPELINING", "SIZE 26214400", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"];

export class CountingSink {
  readonly receipts: Receipt[] = [];
  /** The number of the running host. The test sets it before each start. */
  epoch = 0;
  port = 0;
  /** How often each message was dropped, by its id. */
  readonly #dropped = new Map<string, number>();
  readonly #drops: (earlier: number) => boolean;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  /** `drops` is called for each message with how often it was dropped before; if it returns true, the connection is closed instead of a reply. */
  constructor(drops: (earlier: number) => boolean = () => false) {
    this.#drops = drops;
    this.#server = net.createServer({ noDelay: true }, (socket) => this.#serve(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.port = (this.#server.address() as net.AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    const accept = (content: Buffer, recipients: string[], epoch: number) => {
      const header = (name: string) =>
        new RegExp(`^${name}: (.*)$`, "im").exec(content.toString("utf8"))?.[1]?.trim() ?? "";
      const [messageId, subject] = [header("Message-ID"), header("Subject")];
      const earlier = this.#dropped.get(messageId) ?? 0;
      const dropped = this.#drops(earlier);
      if (dropped) this.#dropped.set(messageId, earlier + 1);
      this.receipts.push({ messageId, subject, recipients, epoch, dropped });
      return !dropped;
    };
    new SinkSession(socket, this.epoch, accept);
  }
}

/** Records a message. Returns false if the connection must be closed without a reply. */
type Accept = (content: Buffer, recipients: string[], epoch: number) => boolean;

class SinkSession {
  readonly #socket: net.Socket;
  readonly #epoch: number;
  readonly #take: Accept;
  #input: Buffer = Buffer.alloc(0);
  #recipients: string[] = [];
  #isReadingMessage = false;
  #isClosed = false;

  constructor(socket: net.Socket, epoch: number, accept: Accept) {
    this.#socket = socket;
    this.#epoch = epoch;
    this.#take = accept;
    socket.write("220 sink.test ESMTP\r\n");
    socket.on("data", (chunk) => {
      this.#input = appendChunk(this.#input, chunk);
      while (!this.#isClosed && (this.#isReadingMessage ? this.#readMessage() : this.#readCommand()));
    });
  }

  /** Replies to the next command. Returns false if none is complete. */
  #readCommand(): boolean {
    const end = this.#input.indexOf("\r\n");
    if (end < 0) return false;
    const line = this.#input.toString("utf8", 0, end);
    this.#input = this.#input.subarray(end + 2);
    const [verb = ""] = line.toUpperCase().split(/[ :]/);
    if (verb === "RCPT") this.#recipients.push(pathIn(line));
    if (verb === "MAIL" || verb === "RSET") this.#recipients = [];
    if (verb === "DATA") this.#isReadingMessage = true;
    this.#socket.write(`${replyTo(verb)}\r\n`);
    if (verb === "QUIT") this.#end();
    return true;
  }

  /** Accepts the message when its end has arrived. Returns false before that. An empty message has no CRLF before the dot. */
  #readMessage(): boolean {
    const end = this.#input.indexOf(DOT);
    if (end < 0) return false;
    const content = this.#input.subarray(0, end + 2);
    this.#input = this.#input.subarray(end + DOT.length);
    this.#isReadingMessage = false;
    if (this.#take(content, this.#recipients.splice(0), this.#epoch)) this.#socket.write("250 2.0.0 Ok\r\n");
    else this.#end();
    return true;
  }

  #end(): void {
    this.#isClosed = true;
    this.#socket.end();
  }
}

function replyTo(verb: string): string {
  switch (verb) {
    case "EHLO":
      return EHLO.map((text, at) => `250${at === EHLO.length - 1 ? " " : "-"}${text}`).join("\r\n");
    case "DATA":
      return "354 Go ahead";
    case "QUIT":
      return "221 2.0.0 Bye";
    default:
      return "250 2.0.0 Ok";
  }
}
