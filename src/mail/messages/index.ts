export { partsShownIn } from "./bodies.ts";
export { decodeWhole, newBodyDecoder } from "./body-decoder.ts";
export { type HeaderList, readHeader } from "./header.ts";
export { type HtmlHandler, readHtml } from "./html.ts";
export { decodeField, MessageParser, type ParsedMessage, parseChunks, parseMessage, readText } from "./parse.ts";
export type { MessagePart } from "./parts.ts";
export { bounds as messageBounds } from "./rules.ts";
export type { BodySink } from "./scan.ts";
export { htmlToText, joinTexts } from "./text.ts";
