/** Texts on which a parser that tries each way to read them would take time with the square of their length, or worse. */

/** Values of Authentication-Results, of 16 KB. */
export const HOSTILE_RESULTS = [" a.b=", " ", "(", '"', "\\", "dmarc =", " a.b=c"].map(
  (text) => `mx.cloudflare.net; dmarc=pass${text.repeat(16_000 / text.length)}`,
);

/** Values of Date, of 8 KB. */
export const HOSTILE_DATES = [" ", "(", "a", "1", ":", "-", "3 Nov 2025 10 ", '"'].flatMap((piece) =>
  ["", "Mon", "Mon, 3 Nov 2025 10:00"].map((start) => start + piece.repeat(8_000 / piece.length)),
);

/** HTML of about 2 MB. */
export const HOSTILE_HTML = [
  "<b>".repeat(600_000),
  "<a ".repeat(600_000),
  `<p style="${"color:red;".repeat(100_000)}">`,
];

/** Messages of 8 MB of an mbox file. */
export const HOSTILE_MBOX = ["x", "\n", ">", ">\n"].map((piece) => piece.repeat(8_000_000 / piece.length));

/** Texts of failures that repeat what the rules search for. */
export const HOSTILE_FAILURES = [
  "user ",
  "a@",
  "450 ",
  "said: 450 ",
  "mailbox a ",
  "5.1.1 ",
  ">>> DATA ",
  "not ",
  "@ is ",
].map((piece) => piece.repeat(100_000));

/** Returns an aggregate report with so many elements, and so many attributes, that the parser does not use. */
export function withUnused(report: string, count: number): string {
  const others = Array.from({ length: count }, (_, n) => `<a${n}>1</a${n}>`).join("");
  const attributes = Array.from({ length: count }, (_, n) => `b${n}="1"`).join(" ");
  return report.replace("<row>", `${others}<c ${attributes}/><row>`);
}
