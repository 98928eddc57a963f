/**
 * Replies of mail systems, as they come after a connection by their MX host. The words are those by which the replies are recognized;
 * the rest of each text is shortened, and addresses and links are replaced by examples. Sources: the postmaster pages of the
 * providers, RFC 5321 and 3463, and the source of mail servers.
 */

export type State = "delivered" | "hard" | "soft" | "rejected" | "deferred";

export interface ProviderReply {
  /** Expected name of the receiver. */
  receiver: string;
  mx: string;
  /** Phase of the session in which the reply comes. */
  phase: "greeting" | "mail" | "rcpt" | "data" | "final-dot";
  /** Lines are separated by a line break. */
  reply: string;
  /** Expected state of the email; `hard` and `soft` are bounces. */
  state: State;
  /** True when many of these replies slow down, narrow or pause the sending to this receiver. */
  paces: boolean;
}

/**
 * Rows by MX host: state, phase and reply; `*` after the phase: it paces. ` // ` separates the lines of a reply. A receiver of `-` is
 * named by its host.
 */
const TABLE = `
= google gmail-smtp-in.l.google.com
delivered final-dot | 250 2.0.0 OK  1763900000 af79cd13be357-8b2 - gsmtp
hard rcpt | 550-5.1.1 The email account that you tried to reach does not exist. // 550-5.1.1 Check the address for typos. // 550 5.1.1 support.example/NoSuchUser - gsmtp
hard rcpt | 550-5.2.1 The email account that you tried to reach is inactive. // 550 5.2.1 support.example/DisabledUser - gsmtp
soft rcpt | 552-5.2.2 The recipient's inbox is out of storage space. // 552 5.2.2 support.example/OverQuotaPerm - gsmtp
deferred rcpt | 452-4.2.2 The recipient's inbox is out of storage space. // 452 4.2.2 support.example/OverQuotaTemp - gsmtp
deferred rcpt | 450-4.2.1 The user you are trying to contact is receiving mail at a rate that // 450 4.2.1 prevents additional messages from being delivered. - gsmtp
deferred final-dot * | 421-4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address. // 421 4.7.28 To protect our users, mail has been temporarily rate limited. - gsmtp
deferred final-dot * | 421-4.7.0 Our system has detected that this message is suspicious due to the very low reputation of the sending IP. // 421 4.7.0 Try again later - gsmtp
deferred final-dot | 421-4.7.26 Your email has been rate limited because it is unauthenticated. // 421 4.7.26 support.example/authentication - gsmtp
deferred final-dot | 421 4.3.0 Temporary System Problem. Try again later. - gsmtp
deferred mail * | 421 4.7.0 Temporary System Problem. Try again later. - gsmtp
deferred greeting | 421 4.7.0 TLS required for RCPT domain, closing connection. - gsmtp
deferred greeting | 421 4.3.2 Service not available - gsmtp
rejected final-dot | 550-5.7.26 Your email has been blocked because the sender is unauthenticated. // 550 5.7.26 DKIM = did not pass, SPF = did not pass - gsmtp
rejected final-dot * | 550-5.7.1 Our system has detected that this message is likely unsolicited mail. // 550 5.7.1 The message was blocked. - gsmtp
rejected final-dot | 550-5.7.25 The IP address sending this message does not have a PTR record setup. // 550 5.7.25 support.example/ip - gsmtp
rejected final-dot | 552-5.7.0 This message was blocked because its content presents a potential security issue. // 552 5.7.0 support.example/blocked - gsmtp
rejected final-dot | 552-5.3.4 Your message exceeded Google's message size limits. // 552 5.3.4 support.example/size - gsmtp
rejected final-dot | 554 5.6.0 Mail message is malformed. Not accepted. - gsmtp
rejected mail | 553-5.1.2 We weren't able to find the recipient domain. // 553 5.1.2 support.example - gsmtp
rejected data | 550-5.4.5 Daily user sending limit exceeded. // 550 5.4.5 support.example - gsmtp
rejected mail | 555 5.5.2 Syntax error, cannot decode response. - gsmtp
= outlook hotmail-com.olc.protection.outlook.com
delivered final-dot | 250 2.6.0 <m1@sender.test> [InternalId=1, Hostname=HOST.PROD.OUTLOOK.COM] 9123 bytes in 0.3, 30 KB/sec Queued mail for delivery -> 250 2.1.5
hard rcpt | 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [HOST.prod.protection.outlook.com]
soft rcpt | 552 5.2.2 The recipient's mailbox is full [HOST.outlook.com]
deferred mail * | 550 5.7.1 Unfortunately, messages from [192.0.2.7] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150). [HOST]
deferred mail * | 550 5.7.1 Service unavailable, Client host [192.0.2.7] blocked using Spamhaus (AS3130). [HOST]
deferred mail * | 451 4.7.650 The mail server [192.0.2.7] has been temporarily rate limited due to IP reputation. (S775) [HOST.outlook.com]
deferred mail * | 451 4.7.500 Server busy. Please try again later from [192.0.2.7]. (S77719) [HOST.outlook.com]
deferred mail * | 451 4.7.500 Access denied, please try again later [HOST.outlook.com]
deferred mail * | 451 4.7.651 The mail server [192.0.2.7] has been temporarily rate limited due to IP reputation. (S844) [HOST.outlook.com]
deferred mail | 452 4.5.3 Exceeded maximum number of messages per connection [HOST.outlook.com]
deferred greeting * | 421 4.3.2 The maximum number of concurrent connections has exceeded a limit, max concurrent connections. IB007 [HOST.outlook.com]
rejected final-dot | 550 5.7.515 Access denied, sending domain sender.test doesn't meet the required authentication level. [HOST.outlook.com]
rejected final-dot | 550 5.7.509 Access denied, sending domain sender.test does not pass DMARC verification and has a DMARC policy of reject. [HOST]
rejected final-dot | 554 5.2.0 STOREDRV.Deliver.Exception: the message was rejected [HOST.outlook.com]
deferred final-dot | 432 4.3.2 Concurrent connections limit exceeded, STOREDRV.Deliver; recipient thread limit exceeded [HOST.outlook.com]
= microsoft-365 example-org.mail.protection.outlook.com
delivered final-dot | 250 2.6.0 <m1@sender.test> [InternalId=2, Hostname=HOST.PROD.OUTLOOK.COM] Queued mail for delivery
hard rcpt | 550 5.4.1 Recipient address rejected: Access denied. [HOST.mail.protection.outlook.com]
hard rcpt | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient user@example.org not found by SMTP address lookup
soft rcpt | 550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy
soft rcpt | 550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed
soft rcpt | 550 5.7.64 TenantAttribution; Relay Access Denied [HOST.mail.protection.outlook.com]
deferred mail * | 550 5.7.606 Access denied, banned sending IP [192.0.2.7]. To request removal from this list visit sender.example (AS16012609) [HOST]
rejected mail | 550 5.7.511 Access denied, banned sender[192.0.2.7]. To request removal from this list forward this message [HOST]
rejected mail | 550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP [HOST]
deferred mail * | 451 4.7.500 Server busy. Please try again later from [192.0.2.7]. (AS77712111) [HOST.mail.protection.outlook.com]
deferred rcpt | 450 4.7.320 Certificate validation failed because the certificate is expired
deferred rcpt | 451 4.4.4 Mail received as unauthenticated, incoming to a recipient domain configured in a hosted tenant which has no mail-enabled subscriptions
deferred rcpt | 450 4.2.2 The recipient has exceeded their limit for the number of messages they can receive per hour
rejected final-dot | 550 5.7.23 The message was rejected because of Sender Policy Framework violation -> 550 5.7.1 SPF
rejected final-dot | 552 5.3.4 Message size exceeds fixed maximum message size
= yahoo mta7.am0.yahoodns.net
delivered final-dot | 250 ok dirdel
hard rcpt | 554 delivery error: dd This user doesn't have a yahoo.com account (user@yahoo.com) [0] - mta1.mail.example
hard rcpt | 552 1 Requested mail action aborted, mailbox not found
soft rcpt | 554 delivery error: dd Sorry, your message to user@yahoo.com cannot be delivered. This mailbox is over quota [0]
deferred mail * | 421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see postmaster.example
deferred mail * | 421 4.7.1 [TS03] All messages from 192.0.2.7 will be permanently deferred; Retrying will NOT succeed. See postmaster.example
deferred mail * | 421 4.7.0 [TS02] Messages from 192.0.2.7 temporarily deferred - 4.16.56.1; see postmaster.example
deferred mail * | 421 4.7.0 [TS01] Messages from 192.0.2.7 temporarily deferred due to user complaints - 4.16.55.1; see postmaster.example
deferred rcpt | 451 4.3.2 Internal error reading data, try again later
deferred greeting | 421 Max message per connection reached, closing transmission channel
deferred mail * | 553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.7, because the ip is in Spamhaus's list
rejected final-dot | 554 5.7.9 Message not accepted for policy reasons. See postmaster.example
rejected final-dot | 554 5.7.5 [DMARC] Message not accepted because the sender's domain publishes a DMARC policy of reject
rejected final-dot | 554 Message not allowed - [PH01] Email not accepted for policy reasons. See postmaster.example [120]
= yahoo-japan mx1.mail.yahoo.co.jp
deferred mail * | 421 4.7.0 VS98-IP0 deferred - see mail.example for more information
hard rcpt | 550 5.1.1 unknown user account (user@yahoo.co.jp)
= apple mx01.mail.icloud.com
delivered final-dot | 250 2.0.0 Ok: queued as 1A2B3C
hard rcpt | 550 5.1.1 <user@icloud.com>: user does not exist
soft rcpt | 552 5.2.2 <user@icloud.com>: user is over quota
deferred final-dot * | 450 4.7.1 [HCM1] Message deferred, try again later
deferred greeting * | 421 4.7.1 [BS02] Service unavailable - try again later
rejected final-dot | 554 5.7.1 [HM07] Message rejected due to local policy. See support.example
rejected final-dot | 550 5.7.1 [CS01] Message rejected due to local policy. Domain present in the Spamhaus DBL
rejected mail | 554 5.7.1 Your message was rejected due to example.org's DMARC policy
= gmx mx00.gmx.net
delivered final-dot | 250 Requested mail action okay, completed: id=1MxUnK-1uEGXT3Lnm-00xMwN
hard rcpt | 550-Requested action not taken: mailbox unavailable // 550 For explanation visit postmaster.example
soft rcpt | 552-Requested mail action aborted: exceeded storage allocation // 552 Quota exceeded
deferred greeting * | 421-gmx.net (mxgmx016) Nemesis ESMTP Service not available // 421-Service closing transmission channel // 421-Reject due to policy restrictions. // 421 For explanation visit postmaster.example
rejected mail * | 550-Requested action not taken: mailbox unavailable // 550-Reject due to policy violations. // 550 postmaster.example
deferred greeting * | 554-gmx.net (mxgmx016) Nemesis ESMTP Service not available // 554-No SMTP service // 554-IP address is black listed. // 554 For explanation visit postmaster.example
deferred rcpt | 450-Requested mail action not taken: mailbox unavailable // 450 Mail rejected for policy reasons: greylisted
rejected final-dot | 554-Transaction failed // 554-Reject due to header is not RFC compliant. // 554 For explanation visit postmaster.example
= gmx mx-ha03.web.de
soft rcpt | 550 5.2.2 Quota exceeded. The recipients mailbox is full.
deferred greeting * | 421 web.de (mxweb113) Nemesis ESMTP Service not available: too many connections, try again later
= orange smtp-in.orange.fr
delivered final-dot | 250 2.0.0 mail accepted for delivery ABC123
hard rcpt | 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]
soft rcpt | 552 5.2.2 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]
deferred greeting * | 421 4.7.0 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR004_104 [104]
deferred mail * | 421 4.7.0 Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]
deferred greeting * | 550 5.7.1 Mail rejete. Mail rejected. OFR_506: 192.0.2.7 blocked for spamming issues [506]
rejected final-dot | 550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]
= qq mx3.qq.com
delivered final-dot | 250 Ok: queued as 7Aa1
hard rcpt | 550-The recipient may contain a non-existent account, please check the recipient address. // 550 mail.example
deferred mail * | 550 Connection frequency limited. mail.example
deferred mail * | 550 Ip frequency limited [a+b c]. mail.example
deferred mail * | 550 Domain frequency limited [a+b c]. mail.example
rejected final-dot | 550 Mail content denied. mail.example
rejected mail | 550 Domain may not exist or DNS check failed [a+b c]. mail.example
= netease 163mx01.mxmail.netease.com
hard rcpt | 550 User not found: user@163.com
deferred final-dot | 421 DT:SPM 163 mx1, try again later, see mail.example
deferred mail * | 451 RP:ORQ 163 mx5, requests from the same IP address too many, see mail.example
deferred mail * | 421 HL:ITC 163 mx5, too many connections from 192.0.2.7, see mail.example
rejected final-dot | 554 DT:SUM 163 mx2, the envelope sender does not match the header, see mail.example
rejected final-dot | 553 MI:NPF suspicious content, see mail.example
= mimecast us-smtp-inbound-1.mimecast.com
delivered final-dot | 250 SmtpThread-1 queued as AbC [us-mta-1]
hard rcpt | 550 Invalid Recipient - community.example [AbC]
soft rcpt | 550 Administrative prohibition - envelope blocked - community.example [AbC]
soft rcpt | 550 Rejected by header based manually Blocked Senders [AbC]
deferred rcpt | 451 Internal resource temporarily unavailable - community.example [AbC]
soft rcpt | 451 Account inbounds disabled - community.example [AbC]
rejected final-dot | 554 Email rejected due to security policies - community.example [AbC]
= proofpoint mx0a-00000001.pphosted.com
delivered final-dot | 250 2.0.0 4abc Message accepted for delivery
hard rcpt | 550 5.1.1 <user@example.org>... User unknown
soft rcpt | 550 5.7.1 Recipient address rejected: blocked by policy, user restriction
deferred greeting | 554 Blocked - see ipcheck.proofpoint.example/?ip=192.0.2.7
deferred mail * | 421 4.7.0 [192.0.2.7] Connection rate limit exceeded, try again later
deferred greeting * | 452 4.3.2 Connection rate limit exceeded
rejected final-dot | 554 5.7.0 Reject, id=12345-01 - spam
= comcast mx1.mxge.comcast.net
hard rcpt | 550 5.1.1 Not our Customer
deferred mail * | 421 4.1.0 192.0.2.7 Throttled. See postmaster.example RL000010
deferred greeting | 554 resimta-01.example comcast 192.0.2.7 Comcast requires that all mail servers must have a PTR record. PT000001
deferred mail * | 550 5.7.1 Mail from 192.0.2.7 was blocked, see postmaster.example. BL000010
= barracuda d1.ess.barracudanetworks.com
hard rcpt | 550 permanent failure for one or more recipients (user@example.org:550 5.1.1 user unknown)
rejected final-dot | 550 permanent failure for one or more recipients (user@example.org:blocked)
= kpn mta-in.kpnmail.nl
deferred mail * | 421 4.7.0 Too many messages from 192.0.2.7, try again later
= netvigator mx1.netvigator.com
deferred mail * | 452 Too many messages for this session
= - mx1.sendmail-host.example
hard rcpt | 550 5.1.1 <user@example.org>... User unknown
soft rcpt | 550 5.7.1 <user@example.org>... Relaying denied. IP name lookup failed [192.0.2.7]
deferred mail | 451 4.1.8 Domain of sender address ann@sender.test does not resolve
deferred greeting * | 421 4.3.2 Connection rate limit exceeded.
deferred mail | 452 4.4.5 Insufficient disk space; try again later
rejected final-dot | 554 5.6.1 Eight bit data not allowed
rejected mail | 552 5.2.3 Message is too large; 10000000 bytes max
= - mx1.postfix-host.example
delivered final-dot | 250 2.0.0 Ok: queued as 4XyZ
hard rcpt | 550 5.1.1 <user@example.org>: Recipient address rejected: User unknown in local recipient table
hard rcpt | 550 5.1.1 <user@example.org>: Recipient address rejected: User unknown in virtual mailbox table
soft rcpt | 554 5.7.1 <user@example.org>: Relay access denied
deferred rcpt * | 554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org; see spamhaus.example
soft rcpt | 504 5.5.2 <host>: Helo command rejected: need fully-qualified hostname
deferred rcpt | 450 4.2.0 <user@example.org>: Recipient address rejected: Greylisted, see postgrey.example
deferred rcpt | 450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.7]
deferred rcpt | 450 4.1.8 <ann@sender.test>: Sender address rejected: Domain not found
deferred rcpt | 451 4.3.0 <user@example.org>: Temporary lookup failure
deferred rcpt | 452 4.3.1 Insufficient system storage
deferred mail | 452 4.3.1 Insufficient system storage
deferred rcpt * | 454 4.7.1 <user@example.org>: Relay access denied
deferred final-dot * | 451 4.7.1 Service unavailable - try again later
deferred final-dot | 451 4.3.0 Error: queue file write error
deferred greeting * | 421 4.7.0 mx1 Error: too many connections from 192.0.2.7
deferred mail * | 450 4.7.1 Error: too much mail from 192.0.2.7
rejected mail | 530 5.7.0 Must issue a STARTTLS command first
rejected mail | 552 5.3.4 Message size exceeds fixed limit
rejected final-dot | 550 5.7.1 Blocked by SpamAssassin
rejected final-dot | 554 5.7.1 Spam message rejected
= - mx1.exim-host.example
delivered final-dot | 250 OK id=1vMabc-000000001Aa-0XyZ
hard rcpt | 550 No such person at this address
hard rcpt | 550 Unrouteable address
soft rcpt | 550-Callout verification failed: // 550 No Such User Here
soft rcpt | 550-Verification failed for <ann@sender.test> // 550 Sender verify failed
soft rcpt | 550 192.0.2.7 is listed at bl.example.net
deferred rcpt | 451 Temporary local problem - please try later
deferred rcpt | 451 Could not complete sender verify callout
deferred rcpt | 451-192.0.2.7 is not yet authorized to deliver mail from <ann@sender.test> // 451 Please try later (greylisted)
deferred greeting | 554 SMTP synchronization error
rejected final-dot | 550 This message was classified as SPAM and may not be delivered
= - mx1.dovecot-host.example
soft rcpt | 552 5.2.2 <user@example.org> Quota exceeded (mailbox for user is full)
deferred rcpt | 452 4.2.2 <user@example.org> Quota exceeded (mailbox for user is full)
deferred rcpt | 451 4.2.0 <user@example.org> Execution of Sieve filters was aborted due to temporary failure
= - mxs.mail-host.example
hard rcpt | 550 Message was not accepted -- invalid mailbox. Local mailbox user@mail.example is unavailable: user not found
soft rcpt | 550 Message was not accepted -- invalid mailbox. Local mailbox user@mail.example is unavailable: account is over quota, mailbox is full
rejected final-dot | 550 spam message rejected. Please visit help.example/notspam-support or report details to abuse@mail.example
deferred final-dot * | 451 4.7.1 Sorry, the service is currently unavailable. Please come back later.
deferred mail * | 451 Ratelimit exceeded for your network, try again later
= - mx.smtputf8-host.example
soft rcpt | 553 5.6.7 Internationalized addresses are not supported here
rejected mail | 550 5.6.7 Addresses of the sender need SMTPUTF8
hard rcpt | 550 5.1.6 <user@example.org> Recipient no longer on server: has moved to user@example.net
hard rcpt | 550 5.2.1 <user@example.org>: this mailbox is disabled
hard rcpt | 553 5.3.0 <user@example.org>... No such user here
soft rcpt | 550 5.7.1 Your address is on our block list
deferred data | 451 4.3.0 Mail server temporarily rejected message
rejected data | 554 5.5.1 Error: no valid recipients
`;

/** All rows. */
export const providerReplies: readonly ProviderReply[] = read(TABLE);

function read(table: string): ProviderReply[] {
  let [receiver = "", mx = ""]: string[] = [];
  return table.split("\n").flatMap((line) => {
    const heading = /^= (\S+) (\S+)$/.exec(line);
    if (heading) [, receiver = "", mx = ""] = heading;
    const row = /^(\w+) ([\w-]+)( \*)? \| (.+)$/.exec(line);
    if (!row) return [];
    const [, state, phase, mark, reply = ""] = row;
    return [
      {
        receiver: receiver === "-" ? mx.slice(mx.indexOf(".") + 1) : receiver,
        mx,
        phase: phase as ProviderReply["phase"],
        reply: reply.replaceAll(" // ", "\n"),
        state: state as State,
        paces: mark !== undefined,
      },
    ];
  });
}
