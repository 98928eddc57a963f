/** A group of receivers, as people know them. */
export interface ReceiverGroup {
  label: string;
  /** Names of its mail systems, as an egress of our own tells them (smtp-egress/receivers/). */
  systems: readonly string[];
  /** Domains of its mailboxes, for an egress that tells nothing. */
  domains: RegExp | null;
  /** How complaints of its users reach a sender. */
  complaints: string;
}

/** The receivers that most people have, in the order of the page. */
export const RECEIVERS = {
  gmail: {
    label: "Gmail",
    systems: ["google"],
    domains: /^(?:gmail|googlemail)\.com$/,
    complaints: "Google reports no single complaints. Read your rate in Google Postmaster Tools.",
  },
  outlook: {
    label: "Outlook",
    systems: ["outlook", "microsoft-365"],
    domains: /^(?:outlook|hotmail|live|windowslive|msn)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}$/,
    complaints:
      "Microsoft reports complaints to sending addresses that are registered in its Junk Mail Reporting Program.",
  },
  yahoo: {
    label: "Yahoo and AOL",
    systems: ["yahoo"],
    domains: /^(?!yahoo\.co\.jp$)(?:(?:yahoo|ymail|rocketmail|aol)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}|aim\.com)$/,
    complaints: "Yahoo reports complaints about DKIM domains that are registered in its Complaint Feedback Loop.",
  },
  apple: {
    label: "Apple",
    systems: ["apple"],
    domains: /^(?:icloud|me|mac)\.com$/,
    complaints: "Apple reports no complaints.",
  },
  others: {
    label: "Others",
    systems: [],
    domains: null,
    complaints: "Some report complaints in the form of RFC 5965.",
  },
} as const satisfies Readonly<Record<string, ReceiverGroup>>;

export type ReceiverName = keyof typeof RECEIVERS;

export const receiverNames = Object.keys(RECEIVERS) as ReceiverName[];

/** Returns the group of a recipient domain in lower case. `system`: its mail system, when an egress has told it. Pure. */
export function receiverOf(domain: string, system: string | null | undefined): ReceiverName {
  const isOf = ({ systems, domains }: ReceiverGroup) =>
    domains?.test(domain) === true || (system !== null && system !== undefined && systems.includes(system));
  return receiverNames.find((name) => isOf(RECEIVERS[name])) ?? "others";
}
