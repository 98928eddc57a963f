// Replies that mail server programs send with their own or with common settings, from their documentation and source.
import type { Refusals } from "./rows.ts";

export const SERVER_PROGRAMS: readonly Refusals[] = [
  {
    source: "Postfix, postconf(5), ADDRESS_VERIFICATION_README and src/smtpd/smtpd_check.c",
    rows: [
      [
        "hard",
        "rcpt",
        "550 5.1.1 <anna@receiver.example>: Recipient address rejected: User unknown in local recipient table",
      ],
      ["hard", "rcpt", "550 5.1.2 <anna@receiver.example>: Recipient address rejected: Domain not found"],
      [
        "hard",
        "rcpt",
        "550 5.1.1 <anna@receiver.example>: Recipient address rejected: undeliverable address: host 10.0.0.5[10.0.0.5] said: 550 5.1.1 User unknown (in reply to RCPT TO command)",
      ],
      [
        "hard",
        "rcpt",
        "556 5.1.10 <anna@receiver.example>: Recipient address rejected: Domain receiver.example does not accept mail (nullMX)",
      ],
      ["soft", "rcpt", "554 5.7.1 <anna@receiver.example>: Recipient address rejected: Access denied"],
      [
        "soft",
        "rcpt",
        "450 4.1.1 <anna@receiver.example>: Recipient address rejected: unverified address: connect to 10.0.0.5[10.0.0.5]:25: Connection timed out",
      ],
      ["soft", "rcpt", "550 5.1.8 <news@sender.example>: Sender address rejected: Domain not found"],
      [
        "soft",
        "rcpt",
        "550 5.1.0 <news@sender.example>: Sender address rejected: User unknown in virtual mailbox table",
      ],
      [
        "soft",
        "rcpt",
        "550 5.7.27 <news@sender.example>: Sender address rejected: Domain sender.example does not accept mail (nullMX)",
      ],
      ["soft", "rcpt", "550 5.7.1 <mail.sender.example>: Helo command rejected: Host not found"],
      ["soft", "rcpt", "554 5.7.1 <anna@receiver.example>: Relay access denied"],
    ],
  },
  {
    source: "Exim, chapter on access control lists, and cPanel's texts",
    rows: [
      ["hard", "rcpt", "550 No Such User Here"],
      ["soft", "mail", "550 sender.example has no A, AAAA, or MX DNS records."],
      ["soft", "rcpt", "550 relay not permitted"],
    ],
  },
  {
    source: "Sendmail, cf/README and conf.c",
    rows: [
      ["hard", "rcpt", "550 5.1.1 <anna@receiver.example>... User unknown"],
      [
        "hard",
        "rcpt",
        "550 5.1.2 <anna@receiver.example>... Host unknown (Name server: receiver.example: host not found)",
      ],
      [
        "soft",
        "mail",
        "553 5.1.8 <news@sender.example>... Domain of sender address news@sender.example does not exist",
      ],
      ["soft", "rcpt", "550 5.7.1 <anna@receiver.example>... Relaying denied"],
      ["soft", "rcpt", "550 Mailbox disabled for this sender"],
    ],
  },
  {
    source: "qmail with chkuser, spamcontrol and validrcptto, machighway.com and netqmail patches",
    rows: [
      ["hard", "rcpt", "511 sorry, no mailbox here by that name (#5.1.1 - chkuser)"],
      ["hard", "rcpt", "550 sorry, that recipient doesn't exist (#5.7.1)"],
      ["soft", "mail", "550 sorry, your envelope sender domain must exist (#5.7.1)"],
      ["soft", "mail", "511 sorry, can't find a valid MX for sender domain (#5.1.7 - chkuser)"],
      ["soft", "rcpt", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
    ],
  },
  {
    source: "Courier, Dovecot LMTP and Haraka, their source texts",
    rows: [
      [
        "soft",
        "mail",
        "517-Domain does not exist: sender.example.\n517 Invalid domain, see <URL:ftp://ftp.isi.edu/in-notes/rfc1035.txt>",
      ],
      ["hard", "data", "550 5.1.1 <anna@receiver.example> User doesn't exist: anna@receiver.example"],
      ["hard", "rcpt", "550 I cannot deliver mail for <anna@receiver.example>"],
    ],
  },
  {
    source: "MDaemon, hMailServer, CommuniGate Pro and GroupWise, their manuals",
    rows: [
      ["soft", "rcpt", "550 Delivery is not allowed to this address."],
      ["hard", "rcpt", "550 anna@receiver.example unknown user account"],
    ],
  },
  {
    source: "Exchange Server 2003 to 2016, hilfe.cloud4you.biz and support.cloudplus.net",
    rows: [
      ["hard", "rcpt", "550 5.1.1 RESOLVER.ADR.RecipNotFound; not found"],
      ["soft", "rcpt", "550 5.7.1 Unable to relay for anna@receiver.example"],
    ],
  },
];
