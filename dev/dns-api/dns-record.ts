import type { DnsRecord } from "../dns/record.ts";
import type { Stored } from "./records.ts";

/** Returns what DNS answers for a record of a zone. */
export function toDnsRecord({ type, content, priority, ttl }: Stored, name: string): DnsRecord {
  // Cloudflare's "automatic" is five minutes.
  const head = { type, name, ttl: ttl === 1 ? 300 : ttl };
  if (type === "TXT") return { ...head, value: textOf(content) };
  return { ...head, value: content.toLowerCase(), ...(priority === undefined ? {} : { priority }) };
}

/** Returns the text of quoted strings (RFC 1035 5.1). Of its own, so that an error of the Worker's writer is seen. */
function textOf(content: string): string {
  let text = "";
  let isQuoted = false;
  for (let i = 0; i < content.length; i++) {
    const char = content.charAt(i);
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) text += char === "\\" ? content.charAt(++i) : char;
  }
  return content.startsWith('"') ? text : content;
}
