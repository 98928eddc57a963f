/**
 * The port between delivery and the service that sends mail to the outside. SMTP submission is its only adapter. A
 * result states what the server replied and in which phase; src/sending/delivery/record/outcome.ts decides what follows from it.
 */

/** One recipient of a transaction: the parameters of RCPT TO (RFC 5321 4.1.1.3, RFC 3461 4). */
export interface EnvelopeRecipient {
  /** Address with an ASCII or UTF-8 local part and a domain of A-labels or U-labels. */
  address: string;
  /** When to send a delivery status notification. Omitted: the parameter is not sent. */
  notify?: "NEVER" | readonly ("SUCCESS" | "FAILURE" | "DELAY")[];
  /** ORCPT: the address as the sender wrote it. Set when it differs, or when NOTIFY is sent. */
  originalRecipient?: string;
}

/** The envelope of one transaction (RFC 5321 2.3.1). */
export interface Envelope {
  /** Return path; empty for the null reverse-path. */
  mailFrom: string;
  recipients: readonly EnvelopeRecipient[];
  /** ENVID (RFC 3461 4.4): at most 100 characters. */
  envelopeId?: string;
  /** RET (RFC 3461 4.3). */
  return?: "FULL" | "HDRS";
}

/** A composed message: CRLF line ends, no dot-stuffing, final CRLF included. */
export interface OutgoingMessage {
  /** Exact bytes that `chunks` yields. */
  size: number;
  /** True when a header needs SMTPUTF8 (RFC 6531). The transport checks the envelope addresses itself. */
  needsSmtpUtf8: boolean;
  /** True when the body has octets above 127 (RFC 6152). */
  needs8BitMime: boolean;
  /** The message in pieces, when all of it is in memory. Then `chunks` is not called. */
  inMemory?: readonly Uint8Array[] | null;
  /** Yields the message from its first byte. May be called again for another attempt. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** One SMTP reply (RFC 5321 4.2), with its enhanced status code (RFC 3463) when it has one. */
export interface Reply {
  code: number;
  /** For instance `5.1.1`; null when the reply has none. */
  enhanced: string | null;
  /** The text of all lines, joined by a space, without the enhanced code and control characters; at most 512 characters. */
  text: string;
}

/** The phase of the SMTP session. */
export type Phase =
  | "connect"
  | "tls"
  | "greeting"
  | "ehlo"
  | "starttls"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "final-dot";

/** The result of one transaction for one recipient. */
export type RecipientResult =
  /** 2xx to RCPT and 2xx after the final dot. `dsnRequested`: the server offers DSN and NOTIFY=SUCCESS was sent. */
  | { kind: "accepted"; reply: Reply; dsnRequested: boolean }
  /** 5xx to this RCPT: only this recipient is refused. */
  | { kind: "recipient-refused"; phase: "rcpt"; reply: Reply }
  /** 5xx to MAIL, to DATA or after the final dot, or refused locally by the server's capabilities (SIZE, 8BITMIME, SMTPUTF8). */
  | { kind: "message-refused"; phase: "mail" | "data" | "final-dot"; reply: Reply }
  /** 4xx anywhere, a timeout, a broken connection, TLS or AUTH trouble: nothing was delivered to this recipient. */
  | { kind: "deferred"; phase: Phase; reply: Reply | null; reason: string }
  /** The final dot was sent and no reply came: the server may have accepted the message. */
  | { kind: "ambiguous"; phase: "final-dot"; reply: null; reason: string };

/** Results in the order of `envelope.recipients`. */
export interface TransactionResult {
  recipients: readonly RecipientResult[];
}

/** The extensions that the server offered in its last EHLO reply. */
export interface Capabilities {
  smtpUtf8: boolean;
  eightBitMime: boolean;
  dsn: boolean;
  pipelining: boolean;
  /** An egress of our own: it holds an email under the lease of its outbox row (docs/egress.md). */
  lease: boolean;
  /** Largest message in bytes; null when not limited. */
  maxSize: number | null;
}

/**
 * One open session. `send` never throws for a network error, a reply or an invalid address. It may be called again before it has resolved:
 * transactions run in order, pipelined where the server allows it, and each has its own result. After a disconnect, `deferred` in a phase
 * before `final-dot` means that the final dot was not written, so another connection may try at once.
 */
export interface Connection {
  readonly capabilities: Capabilities;
  /** False once the session has ended; a new one must be opened. */
  readonly usable: boolean;
  send(envelope: Envelope, message: OutgoingMessage): Promise<TransactionResult>;
  /** Sends QUIT if possible and closes the socket. Never throws. */
  close(): Promise<void>;
}

/** Signals that opening a session failed before MAIL FROM, so every recipient may be tried again. */
export class ConnectError extends Error {
  readonly phase: Phase;
  readonly reply: Reply | null;
  constructor(phase: Phase, reply: Reply | null, message: string) {
    super(message);
    this.name = "ConnectError";
    this.phase = phase;
    this.reply = reply;
  }
}

export interface Transport {
  /** Opens a session up to and including AUTH. Throws ConnectError. */
  open(): Promise<Connection>;
}
