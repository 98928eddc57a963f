/** Bounds on what is parsed of a received message. A message beyond them is kept as it is, and marked. Pure. */

export const bounds = {
  /** Bytes of the header of a message and of a part. */
  headerBytes: 262_144,
  /** Bytes of the header of a message that are kept with its record. */
  keptHeaderBytes: 65_536,
  /** Leaf parts, and nesting of multiparts. */
  parts: 1_000,
  depth: 30,
  /** Bytes of all texts together that are decoded for search, and characters of names that are kept. */
  searchBytes: 131_072,
  nameCharacters: 255,
  idCharacters: 250,
  subjectCharacters: 2_000,
  addresses: 1_000,
  references: 100,
  /** Parts that are shown as text, and as HTML; further ones are attachments. Reading a message reads each of them. */
  shownParts: 20,
  /** Header fields that are listed. */
  listedFields: 500,
} as const;

/** Why a message was not parsed completely. */
export const problems = {
  header: `a header is larger than ${bounds.headerBytes} bytes`,
  parts: `the message has more than ${bounds.parts} parts`,
  depth: `parts are nested deeper than ${bounds.depth} levels`,
} as const;
