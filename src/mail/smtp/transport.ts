/**
 * The port between delivery and whatever takes mail out of the house. Today one adapter exists, SMTP
 * submission (smtp/). An outcome says what the other side answered and at which point, never what we
 * should do about it: that is outcome.ts.
 */

/** One recipient of a transaction, as it goes into RCPT TO (RFC 5321 4.1.1.3, RFC 3461 4). */
export interface EnvelopeRecipient {
  /** Address with an ASCII or UTF-8 local part; the domain in A-label or U-label form. */
  address: string;
  /** When to send a delivery status notification. Omitted: the parameter is not sent. */
  notify?: "NEVER" | readonly ("SUCCESS" | "FAILURE" | "DELAY")[];
  /** ORCPT: the address as the sender wrote it, when it differs or when NOTIFY is sent. */
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

/** A finished message: CRLF line ends, no dot-stuffing, final CRLF included. */
export interface OutgoingMessage {
  /** Exact octets that `chunks` yields. */
  size: number;
  /** True when a header needs SMTPUTF8 (RFC 6531). What envelope addresses need, the transport sees for itself. */
  needsSmtpUtf8: boolean;
  /** True when the body has octets above 127 (RFC 6152). */
  needs8BitMime: boolean;
  /** Yields the message from its first octet. May be called again for another try. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** One SMTP reply (RFC 5321 4.2), with its enhanced status code (RFC 3463) when it has one. */
export interface Reply {
  code: number;
  /** For instance `5.1.1`; null when the reply carries none. */
  enhanced: string | null;
  /** The text of all lines, joined by a space, enhanced code taken off, control characters replaced, at most 512 characters. */
  text: string;
}

/** Where in the conversation something happened. */
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

/** What became of one recipient in one transaction. */
export type RecipientResult =
  /** 2xx to RCPT and 2xx after the final dot. `dsnRequested`: the server offers DSN and took our NOTIFY=SUCCESS. */
  | { kind: "accepted"; reply: Reply; dsnRequested: boolean }
  /** 5xx to this RCPT: the recipient is refused, the others are not. */
  | { kind: "recipient-refused"; phase: "rcpt"; reply: Reply }
  /** 5xx to MAIL, to DATA or after the final dot, or refused here because the server's limits forbid it (SIZE, 8BITMIME, SMTPUTF8). */
  | { kind: "message-refused"; phase: "mail" | "data" | "final-dot"; reply: Reply }
  /** 4xx anywhere, a timeout, a broken connection, TLS or AUTH trouble: nothing was delivered to this recipient. */
  | { kind: "deferred"; phase: Phase; reply: Reply | null; reason: string }
  /** The final dot went out and no reply came: the mail may or may not have been taken. */
  | { kind: "ambiguous"; phase: "final-dot"; reply: null; reason: string };

/** Results in the order of `envelope.recipients`. */
export interface TransactionResult {
  recipients: readonly RecipientResult[];
}

/** What the other side said it can do after the last EHLO. */
export interface Capabilities {
  smtpUtf8: boolean;
  eightBitMime: boolean;
  dsn: boolean;
  pipelining: boolean;
  /** Greatest message in octets; null when not limited. */
  maxSize: number | null;
}

/**
 * One open conversation. `send` never throws for what the network, the server or a bad address does. It may be called
 * again before the last call has resolved: transactions go out in order, the next one's envelope behind the last one's
 * final dot where the server allows it, and each keeps its own outcome. After a break, `deferred` in a phase before
 * `final-dot` means that the final dot was never written: another connection may try at once.
 */
export interface Connection {
  readonly capabilities: Capabilities;
  /** False once the conversation has ended; a new one must be opened. */
  readonly usable: boolean;
  send(envelope: Envelope, message: OutgoingMessage): Promise<TransactionResult>;
  /** QUIT when possible, and release the socket. Never throws. */
  close(): Promise<void>;
}

/** Opening failed: nothing was sent; every recipient of every mail may be tried again. */
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
  /** Opens a conversation up to and including AUTH. Throws ConnectError. */
  open(): Promise<Connection>;
}
