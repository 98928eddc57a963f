/** Returns a text of `octets` octets, in lines. */
export function textOfSize(octets: number): string {
  const line = "The quick brown fox jumps over the lazy dog, and the bench counts how long it takes.\n";
  return line.repeat(Math.ceil(octets / line.length)).slice(0, octets);
}
