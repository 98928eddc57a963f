/** Decodes the base32 of a TOTP secret. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = [...text].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0"));
  return Uint8Array.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
