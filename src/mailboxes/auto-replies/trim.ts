/** Replaces the polyfill of String.prototype.trim that mimetext imports (wrangler.toml, alias). */
export default function trim(text: string): typeof text.trim {
  return text.trim;
}
