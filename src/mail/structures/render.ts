import { toBinaryString, utf8 } from "../../lib/bytes.ts";
import { plainStructure } from "./describe.ts";
import { messageOf } from "./find-part.ts";
import type { Envelope, EnvelopeAddress, Parameters, PartNode } from "./types.ts";

/** Characters of a quoted string. Longer texts are literals. */
const MAX_QUOTED = 1_000;

/** Returns a text as IMAP writes a string, one character for each byte: quoted, or as a literal where that is not possible. */
function toImapString(text: string): string {
  if (text.length <= MAX_QUOTED && /^[\x20-\x7e]*$/.test(text)) return `"${text.replace(/["\\]/g, "\\$&")}"`;
  // A literal must not have NUL either.
  const binary = toBinaryString(utf8(text.replaceAll("\0", " ")));
  return `{${binary.length}}\r\n${binary}`;
}

const nstring = (text: string | null | undefined) => (text === null || text === undefined ? "NIL" : toImapString(text));

/** Returns an envelope as FETCH writes it (RFC 3501 7.4.2), one character for each byte. */
export function renderEnvelope(envelope: Envelope): string {
  const { date, subject, from, sender, replyTo, to, cc, bcc, inReplyTo, messageId } = envelope;
  const people = [from, sender, replyTo, to, cc, bcc].map(renderAddresses);
  return `(${[nstring(date), nstring(subject), ...people, nstring(inReplyTo), nstring(messageId)].join(" ")})`;
}

function renderAddresses(addresses: readonly EnvelopeAddress[]): string {
  if (addresses.length === 0) return "NIL";
  return `(${addresses.map(([name, local, host]) => `(${nstring(name)} NIL ${nstring(local)} ${nstring(host)})`).join("")})`;
}

/** Returns a part as BODY writes it, or with its extensions as BODYSTRUCTURE does (RFC 3501 7.4.2). */
export function renderBody(node: PartNode, isExtended: boolean): string {
  if (node.type.startsWith("multipart/")) {
    const subtype = toImapString(node.type.slice(node.type.indexOf("/") + 1));
    const extension = isExtended ? ` ${renderParameters(node.parameters)} ${renderExtension(node)}` : "";
    return `(${partsOf(node)
      .map((part) => renderBody(part, isExtended))
      .join("")} ${subtype}${extension})`;
  }
  const extension = isExtended ? [nstring(node.md5), renderExtension(node)] : [];
  return `(${[...renderLeaf(node, isExtended), ...extension].join(" ")})`;
}

/** A multipart has parts in IMAP: one in which none was found has an empty text. */
const partsOf = ({ parts, body }: PartNode): readonly PartNode[] => parts ?? [plainStructure(body, body).root];

function renderLeaf(node: PartNode, isExtended: boolean): string[] {
  const [type = "text", subtype = "plain"] = node.type.split("/", 2);
  const fields = [
    toImapString(type),
    toImapString(subtype),
    renderParameters(node.parameters),
    nstring(node.id),
    nstring(node.description),
    toImapString(node.encoding ?? "7bit"),
    String(node.end - node.body),
  ];
  const message = messageOf(node);
  if (message) fields.push(renderEnvelope(message.envelope), renderBody(message.root, isExtended));
  return message || type === "text" ? [...fields, String(node.lines ?? 0)] : fields;
}

function renderParameters(parameters: Parameters): string {
  if (parameters.length === 0) return "NIL";
  return `(${parameters.map(([name, value]) => `${toImapString(name)} ${toImapString(value)}`).join(" ")})`;
}

function renderExtension({ disposition, language, location }: PartNode): string {
  const how = disposition ? `(${toImapString(disposition.type)} ${renderParameters(disposition.parameters)})` : "NIL";
  const tags = language ? `(${language.map(toImapString).join(" ")})` : "NIL";
  return `${how} ${tags} ${nstring(location)}`;
}
