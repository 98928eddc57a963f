/** Returns a table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(toCell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

const toCell = (cell: string | number) => (typeof cell === "number" ? count(cell) : cell.replaceAll("|", "\\|"));

/** Returns a text as code. */
export const code = (text: string) => `\`${text}\``;

/** Returns texts as code, in one line. */
export const codes = (texts: readonly string[]) => texts.map(code).join(", ");

/** Returns a number with separators of thousands. */
export const count = (number: number) => number.toLocaleString("en");

/** Returns a number of bytes in the unit that divides it. */
export function bytes(number: number): string {
  const units: [number, string][] = [
    [1024 * 1024, "MiB"],
    [1024, "KiB"],
  ];
  const [size, unit] = units.find(([size]) => number >= size && number % size === 0) ?? [1, "bytes"];
  return `${count(number / size)} ${unit}`;
}

/** Returns a time in milliseconds in the greatest unit that divides it. */
export function duration(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
  ];
  const [length, unit] = units.find(([length]) => ms % length === 0) ?? [1, "millisecond"];
  const number = ms / length;
  return `${count(number)} ${unit}${number === 1 ? "" : "s"}`;
}
