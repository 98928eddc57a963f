/** An address as ENVELOPE has it: name, local part and host. Without a host: the beginning of a group, or with nothing its end. */
export type EnvelopeAddress = readonly [name: string | null, local: string | null, host: string | null];

/** The fields of a message that mail programs list (RFC 3501 7.4.2). Values are unfolded; encoded words are not decoded. */
export interface Envelope {
  date: string | null;
  subject: string | null;
  from: EnvelopeAddress[];
  sender: EnvelopeAddress[];
  replyTo: EnvelopeAddress[];
  to: EnvelopeAddress[];
  cc: EnvelopeAddress[];
  bcc: EnvelopeAddress[];
  inReplyTo: string | null;
  messageId: string | null;
}

/** Names and values. */
export type Parameters = readonly (readonly [string, string])[];

/** A part of a message: a multipart, a message or a leaf. Places are bytes of the stored message. */
export interface PartNode {
  /** In lower case, such as `text/plain`. */
  type: string;
  parameters: Parameters;
  /** First byte of its MIME header and of its body, and the byte after its body. */
  header: number;
  body: number;
  end: number;
  id?: string;
  description?: string;
  /** Content-Transfer-Encoding as it is written. */
  encoding?: string;
  md5?: string;
  disposition?: { type: string; parameters: Parameters };
  language?: string[];
  location?: string;
  /** Lines of the body, of a text and of a message. */
  lines?: number;
  /** Of a multipart: at least one. */
  parts?: PartNode[];
  message?: InnerMessage;
}

/** The message that a part is. */
export interface InnerMessage {
  envelope: Envelope;
  /** The byte after its header. */
  headerEnd: number;
  root: PartNode;
}

/** The tree of a message's parts, as it is stored. */
export interface MessageStructure {
  version: 1;
  envelope: Envelope;
  root: PartNode;
}
