import type { Reply } from "../../src/mail/smtp/transport.ts";

/** Returns a reply on one line, as the rules of receivers test it: code, enhanced code and text. */
export function toLine({ code, enhanced, text }: Reply): string {
  return [code, enhanced, text].filter((part) => part !== null && part !== "").join(" ");
}
