/** So many that a test, which makes fewer, never gets one key twice. */
const PAIRS = 48;

const pairs: Promise<CryptoKeyPair>[] = [];
let generated = 0;
let isInstalled = false;

/**
 * Has `crypto.subtle.generateKey` give the RSA pairs of 2048 bits that it has generated in turn, once there are 48 of them: one takes
 * 70 ms of CPU, and the tests register more than a thousand domains.
 */
export function reuseRsaKeys(): void {
  // Each test file calls this. Twice around each other, both would take a place for one pair, and a domain would get one key twice.
  if (isInstalled) return;
  isInstalled = true;
  const { subtle } = crypto;
  const generate = subtle.generateKey.bind(subtle);
  const reuse = (algorithm: { modulusLength?: number }, isExtractable: boolean, usages: string[]) => {
    const another = () => generate(algorithm as SubtleCryptoGenerateKeyAlgorithm, isExtractable, usages);
    if (algorithm.modulusLength !== 2048 || !isExtractable) return another();
    const at = generated++ % PAIRS;
    const pair = pairs[at] ?? (another() as Promise<CryptoKeyPair>);
    pairs[at] = pair;
    return pair;
  };
  Object.defineProperty(subtle, "generateKey", { value: reuse, configurable: true });
}
