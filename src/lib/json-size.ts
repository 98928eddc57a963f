import { utf8Length } from "./bytes.ts";
import { tooLarge } from "./errors.ts";

/** Returns the bytes of a text of JSON. Throws 413 above `limit` bytes; `noun` is what the JSON describes. */
export function checkJsonSize(json: string, limit: number, noun: string): number {
  const size = utf8Length(json);
  if (size <= limit) return size;
  throw tooLarge(
    `The ${noun} is ${size.toLocaleString("en")} bytes as JSON; the limit is ${limit.toLocaleString("en")}`,
  );
}
