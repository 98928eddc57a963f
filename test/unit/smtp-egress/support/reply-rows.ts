/** Replies in the words of receivers, with what the rules make of them. Addresses and hosts are replaced. */
export interface ReplyRow {
  /** Name of the receiver; `other` for one without an entry. */
  name: string;
  /** Matching replies within an hour from which the rule acts. */
  threshold: number;
  /** Kind of the action with its number. */
  action: string;
  minutes: number;
  /** True when the reply refuses the rate or the address and not the email. */
  isTemporary: boolean;
  reply: string;
}

/** Below each receiver: threshold, action, minutes, `again` when the email is tried again, and the reply. */
const TABLE = `
google
  2 slow 10 30 again: 421 4.7.28 [192.0.2.1] Our system has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily rate limited. - gsmtp
  2 slow 10 30 again: 550 5.7.28 [192.0.2.1] There is an unusual rate of unsolicited mail originating from your IP address. - gsmtp
  3 slow 10 60 again: 421 4.7.0 [192.0.2.1] This message is suspicious due to the very low reputation of the sending IP address. - gsmtp
  10 slow 60 30: 550 5.7.1 [192.0.2.1 12] Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked. - gsmtp
  3 pause-receiver 15: 421 4.7.0 Try again later, closing connection. (EHLO) - gsmtp
  1 bounce 0: 421 4.7.0 IP not in whitelist for RCPT domain, closing connection. - gsmtp
outlook
  5 pause-receiver 120 again: 550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).
  3 pause-receiver 30: 451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775)
  5 pause-receiver 60: 451 4.7.850 Access denied, please try again later
  3 slow 1 15: 451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS77712)
  2 narrow 1 60: 421 4.7.652 The mail server [192.0.2.1] has exceeded the maximum number of connections. (S2017062302)
  2 narrow 1 60: 421 4.3.2 Connection refused from 192.0.2.1 due to exceed max concurrent connections. IB007
microsoft-365
  3 pause-receiver 120 again: 550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/
  5 pause-receiver 120 again: 550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).
  5 pause-receiver 60: 451 4.7.550 Access denied, please try again later [192.0.2.1]
  3 slow 1 15: 451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)
  3 pause-receiver 30: 451 4.7.651 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. (S775)
yahoo
  2 slow 10 60: 421 4.7.0 [TS01] Messages from 192.0.2.1 temporarily deferred due to user complaints - 4.16.55.1
  3 slow 1 30: 421 4.7.0 [TS02] Messages from 192.0.2.1 temporarily deferred due to user complaints - 4.16.56.1
  3 slow 10 30: 421 4.7.0 [TS03] Messages from 192.0.2.1 temporarily deferred
  2 pause-receiver 120: 421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes
  2 pause-receiver 120: 421 [IPTS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1
  2 pause-receiver 240: 421 4.7.0 [TSS05] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1
  2 pause-receiver 240 again: 553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed.
  5 pause-source 120 again: 553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list
apple
  3 pause-receiver 15: 451 [BS02] Temporary server error. Please try again later.
  3 pause-receiver 15: 421 [HCM1] Your mail from 192.0.2.1 was deferred.
  5 pause-receiver 15: 421 4.7.0 Service unavailable - try again later
  5 pause-source 120 again: 550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus SBL. For details please see http://www.spamhaus.org/query/bl?ip=192.0.2.1
  5 pause-receiver 240 again: 550 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
mimecast
  3 pause-receiver 15: 451 IP temporarily blacklisted - https://community.mimecast.com/docs/DOC-1369#451
  1 bounce 0: 421 Sender address blocked - https://community.mimecast.com/docs/DOC-1369#421
  1 bounce 0: 451 Account inbounds disabled - https://community.mimecast.com/docs/DOC-1369#451
proofpoint
  3 pause-receiver 30: 421 Deferred - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
  5 pause-receiver 240 again: 554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
barracuda
  2 pause-receiver 30: 421 4.7.1 Deferred by rate control, try again later
  1 bounce 0: 450 4.7.1 cuda_nsu <a@example.com>: Recipient address rejected: Policy Rejection- Abuse. Go away.
cisco
  2 slow 1 60: 452 Too many recipients received this hour
  3 pause-receiver 240 again: 554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.
symantec
  5 slow 10 15: 421 Service Temporarily Unavailable
comcast
  2 slow 160 120: 421 4.1.0 192.0.2.1 Throttled - RL000001
  3 pause-receiver 120 again: 554 resimta-po-12v.sys.comcast.net comcast 192.0.2.1 found on one or more DNSBLs, BL000010
  3 pause-receiver 120 again: 554 resimta-po-12v.sys.comcast.net comcast 192.0.2.1 Comcast block for spam. BL000001
charter
  2 slow 10 60 again: 550 5.1.0 a@example.com sender rejected. AUP#I-1310
  2 slow 10 60 again: 421 4.1.0 Rate limited. AUP#1490
  3 narrow 1 60 again: 421 4.1.0 Too many messages in a session. AUP#1540
  3 pause-receiver 240 again: 554 192.0.2.1 blocked. AUP#I-1000
  3 pause-receiver 240 again: 554 p-impin020.msg.pkvw.co.charter.net cmsmtp Connection Rejected - see http://www.spamhaus.org/query/ip/192.0.2.1
cox
  2 narrow 1 60: 421 cmsmtp 192.0.2.1 blocked. Refer to Error Codes section for more information. AUP#CXCNCT
  2 slow 10 60 again: 452 192.0.2.1 [Message threshold exceeded]
  3 pause-receiver 240 again: 554 cmsmtp 192.0.2.1 blocked. AUP#CDRBL
  3 pause-receiver 240 again: 554 cmsmtp 192.0.2.1 blocked. AUP#IPBL0001
att
  3 pause-receiver 240 again: 553 5.3.0 alph731 DNSBL:RBL 521< 192.0.2.1 >_is_blocked.For assistance forward this error to abuse_rbl@abuse-att.net
gmx
  3 narrow 1 30: 421 gmx.net (mxgmx101) Nemesis ESMTP Service not available, too many connections
  2 slow 10 60: 421 Rate limit reached. Please try again later
  5 pause-receiver 60: 450 Reject due to policy violations. For explanation visit http://postmaster.gmx.com
  5 slow 1 60: 450 Reject due to policy restrictions. For explanation visit http://postmaster.gmx.com
  2 pause-receiver 240 again: 554 gmx.net (mxgmx101) Nemesis ESMTP Service not available No SMTP service IP address is block listed.
ionos
  5 pause-receiver 60: 421 Reject due to policy violations
  2 pause-receiver 240 again: 554 kundenserver.de (mxeue101) Nemesis ESMTP Service not available No SMTP service IP address is black listed.
t-online
  2 pause-receiver 240 again: 554 IP=192.0.2.1 - A problem occurred. Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify. (BL)
orange
  2 narrow 1 60: 421 mwinf5c79 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR005_104 [104]
  5 pause-receiver 120 again: 550 mwinf5c04 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102
  2 pause-receiver 60 again: 421 mwinf5c77 ME Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]
laposte
  2 narrow 1 60: 421 4.7.0 Trop de connexions. Too many connections, slow down. LPN105_104
  5 pause-source 120 again: 550 5.7.1 Service unavailable; client [192.0.2.1] blocked using Spamhaus. LPNAAA_101
  5 pause-receiver 240 again: 550 5.5.0 The emails sent to the mail host Laposte.net were blocked by our services. LPN007_102
  3 pause-receiver 60 again: 450 4.7.1 Client host rejected: Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN027_503
free
  2 pause-receiver 240 again: 421 Too many spams from your IP (192.0.2.1), please visit http://postmaster.free.fr/
mail-ru
  5 slow 10 30: 421 try again later
yandex
  3 pause-receiver 240 again: 554 5.7.1 Blocked by spam statistics - see http://feedback.yandex.ru/?from=mail-rejects
qq
  5 pause-receiver 60 again: 550 Ip frequency limited. http://service.mail.qq.com/detail/122/172
  5 pause-receiver 60 again: 550 Domain frequency limited. http://service.mail.qq.com/detail/122/173
netease
  5 pause-receiver 15: 451 DT:SPM 163 mx8,QMCowEBZQhAA,please try again
  2 narrow 1 60: 554 DT:SPM 163 mx12,QMCowEBZQhAA
  2 narrow 1 60: 421 Too many connections
  2 pause-receiver 60 again: 550 RP:ORQ 163 mx27,EsCowACXh1sM
  2 pause-receiver 60 again: 554 HL:ITC 163 mx3,L8CowEBZQhAA
yahoo-japan
  2 pause-receiver 60 again: 553 Mail from 192.0.2.1 not allowed - VS98-IP0 deferred
  2 pause-receiver 60: 421 [IPTS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints
  2 pause-receiver 30: 421 Timeout waiting for command
netvigator
  3 pause-receiver 30: 421 Too many messages for this session
other
  2 slow 1 60: 421 4.7.0 Messages from 192.0.2.1 temporarily deferred
  2 pause-receiver 240 again: 553 5.7.2 All messages from 192.0.2.1 will be permanently deferred
  5 pause-receiver 120 again: 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1
`;

