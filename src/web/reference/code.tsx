import { raw } from "hono/html";
import { Code } from "../../http/ui/index.ts";
import { toColours } from "./colours.ts";

/** Code in colours. */
export const ColouredCode = ({ label, text }: { label: string; text: string }) => (
  <Code label={label} text={raw(toColours(text))} />
);

/** JSON as code. */
export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <ColouredCode label={label} text={JSON.stringify(value, null, 2)} />
);

/** Returns a text of the document with its parts between backticks as code. */
export const withCode = (text: string) =>
  text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));
