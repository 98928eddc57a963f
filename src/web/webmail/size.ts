const UNITS = ["bytes", "KB", "MB", "GB"] as const;

/** Returns a number of bytes for people, such as `1.2 MB`. */
export function toSize(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
