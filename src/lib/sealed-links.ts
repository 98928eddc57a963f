import { utf8 } from "./bytes.ts";
import type { RootKey } from "./derive-key.ts";
import { open, seal } from "./secret-box.ts";

/**
 * Links that sign in, in emails of the service. Stored emails can be read for a year, also by members of the workspace
 * that sends them, so the links are stored encrypted and put in when the message is composed.
 */
const PURPOSE = "link";
const SEALED = /\[sealed link ([0-9]+\.[A-Za-z0-9+/=]+\.[A-Za-z0-9+/=]+)\]/g;

/**
 * Encrypts every link of a text that begins with `base`, a URL without a final slash. A text that looks like an encrypted
 * link is changed: whoever can read a stored email could otherwise have its links opened in an email to himself.
 */
export async function sealLinks(roots: readonly RootKey[], text: string, base: string): Promise<string> {
  const links = [...new Set(text.match(/https?:\/\/[^\s<>"]+/g))].filter((link) => link.startsWith(`${base}/`));
  let sealed = text.replaceAll("[sealed link ", "[sealed-link ");
  for (const link of links)
    sealed = sealed.replaceAll(link, `[sealed link ${await seal(roots, PURPOSE, PURPOSE, utf8(link))}]`);
  return sealed;
}

/** Returns the text that `sealLinks` was given. Throws an Error when the master key of a link is missing. */
export async function openLinks(roots: readonly RootKey[], text: string): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(SEALED)) {
    const link = await open(roots, PURPOSE, PURPOSE, match[1] ?? "");
    parts.push(text.slice(end, match.index), new TextDecoder().decode(link));
    end = match.index + match[0].length;
  }
  return parts.join("") + text.slice(end);
}
