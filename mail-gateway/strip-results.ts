import { Transform } from "node:stream";

/** Bytes of the header section that are read. More passes unchanged. */
const MAX_HEADER = 1024 * 1024;

/**
 * Removes the Authentication-Results fields that claim to be of this server (RFC 8601 5): a reader would trust them.
 */
export function stripResults(name: string): Transform {
  let head: Buffer | null = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (head === null) return done(null, chunk);
      const read = Buffer.concat([head, chunk]);
      const isComplete = read.includes("\r\n\r\n") || read.length >= MAX_HEADER;
      head = isComplete ? null : read;
      done(null, isComplete ? withoutResults(read, name) : null);
    },
    flush(done) {
      done(null, head === null ? null : withoutResults(head, name));
    },
  });
}

function withoutResults(bytes: Buffer, name: string): Buffer {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  const header = end < 0 ? text : text.slice(0, end + 2);
  const kept = header.split(/(?<=\r\n)(?![ \t])/).filter((field) => !isOf(field, name));
  return Buffer.from(kept.join("") + text.slice(header.length), "latin1");
}

function isOf(field: string, name: string): boolean {
  const [, id = ""] = /^Authentication-Results[ \t]*:(?:[ \t]|\r\n[ \t]|\([^()]*\))*"?([^;"\s]+)/i.exec(field) ?? [];
  return id.toLowerCase() === name.toLowerCase();
}
