/** The addresses of one message (RFC 5321 2.3.1). */
export interface Envelope {
  /** Empty for the null reverse-path. */
  from: string;
  to: string[];
  /** Parameters of MAIL and RCPT, as they came. */
  parameters: string[];
  source: string;
  isSecure: boolean;
}

/** A message that a receiver has accepted. */
export interface Received extends Envelope {
  receiver: string;
  /** Bytes as they came, with the dots that the client has added. */
  size: number;
  /** The header or all of it, as it was kept; null without either. */
  content: Buffer | null;
  /** In ms since 1970. */
  at: number;
}
