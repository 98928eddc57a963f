import type { Reply } from "../../../../src/mail/smtp/transport.ts";

/** Returns the reply of a line such as `421 4.7.0 slow down`. */
export function toReply(line: string): Reply {
  const [, code = "", enhanced = null, text = ""] = /^(\d{3}) (?:(\d\.\d{1,3}\.\d{1,3}) )?(.*)$/.exec(line) ?? [];
  return { code: Number(code), enhanced, text };
}
