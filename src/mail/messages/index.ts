export { type BodyDecoder, newBodyDecoder } from "./body-decoder.ts";
export { readHeader } from "./header.ts";
export { type HtmlHandler, readHtml } from "./html.ts";
export {
  decodeField,
  type MailAddress,
  type MessagePart,
  type ParsedMessage,
  parseMessage,
  readText,
} from "./parse.ts";
export { bounds as messageBounds } from "./rules.ts";
export { decodeText, htmlToText } from "./text.ts";
