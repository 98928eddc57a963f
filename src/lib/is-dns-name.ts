/** Returns whether DNS can be asked for a name without a final dot (RFC 1035 2.3.4). */
export const isDnsName = (name: string): boolean =>
  name.length <= 253 && name.split(".").every((label) => label.length > 0 && label.length <= 63);
