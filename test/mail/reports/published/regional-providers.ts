// Replies of European, Brazilian and Asian providers; several are written in the language of their users.
import type { Refusals } from "./rows.ts";

export const REGIONAL_PROVIDERS: readonly Refusals[] = [
  {
    source: "GMX and WEB.DE, postmaster.gmx.com/en/error-messages and smtp.codes/unitedinternet",
    rows: [
      [
        "soft",
        "connect",
        "554-gmx.net (mxgmx104) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is block listed.\n554 For explanation visit https://postmaster.gmx.net/en/case?c=r0201&i=ip&v=192.0.2.25&r=1MNcgj",
      ],
      [
        "soft",
        "mail",
        "550-Requested action not taken: mailbox unavailable\n550-Reject due to SPF policy.\n550-The originating IP of the message is not permitted by the domain owner\n550 For explanation visit https://postmaster.gmx.net/en/case?c=r0108",
      ],
      [
        "soft",
        "mail",
        "550-Requested action not taken: mailbox unavailable\n550 invalid DNS MX or A/AAAA resource record",
      ],
      [
        "soft",
        "data",
        "552-Requested mail action aborted: exceeded storage allocation\n552-Quota exceeded. The recipient's mailbox is full.\n552 For explanation visit https://postmaster.web.de/en/case?c=r0303",
      ],
      [
        "soft",
        "rcpt",
        "450-Requested mail action not taken: mailbox unavailable\n450 Reject due to policy violations.",
      ],
      [
        "soft",
        "data",
        "554-Transaction failed\n554-Reject due to policy restrictions.\n554 For explanation visit https://postmaster.gmx.net",
      ],
    ],
  },
  {
    source: "sitepackage.de, Typische Fehlermeldungen bei Unzustellbarkeit (GMX, WEB.DE, T-Online, freenet, Lycos)",
    rows: [
      ["hard", "rcpt", "550 5.2.1 <anna@gmx.net>... User is inactive"],
      ["hard", "rcpt", "550 Benutzer nicht bekannt/User unknown"],
      ["hard", "rcpt", "550 Unknown local part anna in <anna@web.de>"],
      ["soft", "rcpt", "550 Benutzer hat zuviele Mails auf dem Server. / User has too many messages on the server."],
      ["hard", "rcpt", "550 unrouteable address"],
      ["soft", "rcpt", "552 5.2.2 Over STORAGE quota"],
      ["hard", "rcpt", "550 <anna@lycos.de>: Recipient address rejected: Account Closed"],
      ["soft", "rcpt", "550 Recipient verification problem"],
    ],
  },
  {
    source: "T-Online, coviserver.de/e-mail-geblockt and KumoMTA assets/community/bounces.toml",
    rows: [
      [
        "soft",
        "data",
        "550-5.7.0 Message considered as spam or virus, rejected\n550 5.7.0 message has been rejected due to spam or virus classification",
      ],
    ],
  },
  {
    source: "Orange and Wanadoo, postmaster.orange.fr and bentonow.com/smtp-errors/orange",
    rows: [
      ["hard", "rcpt", "550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416 [416]"],
      ["soft", "mail", "501 5.1.0 Emetteur invalide. Invalid Sender. OFR204_405 [405]"],
    ],
  },
  {
    source: "laposte.net (LPN codes), and isep.fr in KumoMTA assets/community/bounces.toml",
    rows: [
      [
        "soft",
        "mail",
        "550 5.5.0 Service refuse. Veuillez essayer plus tard. Service refused, please try later. LPN007_510",
      ],
    ],
  },
  {
    source: "Italian receivers, eNichers/node-bounce-handler lib/responses.js; Aruba, guide.hosting.aruba.it/email",
    rows: [
      ["hard", "rcpt", "550 Destinatario sconosciuto o mailbox disatttivata"],
      ["soft", "rcpt", "552 5.2.2 user is over quota"],
    ],
  },
  {
    source: "Interia, pomoc.poczta.interia.pl; WP and Polish receivers, KumoMTA bounces.toml and node-bounce-handler",
    rows: [
      ["hard", "rcpt", "550 5.1.1 Account not found"],
      ["soft", "rcpt", "550 5.7.1 Recipient doesn't want your mail"],
      ["soft", "mail", "550 5.7.0 [SPF] 192.0.2.25 is not allowed to send mail from sender.example"],
    ],
  },
  {
    source: "Mail.ru, mailout.ru/2015/09 and KumoMTA assets/community/bounces.toml",
    rows: [
      [
        "hard",
        "data",
        "550 Message was not accepted -- invalid mailbox.  Local mailbox anna@mail.ru is unavailable: user not found",
      ],
    ],
  },
  {
    source: "Yandex, yandex.com/support/mail/bounces",
    rows: [["soft", "rcpt", "552 5.2.2 Mailbox size limit exceeded 1500000000-AbCdEf"]],
  },
  {
    source: "Brazilian receivers, netbit.com.br/suporte and bs2internet.com, Mensagens de erro",
    rows: [["hard", "rcpt", "550 No mailbox by that name"]],
  },
  {
    source: "QQ and NetEase, qqmailbox.com/transceivers/169.html and dbmailserver.com/tui-xin-address-not-exist.htm",
    rows: [
      [
        "hard",
        "rcpt",
        "550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728",
      ],
      [
        "soft",
        "data",
        "550 Mail content denied. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000726",
      ],
      [
        "soft",
        "mail",
        "550 Domain may not exist or DNS check failed [192.0.2.25]. http://service.mail.qq.com/detail/122/166",
      ],
      ["hard", "rcpt", "550 User not found: anna@163.com"],
      ["soft", "rcpt", '552 "RCPT TO" mailbox unavailable'],
    ],
  },
  {
    source: "Coremail, icoremail.vip/support (退信), and NetEase codes in biecuoliao.com/pa/MBRrwEM.html",
    rows: [
      ["soft", "mail", "550 User in blacklist: news@sender.example"],
      [
        "soft",
        "connect",
        "421 HL:REP 163 mx12, too many recipients that do not exist from 192.0.2.25, user unknown rate too high",
      ],
      ["soft", "mail", "553 Requested action not taken: NULL sender is not allowed"],
    ],
  },
  {
    source: "Sina, blog.sina.com.cn/s/blog_8dc13ec50101fxxr.html",
    rows: [
      ["soft", "data", "552 message rejected by anti-spam engine."],
      ["soft", "mail", "552 mail from invalid."],
    ],
  },
  {
    source: "Hanmail and Naver, oliveit.tistory.com/39 and puffinknight.tistory.com/102",
    rows: [
      ["hard", "rcpt", "550 5.1.1 RUSR 192.0.2.25: No such user: <anna@hanmail.net>"],
      ["soft", "data", "554 5.0.0 Service unavailable (anna: mail is denied, by spam filter)"],
    ],
  },
  {
    source: "docomo, au and SoftBank, note.com/sendmagic",
    rows: [
      ["soft", "mail", "553 sender.example does not exist"],
      ["soft", "rcpt", "554 <anna@ezweb.ne.jp>: Relay access denied"],
    ],
  },
];
