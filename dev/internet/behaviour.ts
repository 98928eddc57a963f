/** How a mail system of the local internet treats its clients. Every part that is set applies. */
export interface Behaviour {
  /** Defers a pair of sender and recipient until it comes again after this time. */
  greylist?: { seconds: number };
  /** Messages of one source address. */
  rate?: RateLimit;
  /** Most connections of one source address at a time. `isSilent`: a further one is closed without a reply. */
  connections?: { most: number; reply?: string; isSilent?: boolean };
  /** Most messages on a connection, which then closes. */
  messagesPerConnection?: Most;
  /** Most recipients of a message: further ones are deferred (RFC 5321 4.5.3.1.10). */
  recipientsPerMessage?: Most;
  /** Bytes of one source address in each such time, by the SIZE of MAIL. */
  volume?: VolumeLimit;
  /** Waits before it accepts a message. */
  storing?: { ms: number };
  /** Refuses source addresses; without `sources` all of them. */
  blocked?: { sources?: readonly string[]; at: "greeting" | "mail"; reply?: string };
  /** Takes no mail without STARTTLS. Without TLS it does not offer STARTTLS. */
  tls?: "required" | "offered" | "none";
  /** Waits before each reply. */
  slow?: { ms: number };
  /** Sends a greeting that never ends, one byte at a time. */
  tarpit?: { msPerByte: number };
  /** Closes the connection instead of the reply to each n-th message. */
  closesAfterDot?: { each: number };
}

export interface RateLimit {
  messagesPerMinute: number;
  /** Messages that may come at once after a time without any; by default those of two seconds, at least five. */
  burst?: number;
  /** The reply to a message above the rate; without it one in the words of Google. */
  reply?: string;
}

interface Most {
  most: number;
  /** The reply to what is above. */
  reply?: string;
}

export interface VolumeLimit {
  bytes: number;
  /** Length of a window; windows begin at multiples of it since 1970. */
  seconds: number;
  reply?: string;
}

/** A reply to RCPT, DATA or the final dot that the recipient's address causes. */
export interface AddressReply {
  phase: "rcpt" | "data" | "final-dot";
  /** Code, enhanced code and text. A line break makes it a reply of several lines. */
  reply: string;
}

/** A mail system: its domains, the hosts of their MX records, and the loopback address at which these are. */
export interface MailSystem {
  /** Key of its counters. */
  name: string;
  domains: readonly string[];
  /** Host names by preference, best first. Empty: mail goes to the domain itself (RFC 5321 5.1). */
  mx: readonly string[];
  address: string;
  behaviour: Behaviour;
}
