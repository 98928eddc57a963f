/** Returns a text of `bytes` bytes, in lines. */
export function textOfSize(bytes: number): string {
  const line = "The quick brown fox jumps over the lazy dog, and the bench counts how long it takes.\n";
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}
