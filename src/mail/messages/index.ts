export { type BodyDecoder, newBodyDecoder } from "./body-decoder.ts";
export { readHeader } from "./header.ts";
export { type HtmlHandler, readHtml } from "./html.ts";
export {
  decodeField,
  type MailAddress,
  MessageParser,
  type ParsedMessage,
  parseChunks,
  parseMessage,
  readText,
} from "./parse.ts";
export type { MessagePart } from "./parts.ts";
export { bounds as messageBounds } from "./rules.ts";
export type { BodySink } from "./scan.ts";
export { decodeText, htmlToText } from "./text.ts";
