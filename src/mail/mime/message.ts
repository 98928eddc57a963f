import type { HeaderField } from "./headers.ts";

/** A mailbox in a header: addr-spec and display name, both as people write them (RFC 5322 3.4, RFC 6532 3.2). */
export interface MailboxAddress {
  email: string;
  name?: string | null;
}

/** A file to send along. It is read once per pass, so `open` is called twice and must give the same octets each time. */
export interface AttachmentSource {
  filename: string;
  contentType: string;
  /** Without angle brackets. Together with `inline` and an HTML text it puts the file beside the HTML (RFC 2387). */
  contentId?: string | null;
  disposition: "attachment" | "inline";
  /** Octets before encoding. */
  size: number;
  open(): AsyncIterable<Uint8Array> | Promise<ReadableStream<Uint8Array>>;
}

/** Everything a message is made of. There is no place for Bcc. */
export interface MessageInput {
  /** Letters, digits and hyphens, at most 50 characters (a UUID). Boundaries derive from it. */
  id: string;
  /** With angle brackets. */
  messageId: string;
  date: Date;
  from: MailboxAddress;
  to: readonly MailboxAddress[];
  cc: readonly MailboxAddress[];
  replyTo?: MailboxAddress | null;
  subject: string;
  /** Further headers, in order; a name may repeat. Names the service owns are refused. */
  headers: readonly (readonly [string, string])[];
  text?: string | null;
  html?: string | null;
  attachments: readonly AttachmentSource[];
}

/** What the next hop offered after EHLO, as far as composition cares. */
export interface SmtpExtensions {
  smtpUtf8: boolean;
  eightBitMime: boolean;
}

/** A message before signing. */
export interface ComposedMessage {
  /** In the order they go out, without the blank line. */
  readonly headers: readonly HeaderField[];
  /** True when a header holds octets above 127 (RFC 6531). */
  readonly needsSmtpUtf8: boolean;
  /** True when the body holds octets above 127 (RFC 6152). */
  readonly needs8BitMime: boolean;
  /** Exact octets that `body` yields. */
  readonly bodySize: number;
  /**
   * Yields the body, CRLF line ends, no dot-stuffing. Every call yields the same octets. When `reuseBuffer`, a chunk is
   * valid only until the next one is asked for, which spares memory. Throws ComposeError `attachment_changed`.
   */
  body(reuseBuffer?: boolean): AsyncIterable<Uint8Array>;
}
