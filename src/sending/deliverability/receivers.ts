/** A group of receivers, as people know them. */
interface ReceiverGroup {
  label: string;
  /** Names of its mail systems, as an egress of our own tells them (smtp-egress/receivers/). */
  systems: readonly string[];
  /** Domains of its mailboxes, for an egress that tells nothing. */
  domains: RegExp | null;
}

/** The receivers that most people have, in the order of the page. */
export const RECEIVERS = {
  gmail: { label: "Gmail", systems: ["google"], domains: /^(?:gmail|googlemail)\.com$/ },
  outlook: {
    label: "Outlook",
    systems: ["outlook", "microsoft-365"],
    domains: /^(?:outlook|hotmail|live|windowslive|msn)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}$/,
  },
  yahoo: {
    label: "Yahoo and AOL",
    systems: ["yahoo"],
    domains: /^(?!yahoo\.co\.jp$)(?:(?:yahoo|ymail|rocketmail|aol)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}|aim\.com)$/,
  },
  apple: { label: "Apple", systems: ["apple"], domains: /^(?:icloud|me|mac)\.com$/ },
  others: { label: "Others", systems: [], domains: null },
} as const satisfies Readonly<Record<string, ReceiverGroup>>;

export type ReceiverName = keyof typeof RECEIVERS;

export const receiverNames = Object.keys(RECEIVERS) as ReceiverName[];

/** Returns the group of a recipient domain in lower case. `system`: its mail system, when an egress has told it. Pure. */
export function receiverOf(domain: string, system: string | null | undefined): ReceiverName {
  const isOf = ({ systems, domains }: ReceiverGroup) => domains?.test(domain) || systems.includes(system ?? "");
  return receiverNames.find((name) => isOf(RECEIVERS[name])) ?? "others";
}
