import type { HeaderField } from "./headers.ts";

/** A mailbox of a header: address and display name in Unicode (RFC 5322 3.4, RFC 6532 3.2). */
export interface MailboxAddress {
  email: string;
  name?: string | null;
}

/** An attachment. The body is read twice, to hash it and to send it, so `open` must give the same bytes each time. */
export interface AttachmentSource {
  filename: string;
  contentType: string;
  /** Without angle brackets. With `inline` and an HTML body, the file goes into the same multipart/related (RFC 2387). */
  contentId?: string | null;
  disposition: "attachment" | "inline";
  /** Bytes before encoding. */
  size: number;
  open(): AsyncIterable<Uint8Array> | Promise<ReadableStream<Uint8Array>>;
}

/** The content of a message. It has no Bcc field, so Bcc recipients cannot reach the headers. */
export interface MessageInput {
  /** Letters, digits and hyphens, at most 50 characters (a UUID). Boundaries are derived from it. */
  id: string;
  /** With angle brackets. */
  messageId: string;
  date: Date;
  from: MailboxAddress;
  to: readonly MailboxAddress[];
  cc: readonly MailboxAddress[];
  replyTo?: MailboxAddress | null;
  subject: string;
  /** Custom headers, in order. A name may repeat. Names that only the service writes are refused. */
  headers: readonly (readonly [string, string])[];
  text?: string | null;
  html?: string | null;
  attachments: readonly AttachmentSource[];
}

/** The SMTP extensions of the next hop that affect composition. */
export interface SmtpExtensions {
  smtpUtf8: boolean;
  eightBitMime: boolean;
}

/** A composed message, not signed yet. */
export interface ComposedMessage {
  /** In the order they are sent, without the empty line. */
  readonly headers: readonly HeaderField[];
  /** True when a header contains octets above 127 (RFC 6531). */
  readonly needsSmtpUtf8: boolean;
  /** True when the body contains octets above 127 (RFC 6152). */
  readonly needs8BitMime: boolean;
  /** Exact number of bytes that `body` yields. */
  readonly bodySize: number;
  /**
   * Yields the body with CRLF line ends and without dot-stuffing. Every call yields the same bytes. With `reuseBuffer`,
   * a chunk is valid only until the next one is requested, which saves memory. Throws ComposeError `attachment_changed`.
   */
  body(reuseBuffer?: boolean): AsyncIterable<Uint8Array>;
  /** The bytes of `body` when it is small and has no attachment; else null. Saves the promises of a small message. */
  readonly bodyInMemory: Uint8Array | null;
}
