import { Fields } from "../texts/fields.ts";
import { listParameters } from "../texts/parameters.ts";
import { readAddresses } from "./addresses.ts";
import type { Envelope, MessageStructure, Parameters, PartNode } from "./types.ts";

/** Characters of all texts of a structure. What is beyond is left out, so that a record stays small. */
const MAX_CHARACTERS = 200_000;
/** Parts of a structure. */
const MAX_PARTS = 1_000;
const MAX_PARAMETERS = 20;

/** The room that is left for the structure of a message. Its inner messages share it. */
export class StructureBudget {
  #characters = MAX_CHARACTERS;
  #parts = MAX_PARTS;

  /** Takes a part. Returns false when there are too many. */
  takePart(): boolean {
    this.#parts -= 1;
    return this.#parts >= 0;
  }

  /** Takes texts, all or none of them. */
  takeTexts<Value>(value: Value, characters: number): Value | undefined {
    if (characters > this.#characters) return undefined;
    this.#characters -= characters;
    return value;
  }
}

/** The place of a part. */
export interface PartStart {
  header: number;
  body: number;
}

/** Returns the node of a part from its header. `fallback` is its type without a Content-Type. Its end is set when it is known. */
export function describeNode(fields: Fields, fallback: string, start: PartStart, budget: StructureBudget): PartNode {
  const text = (name: string) => {
    const value = fields.get(name);
    return value === null || value === "" ? undefined : budget.takeTexts(value, value.length);
  };
  const content = text("content-type");
  const { type: written, parameters } = readValue(content ?? fallback);
  const isMediaType = /^[!#$&+.^_a-z0-9-]{1,127}\/[!#$&+.^_a-z0-9-]{1,127}$/i.test(written);
  const type = isMediaType ? written.toLowerCase() : fallback;
  const disposition = text("content-disposition");
  const languages = text("content-language")
    ?.split(",")
    .map((tag) => tag.trim());
  return {
    type,
    parameters: withCharset(type, parameters),
    ...start,
    end: start.body,
    ...given("id", text("content-id")),
    ...given("description", text("content-description")),
    ...given("encoding", text("content-transfer-encoding")?.trim()),
    ...given("md5", text("content-md5")),
    ...given("disposition", disposition === undefined ? undefined : readValue(disposition)),
    ...given("language", languages),
    ...given("location", text("content-location")),
  };
}

/** Returns the structure of a message of which only the sizes are known. */
export function plainStructure(headerSize: number, size: number): MessageStructure {
  const [fields, budget] = [new Fields(), new StructureBudget()];
  const root = describeNode(fields, "text/plain", { header: 0, body: headerSize }, budget);
  return { version: 1, envelope: describeEnvelope(fields, budget), root: { ...root, end: size, lines: 0 } };
}

/** A text without a charset is in US-ASCII (RFC 2045 5.2). */
function withCharset(type: string, parameters: Parameters): Parameters {
  if (!type.startsWith("text/") || parameters.some(([name]) => name.toLowerCase() === "charset")) return parameters;
  return [...parameters, ["charset", "us-ascii"]];
}

const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };

/** Reads a value with parameters. Pieces of RFC 2231 stay as they are. */
function readValue(text: string): { type: string; parameters: Parameters } {
  const [type = ""] = /^[^;\s]*/.exec(text.trimStart()) ?? [];
  return { type, parameters: listParameters(text).slice(0, MAX_PARAMETERS) };
}

/** Returns the envelope of a header. Sender and Reply-To are those of From where they are missing (RFC 3501 7.4.2). */
export function describeEnvelope(fields: Fields, budget: StructureBudget): Envelope {
  const text = (name: string) => {
    const value = fields.get(name);
    return value === null ? null : (budget.takeTexts(value, value.length) ?? null);
  };
  const addresses = (name: string) => {
    const values = fields.all(name);
    const characters = values.reduce((sum, value) => sum + value.length, 0);
    return (budget.takeTexts(values, characters) ?? []).flatMap(readAddresses);
  };
  const from = addresses("from");
  const orFrom = (name: string) => {
    const found = addresses(name);
    return found.length > 0 ? found : from;
  };
  return {
    date: text("date"),
    subject: text("subject"),
    from,
    sender: orFrom("sender"),
    replyTo: orFrom("reply-to"),
    to: addresses("to"),
    cc: addresses("cc"),
    bcc: addresses("bcc"),
    inReplyTo: text("in-reply-to"),
    messageId: text("message-id"),
  };
}
