/**
 * Labels of a name whose top-level domain has one case. The codes of Exchange are none: the last word of most has both
 * (`RESOLVER.RST.NotAuthorized`).
 */
const NAME =
  /(?<![\w@.-])(?!(?:resolver|storedrv|transport|smtpsend|queue|agent|RESOLVER|STOREDRV|TRANSPORT|SMTPSEND|QUEUE|AGENT)\.)(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.){1,8}(?:[a-z]{2,24}|[A-Z]{2,24})(?![\w-]|\.\w)/g;
/** Words before the name of a host. Other names with one dot may be two sentences without a space between them. */
const INTRODUCES =
  /(?:\b(?:host|server|relay|domain|mta|gateway|talking to|at|by|from|to|on|visit|see)[:=]? ?|\/\/|[<([;])$/i;
const IS_ADDRESS = /^\.? ?[[(]\d/;
const BLOCK_LISTS = /spamhaus|spamcop|barracudacentral|dnsbl|\brbl|sorbs|uceprotect|surbl/i;

/** Replaces the names of hosts in a text by `%`. Names of block lists stay: they are the reason of a refusal. */
export function replaceHosts(text: string): string {
  return text.replace(NAME, (name, at: number) => {
    const isHost =
      /\..*\./.test(name) ||
      IS_ADDRESS.test(text.slice(at + name.length, at + name.length + 4)) ||
      INTRODUCES.test(text.slice(Math.max(0, at - 20), at));
    return isHost && !BLOCK_LISTS.test(name) ? "%" : name;
  });
}
