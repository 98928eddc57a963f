/** One row of the bench's table. */
export interface Row {
  what: string;
  value: string;
  budget: string;
  isMet: boolean;
}

const verdict = ({ budget, isMet }: Row) => (budget === "" ? "" : isMet ? "met" : "MISSED");

/** Formats the rows as a Markdown table, for docs/performance.md. */
export function toTable(rows: readonly Row[]): string {
  const cells = [
    ["what", "measured", "budget", ""],
    ...rows.map((row) => [row.what, row.value, row.budget, verdict(row)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const line = (texts: string[]) => `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body.map(line)].join("\n");
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Returns the smallest value that at least `percent` percent of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}
