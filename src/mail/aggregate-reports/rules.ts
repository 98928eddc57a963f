/** Bounds on a report. One beyond them is refused whole, because a part of it would give wrong shares. */
export const bounds = {
  /** Bytes of the message, and of all its files together when they are decompressed. Google's reports are below 100 KB. */
  messageBytes: 5_000_000,
  reportBytes: 20_000_000,
  /** Records of a DMARC report; policies and failures of a TLS report. */
  records: 10_000,
  policies: 100,
  failures: 1_000,
  /** Elements of an XML report, and those that may be open at once. A record has about 30. A million take 0.8 s. */
  elements: 1_000_000,
  depth: 20,
  /** Commas and opening brackets of a JSON report: 20 MB of empty lists take 290 MB as objects, and a Worker has 128. */
  jsonMarks: 500_000,
  /** Characters of the name of an element. */
  nameCharacters: 100,
  /** Characters of a value. */
  valueCharacters: 1_000,
  /** Parts of the message that are looked at. */
  parts: 5,
  /** Messages of a record, and sessions of a policy. */
  count: 1_000_000_000,
  /** Longest time of a report, in ms. Most are about a day. */
  spanMs: 31 * 24 * 3_600_000,
} as const;

/** Returns whether a text counts something, within the bound. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= bounds.count;

/** Returns whether the time of a report can be true, both in ms since 1970. */
export const isSpan = (from: number, to: number): boolean => from > 0 && to >= from && to - from <= bounds.spanMs;
