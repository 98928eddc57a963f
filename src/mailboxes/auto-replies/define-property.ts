/** Replaces the helper by which mimetext sets class fields (wrangler.toml, alias): core-js would double the size of mimetext. */
export default function defineProperty(target: object, key: string, value: unknown): object {
  return Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
