/** What a scripted SMTP server is told to do, and what it tells afterwards. Shared by the server (Node) and its client (workerd). */

/** What the server does when it is the turn of a command. Text: a reply; `\n` makes more lines, sent as they stand. */
export type Step =
  | string
  /** Close the connection, after `reply` if there is one. */
  | { drop: true; reply?: string }
  /** Say nothing, now or later, and keep the connection. */
  | { silent: true }
  /** Write these octets as they are (latin1): garbage, half lines, several replies. */
  | { raw: string };

/** Steps of one transaction; what is left out goes well. */
export interface TransactionScript {
  mail?: Step;
  /** By position of the RCPT command in the transaction. */
  rcpt?: readonly (Step | null)[];
  data?: Step;
  /** Once this many octets of the message have come, before the final dot. */
  during?: { octets: number; step: Step };
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
  /** Answers to the lines of AUTH, one after the other. Default: 334 as needed, then 235. */
  auth?: readonly Step[];
  rset?: Step;
  quit?: Step;
  /** One for each MAIL command the server gets, over all its connections. */
  transactions?: readonly TransactionScript[];
  /** Reply to RCPT by address, in every transaction: `{"full@x.test": "452 4.2.2 full"}`. */
  recipients?: { readonly [address: string]: Step };
  /** Cut what the server writes into pieces of these lengths, over and over, each its own TCP segment. */
  cuts?: readonly number[];
  /** Wait this long before each write: a far-away server. Milliseconds. */
  latencyMs?: number;
  /** Close without a reply after every nth final dot. The message counts as taken. */
  dropAfterDotEvery?: number;
  /** Forget what came in: only counters stay. For throughput. */
  countOnly?: boolean;
}

/** One thing that happened at the server, in order. */
export interface TranscriptEntry {
  /** Number of the connection, from 1. */
  connection: number;
  /** Number of the transaction (of the MAIL command), from 1; 0 before the first. */
  transaction: number;
  event: "open" | "command" | "message" | "secure" | "close";
  /** The command line; for a message its octets as they were, unstuffed, in base64. */
  text: string;
  /** True when the client wrote this command before the reply to the one before was written. */
  pipelined: boolean;
}

/** A message whose final dot came. */
export interface ReceivedMessage {
  connection: number;
  transaction: number;
  /** The MAIL and RCPT lines, as they came; the refused RCPTs are not here. */
  mail: string;
  rcpts: string[];
  raw: Uint8Array;
  /** The server answered the final dot with 2xx. */
  accepted: boolean;
}

export interface Counters {
  connections: number;
  /** Final dots answered with 2xx. */
  accepted: number;
  /** Messages whose final dot came. */
  messages: number;
  /** Chunks that came in over TCP: a rough count of the client's writes. */
  reads: number;
}
