/** An SMTP server that takes every mail, counts it, and outlives the hosts that are killed. Speaks RFC 5321 as far as our client asks. */
import net from "node:net";

/** One message whose final dot came. */
export interface Receipt {
  messageId: string;
  subject: string;
  recipients: string[];
  /** Which host sent it: what `epoch` was when its connection was opened. */
  epoch: number;
  /** No answer followed: the sender cannot know that it was taken. */
  dropped: boolean;
}

const DOT = Buffer.from("\r\n.\r\n");
const EHLO = ["sink.test", "PIPELINING", "SIZE 26214400", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"];

export class CountingSink {
  readonly receipts: Receipt[] = [];
  /** Set by whoever starts hosts, before each start. */
  epoch = 0;
  port = 0;
  readonly #drops: () => boolean;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  /** `drops` says of each message, in the order they come, whether the connection ends instead of an answer. */
  constructor(drops: () => boolean = () => false) {
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
      const dropped = this.#drops();
      const header = (name: string) =>
        new RegExp(`^${name}: (.*)$`, "im").exec(content.toString("utf8"))?.[1]?.trim() ?? "";
      const [messageId, subject] = [header("Message-ID"), header("Subject")];
      this.receipts.push({ messageId, subject, recipients, epoch, dropped });
      return !dropped;
    };
    new SinkSession(socket, this.epoch, accept);
  }
}

/** Answers false when no answer is to be given. */
type Accept = (content: Buffer, recipients: string[], epoch: number) => boolean;

class SinkSession {
  readonly #socket: net.Socket;
  readonly #epoch: number;
  readonly #take: Accept;
  #input: Buffer = Buffer.alloc(0);
  #recipients: string[] = [];
  #inMessage = false;
  #over = false;

  constructor(socket: net.Socket, epoch: number, accept: Accept) {
    this.#socket = socket;
    this.#epoch = epoch;
    this.#take = accept;
    socket.write("220 sink.test ESMTP\r\n");
    socket.on("data", (chunk) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      while (!this.#over && (this.#inMessage ? this.#message() : this.#line()));
    });
  }

  /** Answers the next command. False: there is none yet. */
  #line(): boolean {
    const end = this.#input.indexOf("\r\n");
    if (end < 0) return false;
    const line = this.#input.toString("utf8", 0, end);
    this.#input = this.#input.subarray(end + 2);
    const [verb = ""] = line.toUpperCase().split(/[ :]/);
    if (verb === "RCPT") this.#recipients.push(/<([^>]*)>/.exec(line)?.[1] ?? "");
    if (verb === "MAIL" || verb === "RSET") this.#recipients = [];
    if (verb === "DATA") this.#inMessage = true;
    this.#socket.write(`${replyTo(verb)}\r\n`);
    if (verb === "QUIT") this.#end();
    return true;
  }

  /** Takes the message once its end is there. It came after a DATA line, so an empty one has no CRLF of its own. */
  #message(): boolean {
    const end = this.#input.indexOf(DOT);
    if (end < 0) return false;
    const content = this.#input.subarray(0, end + 2);
    this.#input = this.#input.subarray(end + DOT.length);
    this.#inMessage = false;
    if (this.#take(content, this.#recipients.splice(0), this.#epoch)) this.#socket.write("250 2.0.0 Ok\r\n");
    else this.#end();
    return true;
  }

  #end(): void {
    this.#over = true;
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
