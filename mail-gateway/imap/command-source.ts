import type { AppendCommand, Command } from "../../src/mail/imap/commands.ts";
import { type CommandPart, Cursor, ImapSyntaxError } from "../../src/mail/imap/cursor.ts";
import { readCommand, readTag } from "../../src/mail/imap/read-command.ts";
import type { Syntax } from "../../src/mail/imap/read-folder.ts";
import type { ByteQueue } from "./byte-queue.ts";

/** Bytes of a command before login and after it, its literals included. The message of APPEND is not counted. */
const MAX_COMMAND_BEFORE_LOGIN = 4 * 1024;
const MAX_COMMAND = 64 * 1024;

/** A command that arrived. `command` is an error when it cannot be read. */
export interface ReceivedCommand {
  tag: string;
  command: Command | Error;
  /** The message of APPEND. It must be read to its end. */
  message: IncomingMessage | null;
}

/** The message of APPEND, which is still to come. */
export interface IncomingMessage {
  size: number;
  /** True: the client sends it without being asked. */
  isSent: boolean;
  /** Asks for it if need be, and returns its bytes. Once. */
  read(): AsyncGenerator<Buffer>;
  /** Reads the rest of it and what follows: nothing, or the end of `UTF8 (`. Throws ImapSyntaxError, or UnreadableCommandError, for anything else. */
  end(): Promise<void>;
}

/** The connection, as far as the source of commands needs it. */
export interface CommandSourceOptions {
  bytes: ByteQueue;
  /** Asks the client to continue. */
  askToContinue(): void;
  isLoggedIn(): boolean;
  syntax: Syntax;
}

/** Signals a command of which the rest cannot be told from other commands, so that the connection must end. */
export class UnreadableCommandError extends Error {
  override name = "UnreadableCommandError";
}

/** A larger message that is sent without being asked for is not read to its end: the connection ends. */
const MAX_DISCARDED = 128 * 1024 * 1024;
/** Parts of APPEND before its message: a folder name and a date may be literals. */
const MAX_APPEND_PARTS = 5;

const LITERAL = /~?\{(\d{1,10})(\+?)\}$/;

/** Reads commands of a client with their literals (RFC 3501 2.2.1, RFC 7888). */
export class CommandSource {
  readonly #options: CommandSourceOptions;

  constructor(options: CommandSourceOptions) {
    this.#options = options;
  }

  /** Returns the next command. Throws LineError, UnreadableCommandError and ClosedError, after which the connection must end. */
  async next(): Promise<ReceivedCommand> {
    const parts: CommandPart[] = [];
    let left = this.#options.isLoggedIn() ? MAX_COMMAND : MAX_COMMAND_BEFORE_LOGIN;
    for (;;) {
      const line = await this.#options.bytes.readLine(left);
      left -= line.length;
      const [marker, length, plus] = LITERAL.exec(line) ?? [];
      if (marker === undefined) {
        parts.push(line);
        return this.#toCommand(parts);
      }
      parts.push(line.slice(0, -marker.length));
      const literal = { size: Number(length), isSent: plus === "+" };
      const append = this.#options.isLoggedIn() ? this.#readAppend(parts) : null;
      if (append && literal.isSent && literal.size > MAX_DISCARDED)
        throw new UnreadableCommandError("The message is too large");
      if (append) return { ...append, message: this.#toMessage(literal) };
      if (literal.size > left) return this.#refuseLiteral(parts, literal);
      left -= literal.size;
      if (!literal.isSent) this.#options.askToContinue();
      parts.push(await collect(this.#options.bytes.read(literal.size), literal.size));
    }
  }

  #toCommand(parts: readonly CommandPart[]): ReceivedCommand {
    const cursor = new Cursor(parts, this.#options.syntax.allowsUtf8);
    const tag = readTagOf(cursor);
    try {
      const command = readCommand(cursor, this.#options.syntax);
      if (command.name === "APPEND") throw new ImapSyntaxError("The message of APPEND must be a literal");
      return {
        tag: tag ?? "*",
        command: tag === null ? new ImapSyntaxError("Expected a tag") : command,
        message: null,
      };
    } catch (error) {
      return { tag: tag ?? "*", command: error as Error, message: null };
    }
  }

  /** Returns the APPEND that these parts are before their last literal, which is its message. Null: they are something else. */
  #readAppend(parts: readonly CommandPart[]): { tag: string; command: AppendCommand } | null {
    const [start] = parts;
    if (parts.length > MAX_APPEND_PARTS || typeof start !== "string" || !/^[^ ]+ APPEND /i.test(start)) return null;
    const cursor = new Cursor(parts, this.#options.syntax.allowsUtf8);
    const tag = readTagOf(cursor);
    if (tag === null) return null;
    try {
      const command = readCommand(cursor, this.#options.syntax);
      return command.name === "APPEND" ? { tag, command } : null;
    } catch {
      return null;
    }
  }

  #toMessage({ size, isSent }: { size: number; isSent: boolean }): IncomingMessage {
    const { bytes, askToContinue, syntax } = this.#options;
    // Bytes that the client sends and that were not read.
    let left = isSent ? size : 0;
    let isAsked = isSent;
    return {
      size,
      isSent,
      async *read() {
        if (!isSent) askToContinue();
        [left, isAsked] = [size, true];
        for await (const chunk of bytes.read(size)) {
          left -= chunk.length;
          yield chunk;
        }
      },
      async end() {
        if (!isAsked) return;
        // The rest is no command.
        for await (const _ of bytes.read(left));
        const rest = await bytes.readLine(MAX_COMMAND);
        const [, , plus] = LITERAL.exec(rest) ?? [];
        if (plus === "+") throw new UnreadableCommandError("APPEND takes one message");
        if (rest !== "" && !(rest === ")" && syntax.allowsUtf8)) throw new ImapSyntaxError("APPEND takes one message");
      },
    };
  }

  /** A client that is not asked for a literal sends its next command; one that sends it without being asked cannot be stopped. */
  #refuseLiteral(parts: readonly CommandPart[], { isSent }: { isSent: boolean }): ReceivedCommand {
    if (isSent) throw new UnreadableCommandError("The literal is too long");
    const tag = readTagOf(new Cursor(parts));
    return { tag: tag ?? "*", command: new ImapSyntaxError("The literal is too long"), message: null };
  }
}

function readTagOf(cursor: Cursor): string | null {
  try {
    return readTag(cursor);
  } catch {
    return null;
  }
}

async function collect(chunks: AsyncIterable<Buffer>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
