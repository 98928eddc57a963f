import type { Behaviour, MailSystem } from "../../../../dev/internet/index.ts";

/** Returns mail systems of the same behaviour at addresses of their own: `<name>-<n>.test`. */
export function systemsOf(name: string, count: number, behaviour: Behaviour, network: number): MailSystem[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `${name}-${n}`,
    domains: [`${name}-${n}.test`],
    mx: [`mx.${name}-${n}.test`],
    address: `127.0.${network}.${n + 1}`,
    behaviour,
  }));
}
