/** One SMTP session over one socket: writes commands and matches replies to them in order (RFC 2920), each under its own timeout. */

import { type RawReply, ReplyParser, ReplySyntaxError } from "./replies.ts";
import type { SmtpSocket, SocketReader, SocketWriter } from "./socket.ts";
import { Watchdog } from "./watchdog.ts";
import { WriteBuffer } from "./write-buffer.ts";

/** The end of a session: the reason, and the reply that ended it if there was one. */
export interface Disconnect {
  disconnected: true;
  reply: RawReply | null;
  reason: string;
}

/** The reply to a command, or the disconnect that came before it. */
export type CommandResult = RawReply | Disconnect;

/** Returns whether the session ended before the server replied to the command. */
export const isDisconnect = (result: CommandResult): result is Disconnect => "disconnected" in result;

interface PendingReply {
  resolve: (result: CommandResult) => void;
  timeoutMs: number;
  /** Stop reading after this reply: the bytes after it belong to TLS. */
  last: "last" | undefined;
}

/** After a failed write, the time in which a final reply such as 421 may still be read. */
const FINAL_REPLY_MS = 500;

export class SmtpSession {
  /** Bytes that are not written yet. */
  readonly buffer = new WriteBuffer();
  readonly #socket: SmtpSocket;
  readonly #reader: SocketReader;
  readonly #writer: SocketWriter;
  readonly #parser = new ReplyParser();
  readonly #watchdog = new Watchdog(() => this.close(this.#writeError ?? "the server did not reply in time"));
  readonly #limit = new Watchdog(() => this.close("the transaction took too long"));
  readonly #pending: PendingReply[] = [];
  readonly #onDisconnect = new Set<() => void>();
  #disconnect: Disconnect | null = null;
  #writeError: string | null = null;

  constructor(socket: SmtpSocket) {
    this.#socket = socket;
    socket.closed.catch(() => {});
    this.#reader = socket.readable.getReader();
    this.#writer = socket.writable.getWriter();
    this.#writer.closed.catch(() => {});
    void this.#readReplies();
  }

  /** How the session ended; null while it is open. */
  get disconnect(): Disconnect | null {
    return this.#disconnect;
  }

  /**
   * Buffers a command line (without CRLF) and returns its reply; `flush` sends it. `timeoutMs` counts from the reply
   * before. Never rejects. Throws TypeError for a line with CR, LF or NUL.
   */
  command(line: string, timeoutMs: number, last?: "last"): Promise<CommandResult> {
    // Defence in depth: planTransaction has already refused such values.
    if (/[\r\n\0]/.test(line)) throw new TypeError("an SMTP command line contains CR, LF or NUL");
    if (this.#disconnect) return Promise.resolve(this.#disconnect);
    this.buffer.appendText(`${line}\r\n`);
    return this.awaitReply(timeoutMs, last);
  }

  /** Writes a command line, with what is buffered, and returns its reply. As `command`. */
  send(line: string, timeoutMs: number, last?: "last"): Promise<CommandResult> {
    const result = this.command(line, timeoutMs, last);
    void this.flush();
    return result;
  }

  /** Returns one more reply, at most `timeoutMs` after the replies before it. With `last`, reading stops after it. Never rejects. */
  awaitReply(timeoutMs: number, last?: "last"): Promise<CommandResult> {
    if (this.#disconnect) return Promise.resolve(this.#disconnect);
    return new Promise((resolve) => {
      this.#pending.push({ resolve, timeoutMs, last });
      if (this.#pending.length === 1) this.#watchdog.arm(timeoutMs);
    });
  }

  /** Sets the timeout to `ms` from now while no reply is pending, as during the message itself. */
  extendDeadline(ms: number): void {
    if (!this.#disconnect && this.#pending.length === 0) this.#watchdog.arm(ms);
  }

  /** Ends the session after `ms`, however it replies meanwhile; null: no more. */
  limit(ms: number | null): void {
    if (ms === null) this.#limit.disarm();
    else if (!this.#disconnect) this.#limit.arm(ms);
  }

  /** Writes the buffer; the socket has the bytes before this returns. Resolves at the end of the write or of the session; never rejects. */
  async flush(): Promise<void> {
    if (this.#disconnect || this.buffer.length === 0) return;
    const bytes = this.buffer.take();
    try {
      await this.untilDisconnect(this.#writer.write(bytes));
    } catch {
      // A server that sends 421 and closes makes the write fail before the 421 is read.
      this.#writeError = "the connection broke during a write";
      if (!this.#disconnect) this.#watchdog.arm(FINAL_REPLY_MS);
      await this.untilDisconnect(new Promise<void>(() => {}));
    }
  }

  /** Waits for `work`; resolves to null when the session ends first. Rejects as `work` does. */
  untilDisconnect<T>(work: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const wake = () => resolve(null);
      if (this.#disconnect) wake();
      else this.#onDisconnect.add(wake);
      work.then(resolve, reject).finally(() => this.#onDisconnect.delete(wake));
    });
  }

  /** Ends the session: resolves every pending reply with the disconnect, drops the buffer, closes the socket. */
  close(reason: string, reply: RawReply | null = null): void {
    if (this.#disconnect) return;
    this.#disconnect = { disconnected: true, reply, reason };
    this.#watchdog.close();
    this.#limit.close();
    for (const pending of this.#pending.splice(0)) pending.resolve(this.#disconnect);
    for (const wake of this.#onDisconnect) wake();
    this.#onDisconnect.clear();
    this.#socket.close().catch(() => {});
  }

  /**
   * Returns the socket for the TLS handshake, after a reply awaited with `last`. Returns null when more bytes followed
   * that reply in clear text: an attacker may have injected them to be read as the server's (CVE-2011-0411).
   */
  detachSocket(): SmtpSocket | null {
    this.#watchdog.close();
    if (this.#disconnect || this.#parser.pending) return null;
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    return this.#socket;
  }

  async #readReplies(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) return this.close("the server closed the connection");
        this.#parser.feed(value);
        if (this.#resolveReplies() === "stop") return;
      }
    } catch (error) {
      this.close(error instanceof ReplySyntaxError ? error.message : "the connection broke");
    }
  }

  /** Resolves pending replies with the complete replies read so far. */
  #resolveReplies(): "stop" | "continue" {
    for (let reply = this.#parser.next(); reply !== null; reply = this.#parser.next()) {
      const pending = this.#pending.shift();
      pending?.resolve(reply);
      if (!pending || reply.code === 421) {
        const reason = pending ? "the server closed the session with 421" : "the server sent a reply without a command";
        this.close(reason, reply);
        return "stop";
      }
      const next = this.#pending[0];
      if (next) this.#watchdog.arm(next.timeoutMs);
      else this.#watchdog.disarm();
      if (pending.last) return "stop";
    }
    return "continue";
  }
}
