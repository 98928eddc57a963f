/** A mail program that sends random commands by the rules of their framing, and checks the form of each response. */
import type { ImapClient } from "../imap-client.ts";

/** A longer command may end the connection: the limit before login. And a longer line in IDLE must. */
const MAX_COMMAND = 4 * 1024;
const MAX_IDLE_LINE = 100;
/** A longer literal is begun, and then the connection is cut. */
const MAX_LITERAL = 100_000;

const LITERAL = /~?\{(\d{1,10})(\+?)\}$/;
/** RFC 3501 9: a tag is of ASTRING-CHAR without `+`. */
const TAG = /^[!#$&',-[\]-z|}~]+/;
const BARE = /[\r\n\0]/;
/** Folder names have bytes of UTF-8 once a client has enabled it. */
const CONTROL = /(?![\x80-\x9f])\p{Cc}/u;
const COMPLETION = /^(?:OK|NO|BAD) [\x20-\x7e]+$/;
const FETCH = /^\* \d+ FETCH \(.*\)$/s;
const UNTAGGED =
  /^\* (?:(?:OK|NO|BAD|BYE) .+|\d+ (?:EXISTS|RECENT|EXPUNGE)|(?:CAPABILITY|ENABLED|FLAGS|LIST|LSUB|STATUS|SEARCH|ESEARCH|NAMESPACE|QUOTA|QUOTAROOT|ID)(?: .*)?)$/;
/** The reasons for which the gateway ends a connection. */
const REASONS =
  /^\* BYE (?:A line must end in CRLF|The line is too long|The literal is too long|The message is too large$|APPEND takes one message$|Too many failed logins$|Goodbye$|The mailbox was (?:deleted|replaced))/;
/** Texts of faults: the Worker was reachable all the time. */
const FAULT = /UNAVAILABLE|undefined|\[object|(?:Type|Range)Error/;

/** Throws unless a line has the form of a response: untagged, a completion with any tag, or a question for more. */
export function checkResponse(line: string): void {
  if (!/^[^ ]+ (?:OK|NO|BAD) /.test(line) && !line.startsWith("+ ")) checkUntagged(line);
  if (FAULT.test(line) && !FETCH.test(line)) throw new Error(`the gateway has failed: ${JSON.stringify(line)}`);
}

function checkUntagged(line: string): void {
  const isWellFormed = FETCH.test(line) || (UNTAGGED.test(line) && !CONTROL.test(line));
  if (!isWellFormed || (line.startsWith("* BYE") && !REASONS.test(line)))
    throw new Error(`no response of IMAP: ${JSON.stringify(line)}`);
}

export class ImapFuzzSession {
  readonly #client: ImapClient;
  /** True: the command must or may end the connection, so that even the reason may be lost. */
  #mayEnd = false;
  /** True: the gateway has said that it will end the connection. The completion of the command may follow. */
  #isToldToEnd = false;
  #hasEnded = false;

  constructor(client: ImapClient) {
    this.#client = client;
  }

  /** True when the gateway has ended the connection. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends a text of commands, one after the other. Throws when one has no well-formed response. */
  async send(text: string): Promise<void> {
    for (let rest = text; rest !== "" && !this.#hasEnded; ) rest = await this.#runCommand(rest);
  }

  /** Sends lines that are commands without literals at once. */
  async pipeline(lines: readonly string[]): Promise<void> {
    this.#client.write(lines.map((line) => `${line}\r\n`).join(""));
    for (const line of lines) if (!this.#hasEnded) await this.#readCompletion(tagOf(line), "");
  }

  /** Sends a command and returns the text behind it. */
  async #runCommand(text: string): Promise<string> {
    let [line, rest] = cut(text);
    const tag = tagOf(line);
    let [isBroken, size] = [false, 0];
    for (;;) {
      isBroken ||= BARE.test(line);
      size += line.length;
      const [, length, plus] = LITERAL.exec(line) ?? [];
      const bytes = Number(length ?? 0);
      this.#mayEnd = isBroken || size + (plus === "+" ? bytes : 0) > MAX_COMMAND;
      this.#client.write(`${line}\r\n`);
      if (length === undefined) break;
      if (plus === "" && !(await this.#isAsked(tag))) return rest.slice(bytes);
      if (bytes > MAX_LITERAL) {
        await this.#cut();
        return "";
      }
      this.#client.write(rest.slice(0, bytes).padEnd(bytes, "x"));
      size += bytes;
      [line, rest] = cut(rest.slice(bytes));
    }
    const behind = await this.#readCompletion(tag, rest);
    if (isBroken && !this.#hasEnded) throw new Error("a command with a bare CR, LF or NUL has run");
    return behind;
  }

  /** Returns whether the gateway asks for a literal; it has refused the command otherwise. */
  async #isAsked(tag: string): Promise<boolean> {
    for (;;) {
      const line = await this.#line();
      if (line === "+ Continue") return true;
      if (line === null || this.#isCompletion(tag, line)) return false;
    }
  }

  /** Reads to the completion of a command, and answers what the gateway asks for. Returns the text that was not needed for that. */
  async #readCompletion(tag: string, text: string): Promise<string> {
    for (let rest = text; ; ) {
      const line = await this.#line();
      if (line === null) return "";
      if (line === "+ " || line === "+ idling") {
        const [answer, behind] = rest === "" ? [line === "+ " ? "*" : "DONE", ""] : cut(rest);
        rest = behind;
        const limit = line === "+ " ? MAX_COMMAND : MAX_IDLE_LINE;
        this.#mayEnd = BARE.test(answer) || answer.length > limit;
        const mustEnd = this.#mayEnd;
        this.#client.write(`${answer}\r\n`);
        if (!mustEnd) continue;
        for (let last = await this.#line(); last !== null; last = await this.#line())
          if (!last.startsWith("* ")) throw new Error(`a line that cannot be read got ${JSON.stringify(last)}`);
        return "";
      }
      if (!this.#isCompletion(tag, line)) continue;
      if (line.endsWith("Begin TLS now")) await this.#client.startTls();
      return rest;
    }
  }

  /** Returns whether a line completes the command with this tag. Throws when it is no response. */
  #isCompletion(tag: string, line: string): boolean {
    checkResponse(line);
    if (tag === "*" ? line.startsWith("* BAD ") : line.startsWith(`${tag} `)) {
      if (!COMPLETION.test(line.slice(tag.length + 1))) throw new Error(`no completion: ${JSON.stringify(line)}`);
      return true;
    }
    checkUntagged(line);
    return false;
  }

  /** Returns the next line; null when the gateway has ended the connection as it may. */
  async #line(): Promise<string | null> {
    try {
      const line = await this.#client.line();
      if (REASONS.test(line)) this.#isToldToEnd = true;
      return line;
    } catch (error) {
      if (!this.#mayEnd && !this.#isToldToEnd) throw error;
      this.#hasEnded = true;
      return null;
    }
  }

  /** Cuts the connection in the middle of a literal. */
  async #cut(): Promise<void> {
    this.#client.write("x".repeat(1_000));
    this.#client.halfClose();
    await this.#client.closed();
    this.#hasEnded = true;
  }
}

function cut(text: string): [string, string] {
  const end = text.indexOf("\r\n");
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 2)];
}

const tagOf = (line: string) => TAG.exec(line)?.[0] ?? "*";
