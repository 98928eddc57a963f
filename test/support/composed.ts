import { binaryStringToBytes } from "../../src/lib/bytes.ts";

/** Composes valid messages in tests and reads the results. */

import { compose } from "../../src/mail/mime/compose.ts";
import { ComposeError } from "../../src/mail/mime/errors.ts";
import type { ComposedMessage, MessageInput } from "../../src/mail/mime/message.ts";
import { inChunks } from "../host/support/hostile-mail.ts";
import { collect, readWithPostalMime } from "../host/support/read-back.ts";

export const ALL_EXTENSIONS = { smtpUtf8: true, eightBitMime: true };
export const NO_EXTENSIONS = { smtpUtf8: false, eightBitMime: false };
export const decoder = new TextDecoder();

export function aMail(over: Partial<MessageInput> = {}): MessageInput {
  return {
    id: "01989a3e-5c1f-7000-8000-000000000001",
    messageId: "<01989a3e@x.test>",
    date: new Date("2026-11-21T01:43:05Z"),
    from: { email: "ann@x.test" },
    to: [{ email: "bob@y.test" }],
    cc: [],
    subject: "Hello",
    headers: [],
    text: "Hi",
    attachments: [],
    ...over,
  };
}

export function aFile(over: Partial<MessageInput["attachments"][number]> = {}, bytes = Uint8Array.of(1, 2, 3)) {
  const file = { filename: "a.bin", contentType: "image/png", disposition: "attachment" as const, size: bytes.length };
  return { ...file, open: () => inChunks(bytes, 100), ...over };
}

export async function messageBytes(composed: ComposedMessage): Promise<Uint8Array> {
  const head = binaryStringToBytes(`${composed.headers.map((h) => h.raw).join("")}\r\n`);
  const body = await collect(composed.body());
  const out = new Uint8Array(head.length + body.length);
  out.set(head);
  out.set(body, head.length);
  return out;
}

export async function composeAndRead(over: Partial<MessageInput>, can = ALL_EXTENSIONS) {
  return readWithPostalMime(await messageBytes(compose(aMail(over), can)));
}

export function rawHeader(over: Partial<MessageInput>, name: string, can = ALL_EXTENSIONS): string {
  const fields = compose(aMail(over), can).headers.filter((h) => h.name.toLowerCase() === name.toLowerCase());
  return fields.map((h) => h.raw).join("");
}

export function composeResult(over: Partial<MessageInput>, can = ALL_EXTENSIONS): string {
  try {
    compose(aMail(over), can);
  } catch (error) {
    if (error instanceof ComposeError) return error.code;
    throw error;
  }
  return "composed";
}

export async function composedBody(over: Partial<MessageInput>): Promise<string> {
  return decoder.decode(await collect(compose(aMail(over), ALL_EXTENSIONS).body()));
}
