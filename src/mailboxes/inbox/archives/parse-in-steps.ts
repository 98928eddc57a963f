import { createHash } from "node:crypto";
import { piecesOf, type YieldingSteps } from "../../../lib/yielding-steps.ts";
import { MessageParser, type ParsedMessage } from "../../../mail/messages/parse.ts";

/** Bytes that are parsed and hashed at once. */
const PIECE_BYTES = 262_144;
/** Time that a byte of a hostile message takes here, in those that a byte takes elsewhere in an import. */
const PARSE_WEIGHT = 4;

/** Parses a message in steps. Returns it with the SHA-256 of its bytes in hexadecimal. */
export async function parseInSteps(
  raw: Uint8Array,
  steps: YieldingSteps,
): Promise<{ parsed: ParsedMessage; hash: string }> {
  const hash = createHash("sha256");
  // A small message is parsed in place, without the buffer of a parser.
  const isSmall = raw.length <= PIECE_BYTES;
  const parser = new MessageParser(isSmall ? { whole: raw } : {});
  for (const piece of piecesOf(raw, PIECE_BYTES)) {
    hash.update(piece);
    if (!isSmall) parser.push(piece);
    await steps.add(0, PARSE_WEIGHT * piece.length);
  }
  const parsed = parser.end();
  await steps.add(1, 0);
  return { parsed, hash: hash.digest("hex") };
}
