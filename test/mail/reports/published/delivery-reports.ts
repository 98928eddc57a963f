// RFC 3464 reports: the status field and diagnostic of the only recipient, as the reporting programs write them. A receiver's
// reply without enhanced code gets the status 5.0.0, as Postfix does it.
import type { DeliveryReports } from "./rows.ts";

export const DELIVERY_REPORTS: readonly DeliveryReports[] = [
  {
    source: "Yahoo Sender Hub, SMTP Error Codes, senders.yahooinc.com/smtp-error-codes; pastebin.com collections",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      [
        "soft",
        "5.0.0",
        "smtp; 554 delivery error: dd Sorry, your message to anna@yahoo.com cannot be delivered. This account is over quota. - mta1001.mail.ne1.yahoo.com",
      ],
    ],
  },
  {
    source: "Microsoft, Email non-delivery reports and SMTP errors in Exchange Online, learn.microsoft.com",
    notice: "Delivery has failed to these recipients or groups:",
    rows: [
      [
        "soft",
        "5.7.133",
        "smtp; 550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group",
      ],
      [
        "soft",
        "5.7.129",
        "smtp; 550 5.7.129 RESOLVER.RST.RestrictedToRecipientsPermission; not authorized; Delivery restriction check failed because the sender was not on the list of allowed senders",
      ],
    ],
  },
  {
    source: "Cox, postmaster.cox.net Error Codes; pastebin.com/0zkJE29y",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      [
        "hard",
        "5.1.1",
        "smtp; 550 5.1.1 <anna@cox.net> invalid recipient - Refer to Error Codes section at http://postmaster.cox.net/confluence/display/postmaster/Error+Codes for more information.",
      ],
    ],
  },
  {
    source: "AT&T and its resold brands, pastebin.com/MMGUFmXp and KumoMTA assets/community/bounces.toml",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      [
        "hard",
        "5.3.0",
        "smtp; 553 5.3.0 <anna@worldnet.att.net>... 550 worldnet addressee unknown, relay=[192.0.2.25]",
      ],
    ],
  },
  {
    source: "EarthLink, NetZero, Bigpond and Rackspace, pastebin.com collections and smtp.codes/rackspace",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.0.0", "smtp; 550 anna@earthlink.net...User account is overquota"]],
  },
  {
    source: "Zoho Mail, GoDaddy and Proton help pages on returned mail",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["hard", "5.1.1", "smtp; 550 5.1.1 <anna@proton.me>: Recipient address rejected: Address does not exist"]],
  },
  {
    source: "sitepackage.de, Typische Fehlermeldungen bei Unzustellbarkeit (GMX, WEB.DE, T-Online, freenet, Lycos)",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      [
        "soft",
        "5.0.0",
        "smtp; 550 Benutzer hat das Speichervolumen ueberschritten. / User has exhausted allowed storage space.",
      ],
    ],
  },
  {
    source: "Orange and Wanadoo, postmaster.orange.fr and bentonow.com/smtp-errors/orange",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.1.1", "smtp; 552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR204_417 [417]"]],
  },
  {
    source: "laposte.net (LPN codes), and isep.fr in KumoMTA assets/community/bounces.toml",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["hard", "5.5.0", "smtp; 550 5.5.0 Adresse d au moins un destinataire invalide. Invalid recipient. LPN204_416"],
      ["hard", "5.0.0", "smtp; 550 Utilisateur inconnu"],
    ],
  },
  {
    source: "Italian receivers, eNichers/node-bounce-handler lib/responses.js; Aruba, guide.hosting.aruba.it/email",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["hard", "5.0.0", "smtp; 550 Indirizzo inesistente"]],
  },
  {
    source: "Interia, pomoc.poczta.interia.pl; WP and Polish receivers, KumoMTA bounces.toml and node-bounce-handler",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["soft", "5.2.1", "smtp; 550 5.2.1 Mailbox not available"],
      ["hard", "5.0.0", "smtp; 550 Nie ma takiego konta: anna@receiver.example"],
    ],
  },
  {
    source: "Mail.ru, mailout.ru/2015/09 and KumoMTA assets/community/bounces.toml",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.0.0", "smtp; 550 message sending for this account is disabled"]],
  },
  {
    source: "Yandex, yandex.com/support/mail/bounces",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["hard", "5.7.1", "smtp; 550 5.7.1 No such user! 1500000000-AbCdEf"],
      ["soft", "5.7.1", "smtp; 550 5.7.1 Policy rejection on the target address 1500000000-AbCdEf"],
    ],
  },
  {
    source: "QQ and NetEase, qqmailbox.com/transceivers/169.html and dbmailserver.com/tui-xin-address-not-exist.htm",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["hard", "5.0.0", "smtp; 550 RC:NE The email account does not exist."],
      ["hard", "5.0.0", "smtp; 550 Local User [anna@receiver.example] not found."],
    ],
  },
  {
    source: "Coremail, icoremail.vip/support (退信), and NetEase codes in biecuoliao.com/pa/MBRrwEM.html",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["hard", "5.0.0", "smtp; 550 User suspended: anna@receiver.example"]],
  },
  {
    source: "Sina, blog.sina.com.cn/s/blog_8dc13ec50101fxxr.html",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.0.0", "smtp; 550 user is locked."]],
  },
  {
    source: "Hanmail and Naver, oliveit.tistory.com/39 and puffinknight.tistory.com/102",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["hard", "5.1.1", "smtp; 550 5.1.1 Inactive mbox"],
      ["soft", "5.0.0", "smtp; 550 You are registered as spammer (by user's reject list)"],
    ],
  },
  {
    source: "docomo, au and SoftBank, note.com/sendmagic",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.0.0", "smtp; 552 Too much mail data anna@docomo.ne.jp"]],
  },
  {
    source: "Trend Micro, Sophos and FortiMail, hardwaresecrets.com and community threads",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["hard", "5.0.0", "smtp; 550 Address unknown"]],
  },
  {
    source: "SpamExperts and others, KumoMTA assets/community/bounces.toml",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["soft", "5.0.0", "smtp; 505 this account is suspended"],
      [
        "soft",
        "5.0.0",
        "smtp; 550 The mail server could not deliver mail to anna@receiver.example. The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.",
      ],
    ],
  },
  {
    source: "Postfix, postconf(5), ADDRESS_VERIFICATION_README and src/smtpd/smtpd_check.c",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      [
        "soft",
        "5.1.7",
        "smtp; 550 5.1.7 <news@sender.example>: Sender address rejected: undeliverable address: host mx.sender.example[192.0.2.30] said: 550 5.1.1 <news@sender.example>: Recipient address rejected: User unknown (in reply to RCPT TO command)",
      ],
    ],
  },
  {
    source: "Exim, chapter on access control lists, and cPanel's texts",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      [
        "soft",
        "5.0.0",
        "smtp; 550-Verification failed for <news@sender.example> 550-Called:   192.0.2.30 550-Sent:     RCPT TO:<news@sender.example> 550-Response: 550 No such user here 550 Sender verify failed",
      ],
    ],
  },
  {
    source: "qmail with chkuser, spamcontrol and validrcptto, machighway.com and netqmail patches",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["hard", "5.0.0", "smtp; 553 sorry, this recipient is not in my validrcptto list (#5.7.1)"]],
  },
  {
    source: "Courier, Dovecot LMTP and Haraka, their source texts",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.2.2", "smtp; 552 5.2.2 <anna@receiver.example> Quota exceeded (mailbox for user is full)"]],
  },
  {
    source: "MDaemon, hMailServer, CommuniGate Pro and GroupWise, their manuals",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["hard", "5.0.0", "smtp; 550 <anna@receiver.example>, Recipient unknown"]],
  },
  {
    source: "Postfix, src/local, src/smtp and src/global/dsn_buf.c",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["hard", "5.1.1", 'X-Postfix; unknown user: "anna"'],
      [
        "hard",
        "5.4.4",
        "X-Postfix; Host or domain name not found. Name service error for name=receiver.example type=A: Host not found",
      ],
      [
        "soft",
        "4.4.3",
        "X-Postfix; Host or domain name not found. Name service error for name=receiver.example type=MX: Host not found, try again",
      ],
      ["soft", "5.2.2", "X-Postfix; maildir delivery failed: error writing message: Disk quota exceeded"],
      ["soft", "5.2.0", "X-Postfix; can't create user output file"],
      ["soft", "4.4.1", "X-Postfix; connect to receiver.example[192.0.2.99]:25: Connection refused"],
    ],
  },
  {
    source: "Cisco Secure Email (IronPort), twisted1919/bounce-handler rules.php and dbmailserver.com",
    notice: "The following message to <anna@receiver.example> was undeliverable.",
    rows: [
      [
        "hard",
        "5.1.0",
        "smtp; 5.1.0 - Unknown address error 550-'5.1.1 <anna@receiver.example>: Recipient address rejected: User unknown' (delivery attempts: 0)",
      ],
      [
        "hard",
        "5.1.2",
        "smtp; 5.1.2 - Bad destination host 'DNS Hard Error looking up receiver.example (MX):  NXDomain' (delivery attempts: 0)",
      ],
      ["soft", "5.1.0", "smtp; 5.1.0 - Unknown address error 550-'5.7.0 user access deny.' (delivery attempts: 0)"],
      ["soft", "5.0.0", "smtp; 5.x.0 - Message bounced by administrator (delivery attempts: 0)"],
    ],
  },
  {
    source: "docomo with the status of a refused sender, moneytimes.jp/archives/185548",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [["soft", "5.2.0", "smtp; 550 Unknown user anna@docomo.ne.jp"]],
  },
  {
    source: "Exchange Online, learn.microsoft.com, Non-delivery reports",
    notice: "Delivery has failed to these recipients or groups:",
    rows: [
      [
        "hard",
        "5.4.310",
        "smtp;550 5.4.310 DNS domain receiver.example does not exist [Message=InfoDomainNonexistent] [LastAttemptedServerName=receiver.example]",
      ],
      ["soft", "5.4.14", "smtp;554 5.4.14 Hop count exceeded - possible mail loop ATTR34"],
      ["soft", "4.4.7", "smtp;550 4.4.7 QUEUE.Expired; message expired"],
    ],
  },
  {
    source: "PowerMTA and Momentum, their user guides",
    notice:
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below.",
    rows: [
      ["hard", "5.1.2", "smtp;550 5.1.2 (bad destination system: no such domain)"],
      ["soft", "5.4.7", "smtp;554 5.4.7 [internal] message timeout (exceeded max time without delivery)"],
    ],
  },
  {
    source: "Lotus Domino, twisted1919/bounce-handler rules.php",
    notice: "Delivery failure report",
    rows: [["hard", "5.0.0", "X-Notes; User anna (anna@receiver.example) not listed in public Name & Address Book"]],
  },
];
