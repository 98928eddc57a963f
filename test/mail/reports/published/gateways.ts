// Replies of filtering services and appliances in front of a receiver.
import type { Refusals } from "./rows.ts";

export const GATEWAYS: readonly Refusals[] = [
  {
    source: "Mimecast SMTP Error Codes, community.mimecast.com",
    rows: [
      ["hard", "rcpt", "550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [uk123]"],
      [
        "soft",
        "data",
        "554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554 [uk123]",
      ],
      [
        "soft",
        "rcpt",
        "451 Recipient temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451 [uk123]",
      ],
      [
        "soft",
        "rcpt",
        "550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550 [uk123]",
      ],
    ],
  },
  {
    source:
      "Proofpoint and its Essentials service, ipcheck.proofpoint.com and spambrella.com/faq/email-delivery-error-codes",
    rows: [
      ["soft", "mail", "550 5.1.0 sender rejected"],
      ["soft", "rcpt", "550 5.7.1 <anna@receiver.example>: Relay Access denied"],
    ],
  },
  {
    source: "Barracuda Email Security Gateway, barracudanetworks.com/reputation and hardwaresecrets.com",
    rows: [
      [
        "hard",
        "data",
        "550 permanent failure for one or more recipients (anna@receiver.example:550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup)",
      ],
      ["soft", "data", "550 permanent failure for one or more recipients (anna@receiver.example:blocked)"],
      [
        "soft",
        "connect",
        "550 Service unavailable; Client host [mail.sender.example] blocked using Barracuda Reputation; http://www.barracudanetworks.com/reputation/?r=1&ip=192.0.2.25",
      ],
    ],
  },
  {
    source: "Cisco Secure Email (IronPort), pastebin.com/jhdNMiyp and dbmailserver.com",
    rows: [
      ["hard", "rcpt", "550 #5.1.0 Address rejected anna@receiver.example"],
      ["soft", "rcpt", "550 #5.7.1 Your access to submit messages to this e-mail system has been rejected."],
    ],
  },
  {
    source: "Symantec Email Security.cloud (MessageLabs), symanteccloud.com/troubleshooting",
    rows: [
      [
        "soft",
        "data",
        "553-Message filtered. Refer to the Troubleshooting page at\n553-http://www.symanteccloud.com/troubleshooting for more\n553 information. (#5.7.1)",
      ],
    ],
  },
  {
    source: "SpamExperts and others, KumoMTA assets/community/bounces.toml",
    rows: [
      ["hard", "rcpt", "550 No such recipient here"],
      [
        "soft",
        "rcpt",
        "550 The sending IP (192.0.2.25) is listed on https://spamrl.com as a source of dictionary attacks. Please resolve this and retry.",
      ],
      ["soft", "rcpt", "550 Recipient not on bypass list, your IP has been found on a block list"],
      ["soft", "rcpt", "550 Mailbox unavailable or access denied"],
      ["soft", "rcpt", "550 Mailbox is full / Blocks limit exceeded / Inode limit exceeded"],
    ],
  },
];
