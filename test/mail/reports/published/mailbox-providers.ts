// Replies of large mailbox providers, as their postmaster pages and collections of bounces publish them.
import type { Refusals } from "./rows.ts";

export const MAILBOX_PROVIDERS: readonly Refusals[] = [
  {
    source: "Gmail SMTP errors and codes, support.google.com/a/answer/3726730",
    rows: [
      [
        "hard",
        "rcpt",
        "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550-5.1.1 unnecessary spaces. For more information, go to\n550 5.1.1 https://support.google.com/mail/?p=NoSuchUser a1-20020a05 - gsmtp",
      ],
      [
        "hard",
        "rcpt",
        "550-5.2.1 The email account that you tried to reach is inactive. For more\n550-5.2.1 information, go to\n550 5.2.1 https://support.google.com/mail/?p=DisabledUser a1-20020a05 - gsmtp",
      ],
      [
        "soft",
        "rcpt",
        "552-5.2.2 The recipient's inbox is out of storage space and inactive. Please direct\n552-5.2.2 the recipient to\n552 5.2.2 https://support.google.com/mail/?p=OverQuotaPerm a1-20020a05 - gsmtp",
      ],
      [
        "soft",
        "rcpt",
        "452-4.2.2 The recipient's inbox is out of storage space. Please direct the\n452-4.2.2 recipient to\n452 4.2.2 https://support.google.com/mail/?p=OverQuotaTemp a1-20020a05 - gsmtp",
      ],
      [
        "soft",
        "rcpt",
        "550-5.2.1 The user you are trying to contact is receiving mail at a rate that\n550-5.2.1 prevents additional messages from being delivered. For more\n550-5.2.1 information, please visit\n550 5.2.1 https://support.google.com/mail/?p=ReceivingRatePerm a1-20020a05 - gsmtp",
      ],
      [
        "soft",
        "rcpt",
        "550 5.7.1 The user or domain that you are sending to (or from) has a policy that prohibited the mail that you sent. Please contact your domain administrator for further details. - gsmtp",
      ],
      [
        "soft",
        "data",
        "550-5.7.26 Your email has been blocked because the sender is unauthenticated.\n550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.\n550 5.7.26 https://support.google.com/mail/answer/81126#authentication - gsmtp",
      ],
      [
        "soft",
        "data",
        "550-5.7.1 [192.0.2.25 12] Our system has detected that this message is\n550-5.7.1 likely unsolicited mail. To reduce the amount of spam sent to Gmail,\n550 5.7.1 this message has been blocked. - gsmtp",
      ],
      ["soft", "mail", "553 5.1.7 The sender address <news@> is not a valid RFC-5321 address. - gsmtp"],
    ],
  },
  {
    source: "Yahoo Sender Hub, SMTP Error Codes, senders.yahooinc.com/smtp-error-codes; pastebin.com collections",
    rows: [
      [
        "hard",
        "rcpt",
        "554 delivery error: dd This user doesn't have a yahoo.com account (anna@yahoo.com) [0] - mta1481.mail.ne1.yahoo.com",
      ],
      [
        "hard",
        "rcpt",
        "554 delivery error: dd Sorry your message to anna@yahoo.com cannot be delivered. This account has been disabled or discontinued [#102]. - mta173.mail.tpe.yahoo.com",
      ],
      ["hard", "rcpt", "552 1 Requested mail action aborted, mailbox not found"],
      [
        "soft",
        "mail",
        "421 4.7.0 [TSS04] Messages from 192.0.2.25 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1",
      ],
      [
        "soft",
        "data",
        "554 5.7.9 Message not accepted for policy reasons. See https://senders.yahooinc.com/error-codes",
      ],
      [
        "soft",
        "connect",
        "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.25, because the ip is in Spamhaus's list; see https://senders.yahooinc.com/error-codes",
      ],
      ["soft", "mail", "451 VS1-IP Excessive unknown recipients - possible Open Relay (#4.1.8)"],
    ],
  },
  {
    source: "AOL, in sitepackage.de, Typische Fehlermeldungen bei Unzustellbarkeit, and the AOL postmaster page",
    rows: [
      ["hard", "rcpt", "550 MAILBOX NOT FOUND"],
      ["soft", "rcpt", "550 anna IS NOT ACCEPTING MAIL FROM THIS SENDER"],
    ],
  },
  {
    source: "Apple, support.apple.com/HT204137 (postmaster information for iCloud Mail); pastebin.com collections",
    rows: [
      ["hard", "rcpt", "550 5.1.1 <anna@icloud.com>: user does not exist"],
      ["hard", "rcpt", "550 5.1.6 recipient no longer on server: anna@me.com"],
      ["soft", "rcpt", "552 5.2.2 <anna@icloud.com>: user is over quota"],
      [
        "soft",
        "data",
        "554 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137",
      ],
    ],
  },
  {
    source: "Microsoft, Email non-delivery reports and SMTP errors in Exchange Online, learn.microsoft.com",
    rows: [
      [
        "hard",
        "rcpt",
        "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient anna@receiver.example not found by SMTP address lookup",
      ],
      [
        "hard",
        "rcpt",
        "550 5.4.1 Recipient address rejected: Access denied. [DB5EUR03FT052.eop-EUR03.prod.protection.outlook.com]",
      ],
      [
        "hard",
        "rcpt",
        "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [AM7EUR06FT021.eop-eur06.prod.protection.outlook.com]",
      ],
      [
        "soft",
        "rcpt",
        "550 5.7.64 TenantAttribution; Relay Access Denied [VE1EUR01FT014.eop-EUR01.prod.protection.outlook.com]",
      ],
      [
        "soft",
        "mail",
        "550 5.7.1 Unfortunately, messages from [192.0.2.25] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
      ],
      ["soft", "mail", "550 5.1.8 Access denied, bad outbound sender AS(42004)"],
      ["soft", "data", "432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded"],
      [
        "soft",
        "data",
        "550 5.7.515 Access denied, sending domain SENDER.EXAMPLE does not meet the required authentication level.",
      ],
    ],
  },
  {
    source: "Comcast, postmaster.comcast.net/mail-error-codes.html; KumoMTA assets/community/bounces.toml",
    rows: [
      ["hard", "rcpt", "550 5.1.1 Not our Customer"],
      ["hard", "rcpt", "550 5.2.0 anna@comcast.net Account Closed, Please Remove"],
      [
        "soft",
        "connect",
        "554 resimta-po-37v.sys.comcast.net comcast 192.0.2.25 Comcast block for spam. Please see https://postmaster.comcast.net/smtp-error-codes.php#BL000000",
      ],
    ],
  },
  {
    source: "Cox, postmaster.cox.net Error Codes; pastebin.com/0zkJE29y",
    rows: [
      [
        "soft",
        "mail",
        "550 5.1.0 <news@sender.example> sender rejected - Refer to Error Codes section at http://postmaster.cox.net/confluence/display/postmaster/Error+Codes for more information.",
      ],
    ],
  },
  {
    source: "AT&T and its resold brands, pastebin.com/MMGUFmXp and KumoMTA assets/community/bounces.toml",
    rows: [
      [
        "soft",
        "connect",
        "553 5.3.0 alph739.prodigy.net DNSBL:RBL 521< 192.0.2.25 >_is_blocked. For assistance forward this error to abuse_rbl@abuse-att.net",
      ],
    ],
  },
  {
    source: "EarthLink, NetZero, Bigpond and Rackspace, pastebin.com collections and smtp.codes/rackspace",
    rows: [
      [
        "soft",
        "rcpt",
        "450 4.2.1 <anna@receiver.example>: Mailbox received too much email in a short period of time (G30)",
      ],
      [
        "soft",
        "rcpt",
        "450 4.4.1 <anna@receiver.example>: The recipient's server was temporarily unavailable to accept your message (G6)",
      ],
    ],
  },
  {
    source: "Zoho Mail, GoDaddy and Proton help pages on returned mail",
    rows: [
      ["hard", "rcpt", "550 5.1.1 User does not exist - <anna@receiver.example>"],
      ["soft", "data", "541 5.4.1 Mail rejected by destination domain"],
      ["hard", "rcpt", "550 5.1.1 <anna@receiver.example> Recipient not found.  <http://x.co/irbounce>"],
      [
        "soft",
        "rcpt",
        "552 5.2.0 <anna@receiver.example> Account storage limit reached, recipient cannot receive email at this time",
      ],
    ],
  },
];
