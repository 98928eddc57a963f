/** A client that sends random commands of SMTP and checks that each line has one well-formed reply. */
import type { SmtpClient } from "./smtp-client.ts";

/** The longest line of a command. */
const MAX_LINE = 4_096;

const BARE = /[\r\n\0]/;
/** SmtpClient removes the space of an empty reply, such as the 334 of AUTH PLAIN. */
const REPLY = /^(?:[2-5]\d\d-[\x20-\x7e]*\r\n)*[2-5]\d\d(?: [\x20-\x7e]*)?$/;
/** Replies after which the gateway closes the connection. */
const LAST =
  /^(?:221 |500 5\.5\.2 Lines must end in CRLF|554 5\.6\.0 The message contains a|421 (?:\d\.\d\.\d )?(?:Error: too many un|Too many refused commands|Error: Command line too long|HTTP requests not allowed|Too many failed logins))/;
/** Replies of faults: the Worker was reachable all the time. */
const FAULT = /^(?:451|421) |internal server error|undefined|\[object|(?:Type|Range)Error/;

/** Throws unless a reply has the form of one, and is not of a fault. */
export function checkReply(reply: string): void {
  if (!REPLY.test(reply) || (FAULT.test(reply) && !LAST.test(reply)))
    throw new Error(`no reply of SMTP: ${JSON.stringify(reply)}`);
}

export class SmtpFuzzSession {
  readonly #client: SmtpClient;
  readonly #caFile: string;
  #hasEnded = false;

  constructor(client: SmtpClient, caFile: string) {
    this.#client = client;
    this.#caFile = caFile;
  }

  /** True when the gateway has ended the connection. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends a text of lines, one after the other, and a message where the gateway asks for one. */
  async send(text: string): Promise<void> {
    for (let rest = text; rest !== "" && !this.#hasEnded; ) {
      const [line, behind] = cut(rest, "\r\n");
      this.#client.write(`${line}\r\n`);
      const reply = await this.#reply(line);
      rest = behind;
      if (reply.startsWith("354 ")) rest = await this.#sendMessage(behind);
      if (reply.startsWith("220 ")) await this.#startTls();
    }
  }

  /** Sends lines at once of which none asks for more than one reply. */
  async pipeline(lines: readonly string[]): Promise<void> {
    this.#client.write(lines.map((line) => `${line}\r\n`).join(""));
    // A line that cannot be read ends the connection before those that came with it have run.
    const issue = lines.find((line) => BARE.test(line) || line.length > MAX_LINE);
    for (const line of lines) if (!this.#hasEnded) await this.#reply(issue ?? line);
  }

  /** Sends STARTTLS and commands behind it at once, which must not run. */
  async inject(line: string): Promise<void> {
    this.#client.write(`STARTTLS\r\n${line}\r\n`);
    if (!(await this.#reply(line)).startsWith("220 ")) {
      // Refused, so that the line is a command.
      if (!this.#hasEnded && (await this.#reply(line)).startsWith("354 ")) await this.#sendMessage("");
      return;
    }
    if (this.#client.unread !== "") throw new Error(`a command behind STARTTLS has run: ${this.#client.unread}`);
    await this.#startTls();
  }

  async #startTls(): Promise<void> {
    try {
      await this.#client.startTls(this.#caFile);
    } catch {
      this.#client.end();
      this.#hasEnded = true;
    }
  }

  /** Sends a message up to its end, which is added if need be, and returns the text behind it. */
  async #sendMessage(text: string): Promise<string> {
    const lines = `\r\n${text}`;
    // A last line of a dot whose own end is missing is the end of the message.
    const [message, behind] = cut(lines.endsWith("\r\n.") ? `${lines}\r\n` : lines, "\r\n.\r\n");
    this.#client.write(`${message.slice(2)}${message === "" ? "" : "\r\n"}.\r\n`);
    await this.#reply(message);
    return behind;
  }

  /** Returns the reply to a line, or to a message. */
  async #reply(text: string): Promise<string> {
    const reply = await this.#client.reply();
    const mayEnd = BARE.test(text.replaceAll("\r\n", "")) || text.length > MAX_LINE;
    if (reply === "" && this.#client.unread === "" && mayEnd) {
      this.#hasEnded = true;
      return "";
    }
    checkReply(reply);
    if (!LAST.test(reply)) return reply;
    await this.#client.closed();
    if (this.#client.unread !== "") throw new Error(`a command behind the last reply has run: ${this.#client.unread}`);
    this.#hasEnded = true;
    return reply;
  }
}

function cut(text: string, end: string): [string, string] {
  const at = text.indexOf(end);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + end.length)];
}
