/** The script and the records of a scripted SMTP server. Shared by the server (Node) and its client (workerd). */

/** The server's reaction to a command. A string is a reply; `\n` separates its lines. */
export type Step =
  | string
  /** Close the connection, after `reply` if there is one. */
  | { drop: true; reply?: string }
  /** Send nothing, now or later, and keep the connection open. */
  | { silent: true }
  /** Write these bytes unchanged (Latin-1): malformed lines, partial lines, several replies. */
  | { raw: string };

/** Steps of one transaction; a missing step succeeds. */
export interface TransactionScript {
  mail?: Step;
  /** By position of the RCPT command in the transaction. */
  rcpt?: readonly (Step | null)[];
  data?: Step;
  /** After this many bytes of the message, before the final dot. */
  during?: { bytes: number; step: Step };
  /** In reply to the final dot. */
  dot?: Step;
}

export interface Script {
  greeting?: Step;
  /** EHLO keywords. Default: PIPELINING, SIZE, 8BITMIME, SMTPUTF8, ENHANCEDSTATUSCODES, DSN. */
  capabilities?: readonly string[];
  /** EHLO keywords once TLS is on. Default: the same without STARTTLS. */
  capabilitiesAfterTls?: readonly string[];
  ehlo?: Step;
  helo?: Step;
  /** In reply to STARTTLS; a reply that begins with 220 is followed by the TLS handshake. */
  starttls?: Step;
  /** Replies to the lines of AUTH, in order. Default: 334 as needed, then 235. */
  auth?: readonly Step[];
  rset?: Step;
  quit?: Step;
  /** One for each MAIL command, over all connections. */
  transactions?: readonly TransactionScript[];
  /** Reply to RCPT by address, in every transaction: `{"full@x.test": "452 4.2.2 full"}`. */
  recipients?: { readonly [address: string]: Step };
  /** Lengths of the TCP segments that the server writes, repeated. */
  segmentLengths?: readonly number[];
  /** Delay before each write, in milliseconds. */
  latencyMs?: number;
  /** Close without a reply after every nth final dot. The message counts as received. */
  dropAfterDotEvery?: number;
  /** Keep only counters, no messages: for throughput tests. */
  countOnly?: boolean;
}

/** One event at the server. */
export interface TranscriptEntry {
  /** Number of the connection, from 1. */
  connection: number;
  /** Number of the transaction (of the MAIL command), from 1; 0 before the first. */
  transaction: number;
  event: "open" | "command" | "message" | "secure" | "close";
  /** The command line; for a message its unstuffed bytes in base64. */
  text: string;
  /** True when the client wrote this command before the previous reply. */
  pipelined: boolean;
}

/** A message received up to its final dot. */
export interface ReceivedMessage {
  connection: number;
  transaction: number;
  /** The MAIL line and the accepted RCPT lines. */
  mail: string;
  rcpts: string[];
  raw: Uint8Array;
  /** The server replied 2xx to the final dot. */
  accepted: boolean;
}

export interface Counters {
  connections: number;
  /** Final dots with a 2xx reply. */
  accepted: number;
  /** Messages received up to their final dot. */
  messages: number;
  /** Chunks received over TCP: approximately the client's writes. */
  chunks: number;
}
