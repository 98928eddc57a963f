/**
 * One SMTP conversation over one socket: commands go out in order, replies are matched to them in order (RFC 2920), each
 * under its deadline. Knows nothing of what the commands mean.
 */

import { Outgoing } from "./outgoing.ts";
import { type RawReply, ReplyParser, ReplySyntaxError } from "./replies.ts";
import { Watchdog } from "./watchdog.ts";

/** The conversation is over: why, and the reply that ended it, when there was one. */
export interface Broken {
  broken: true;
  reply: RawReply | null;
  reason: string;
}

/** What came back for a command. */
export type Answer = RawReply | Broken;

/** True when the conversation ended before the command was answered. */
export function isBroken(answer: Answer): answer is Broken {
  return "broken" in answer;
}

interface Awaited {
  resolve: (answer: Answer) => void;
  timeoutMs: number;
  /** Nothing is read after this reply: the octets that follow belong to TLS. */
  last: "last" | undefined;
}

/** After a failed write, how long the server's last words may take to come in. */
const LAST_WORDS_MS = 500;

export class Conversation {
  /** What is not yet written. */
  readonly outgoing = new Outgoing();
  readonly #socket: Socket;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #parser = new ReplyParser();
  readonly #watchdog = new Watchdog(() => this.end(this.#trouble ?? "the server did not answer in time"));
  readonly #awaited: Awaited[] = [];
  readonly #wakers = new Set<() => void>();
  #broken: Broken | null = null;
  #trouble: string | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.closed.catch(() => {});
    this.#reader = socket.readable.getReader();
    this.#writer = socket.writable.getWriter();
    this.#writer.closed.catch(() => {});
    void this.#pump();
  }

  /** Null while the conversation goes on. */
  get broken(): Broken | null {
    return this.#broken;
  }

  /** Gathers a command line (without CRLF) and waits for its reply. Never rejects. `flush` sends it. */
  command(line: string, timeoutMs: number, last?: "last"): Promise<Answer> {
    // The last door: whatever the guards before it let through, one call is one line.
    if (/[\r\n\0]/.test(line)) throw new TypeError("an SMTP command line holds CR, LF or NUL");
    if (this.#broken) return Promise.resolve(this.#broken);
    this.outgoing.text(`${line}\r\n`);
    return this.expect(timeoutMs, last);
  }

  /** Waits for one more reply, at most `timeoutMs` after those before it; `last`: nothing is read after it. Never rejects. */
  expect(timeoutMs: number, last?: "last"): Promise<Answer> {
    if (this.#broken) return Promise.resolve(this.#broken);
    return new Promise((resolve) => {
      this.#awaited.push({ resolve, timeoutMs, last });
      if (this.#awaited.length === 1) this.#watchdog.arm(timeoutMs);
    });
  }

  /** Gives a stretch of work in which no reply is due (the message itself) `ms` to go on. */
  allow(ms: number): void {
    if (!this.#broken && this.#awaited.length === 0) this.#watchdog.arm(ms);
  }

  /**
   * Writes what was gathered, handing it to the socket before it returns. Resolves when the socket took it or the
   * conversation is over; never rejects.
   */
  async flush(): Promise<void> {
    if (this.#broken || this.outgoing.length === 0) return;
    const bytes = this.outgoing.take();
    try {
      await this.untilBroken(this.#writer.write(bytes));
    } catch {
      // A server that says 421 and closes makes the write fail before its words are read.
      this.#trouble = "the connection broke while writing";
      if (!this.#broken) this.#watchdog.arm(LAST_WORDS_MS);
      await this.untilBroken(new Promise<void>(() => {}));
    }
  }

  /** Waits for `work`, but no longer than the conversation lasts; null when it ended first. Rejects as `work` does. */
  untilBroken<T>(work: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const wake = () => resolve(null);
      if (this.#broken) wake();
      else this.#wakers.add(wake);
      work.then(resolve, reject).finally(() => this.#wakers.delete(wake));
    });
  }

  /** Ends the conversation at once: whatever waits is told so, what is not written never will be. */
  end(reason: string, reply: RawReply | null = null): void {
    if (this.#broken) return;
    this.#broken = { broken: true, reply, reason };
    this.#watchdog.close();
    for (const awaited of this.#awaited.splice(0)) awaited.resolve(this.#broken);
    for (const wake of this.#wakers) wake();
    this.#wakers.clear();
    this.#socket.close().catch(() => {});
  }

  /**
   * Gives the socket back for the TLS handshake, after a reply that was expected as the last one. Null when octets came
   * behind that reply in clear: somebody put them there to be taken for the server's (CVE-2011-0411).
   */
  release(): Socket | null {
    this.#watchdog.close();
    if (this.#broken || this.#parser.pending) return null;
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    return this.#socket;
  }

  async #pump(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) return this.end("the server closed the connection");
        this.#parser.feed(value);
        if (this.#hand() === "stop") return;
      }
    } catch (error) {
      this.end(error instanceof ReplySyntaxError ? error.message : "the connection broke");
    }
  }

  /** Hands complete replies to those who wait for them. */
  #hand(): "stop" | "go-on" {
    for (let reply = this.#parser.next(); reply !== null; reply = this.#parser.next()) {
      const awaited = this.#awaited.shift();
      awaited?.resolve(reply);
      if (!awaited || reply.code === 421) {
        this.end(awaited ? "the server closed the conversation with 421" : "the server spoke unasked", reply);
        return "stop";
      }
      const next = this.#awaited[0];
      if (next) this.#watchdog.arm(next.timeoutMs);
      else this.#watchdog.disarm();
      if (awaited.last) return "stop";
    }
    return "go-on";
  }
}