/** A row for each rule of the table, and more where a rule has several wordings. */
export const replyRows: readonly ReplyRow[] = readRows(TABLE);

/** Replies that concern one recipient, one customer's domain or the receiver itself. */
export const innocentReplies: readonly string[] = `
550 5.1.1 The email account that you tried to reach does not exist. - gsmtp
450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. - gsmtp
450 4.2.1 The recipient has exceeded message rate limit. Try again later.
450 User is receiving mail too quickly
421 4.7.1 Messages to a@icloud.com deferred due to excessive volume. Try again later - https://support.apple.com/en-us/HT204137
452 4.2.2 The recipient's inbox is out of storage space.
550 5.7.1 Service unavailable, MailFrom domain is listed in Spamhaus. To request removal from this list see https://www.spamhaus.org/query/lookup/ (S8002)
550 5.7.1 Your email was rejected due to having a domain present in the Spamhaus DBL -- see https://www.spamhaus.org/dbl/
554 5.7.1 Service unavailable; Sender address [a@example.com] blocked using dbl.spamhaus.org
421 4.7.28 Gmail has detected an unusual rate of mail originating from your DKIM domain [example.com 36]. - gsmtp
421 4.7.0 [192.0.2.1] Our system has detected that this message is suspicious due to the very low reputation of the sending domain. - gsmtp
421 4.7.26 This mail has been rate limited because it is unauthenticated. - gsmtp
451 4.7.24 The SPF record of the sending domain has one or more suspicious entries. mail sent from your IP address has been temporarily rate limited. - gsmtp
550 5.7.26 Unauthenticated email from example.com is not accepted due to domain's DMARC policy. - gsmtp
554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes
554 5.7.1 [1] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc
451 4.7.1 Greylisting in action, please come back later
450 4.2.0 <a@example.com>: Recipient address rejected: Greylisted for 5 minutes
451 Internal resource temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451
451 4.7.0 Temporary server error. Please try again later. PRX4 NextHop: example.com
450 4.1.8 <a@example.com>: Sender address rejected: Domain not found
552 5.3.4 Your message exceeded the size limits
250 2.0.0 OK
`
  .trim()
  .split("\n");

function readRows(table: string): ReplyRow[] {
  let name = "";
  return table.split("\n").flatMap((line) => {
    const [, threshold, action = "", minutes, again, reply = ""] =
      /^ {2}(\d+) (.+?) (\d+)( again)?: (.+)$/.exec(line) ?? [];
    if (threshold === undefined) {
      name = line;
      return [];
    }
    return [
      { name, threshold: Number(threshold), action, minutes: Number(minutes), isTemporary: again !== undefined, reply },
    ];
  });
}
