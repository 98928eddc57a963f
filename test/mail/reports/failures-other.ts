import { type FailureRow, failureRows } from "./failures.ts";

/** Policy, quota, rate, reputation, the sender, content, relaying, or nothing that is known: no suppression. */
export const NOT_DEAD: readonly FailureRow[] = failureRows(`
bare 550 | - | 550 no
bare 551 | - | 551 no
bare 553 | - | 553 no
bare 5.1.0 | 5.1.0 | 550 5.1.0 rejected
no text | 5.0.0 |
no status, no text | - |
German, sender | - | 550 Die Adresse des Absenders existiert nicht
German, address of the sender | - | 550 Absenderadresse ungueltig
French, sender | - | 550 L'adresse de l'expéditeur est inconnue
French, IP address | - | 550 adresse IP inconnue
Dutch, sender | - | 550 Afzender bestaat niet
Dutch, domain of the sender | - | 550 Het domein van de afzender bestaat niet
Polish, domain of the sender | - | 550 Domena nadawcy nie istnieje
Spanish, sender | - | 550 La dirección del remitente no existe
Portuguese, sender | - | 550 Endereço do remetente inválido
Italian, sender | - | 550 indirizzo mittente inesistente
Russian, sender | - | 550 адрес отправителя не существует
Chinese, sender | - | 550 发件人地址不存在
Japanese, sender | - | 550 送信元アドレスが存在しません
Korean, sender | - | 550 보낸 사람 주소가 존재하지 않습니다
Turkish, sender | - | 550 Gönderen kullanıcı bulunamadı
Look-up, Postfix | - | 550 5.1.1 <b@y.test>: Recipient address rejected: unverified address: Address verification in progress
Look-up, directory | - | 550 5.1.1 LDAP server not found
Look-up, no result | - | 550 5.1.1 cannot verify recipient
Disabled for a while | - | 550 5.2.1 Mailbox disabled until the owner renews the subscription
Suspended for a while | - | 550 5.1.1 Mail to this recipient is suspended until the invoice is paid
On hold | - | 550 5.2.1 This account is on hold
Moving | - | 550 5.1.1 Recipient's mailbox is being moved, please resend tomorrow
Host without a name | - | 550 Host not found for 192.0.2.1
Host unknown by address | - | 550 unknown host [192.0.2.1]
EHLO, name | - | 550 Invalid host name
Host, not the recipient | - | 550 your host is not known here
Recipients, too many | - | 550 Invalid recipient count
Port | - | 550 This host does not accept mail on port 25
Relaying, map | - | 550 domain not found in relay map
Authentication | - | 550 user unknown: smtp auth required
German, for a while | - | 550 Das Postfach ist vorübergehend nicht gefunden
German, directory | - | 550 Empfänger nicht gefunden: Verzeichnisdienst nicht erreichbar
French, until a day | - | 550 L'utilisateur est absent, adresse invalide jusqu'au 3 mai
Review | - | 550 5.1.1 User suspended pending review
Vacation | - | 550 The user is on vacation and mailbox is closed
Database | - | 550 5.1.1 user unknown in virtual alias table; database error
Backend | - | 550 5.1.1 backend down, user not found
Second server | - | 550 user not found on this MX, use primary MX
Migration | - | 550 mailbox unavailable due to migration
Sender, MAIL at the end | - | 550 Bad address in MAIL FROM
Sender, in brackets | - | 550 unknown user (sender)
Sender, by its address | - | 550 sender <bq@x.test> unknown user
Postfix, reverse DNS | 5.7.1 | 554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: cannot find your hostname, [192.0.2.1]
Postfix, EHLO | 5.0.0 | 550 <out.x.test>: Helo command rejected: Host not found (in reply to EHLO command)
Postfix, sender | 5.1.8 | 550 5.1.8 <bq@x.test>: Sender address rejected: Domain not found (in reply to RCPT TO command)
Postfix, sender after MAIL | 5.0.0 | 550 User unknown (in reply to MAIL FROM command)
Postfix, access map | 5.7.1 | 554 5.7.1 <b@y.test>: Recipient address rejected: Access denied
Postfix, refused to talk | 5.0.0 | host mx.y.test[192.0.2.7] refused to talk to me: 550 5.1.1 go away
Postfix, quota under 5.1.1 | 5.1.1 | 552 5.2.2 <b@y.test>: mailbox full (in reply to RCPT TO command)
Postfix, local quota | 5.2.2 | maildir delivery failed: User disk quota exceeded
Postfix, expired | 4.4.1 | connect to mx.y.test[192.0.2.7]:25: Connection timed out
Postfix, resolver down | 4.4.3 | Host or domain name not found. Name service error for name=y.test type=MX: Host not found, try again
Postfix, loop | 5.4.6 | mail for y.test loops back to myself
Postfix, size | 5.3.4 | message size 30000000 exceeds size limit 10240000 of server mx.y.test[192.0.2.7]
Exim, callout | 5.0.0 | 550 Verification failed for <bq@x.test> 550 No Such User Here 550 Sender verify failed
Exim, after MAIL | 5.0.0 | SMTP error from remote mail server after MAIL FROM:<bq@x.test>: 550 No such user here
Exim, after EHLO | 5.0.0 | SMTP error from remote mail server after EHLO out.x.test: 550 unknown host
Exim, initial connection | 5.0.0 | SMTP error from remote mail server after initial connection: 550 user unknown, go away
Exim, after DATA | 5.0.0 | SMTP error from remote mail server after end of data: 550 Administrative prohibition
Exim, relay | 5.0.0 | 550 relay not permitted
Exim, retry | 5.0.0 | retry timeout exceeded
qmail, sender | - | Connected to 192.0.2.4 but sender was rejected. Remote host said: 550 5.1.1 user unknown
qmail, name | - | Connected to 192.0.2.4 but my name was rejected. Remote host said: 501 5.0.0 Invalid domain name
qmail, message | - | 192.0.2.4 failed after I sent the message. Remote host said: 550 rejected by content filter
qmail, rcpthosts | - | 553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
qmail-toaster, quota under 5.1.1 | - | user over quota. (#5.1.1)
sendmail, policy under 5.1.1 | 5.1.1 | SMTP; 550 Rejected: 192.0.2.1 listed at zen.spamhaus.org
sendmail, access denied | 5.1.1 | SMTP; 550 5.7.1 Access denied
docomo, recipient's filter | 5.2.0 | >>> DATA <<< 550 Unknown user b@docomo.test 554 5.0.0 Service unavailable
docomo, filter, Postfix | 5.0.0 | 550 Unknown user b@docomo.test (in reply to end of DATA command)
docomo, full | 5.0.0 | 552 too much mail data
au, limited | - | The user(s) account is temporarily limited.
au, quota | - | As their mailbox is full.
Biglobe, full | - | The number of messages in recipient's mailbox exceeded the local limit.
Exchange, restricted | 5.7.1 | 550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized
Exchange, restricted group | 5.7.124 | 550 5.7.124 RESOLVER.RST.SenderNotInAllowedSendersList; not in allowed list
Exchange, size | 5.2.3 | 550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient
Exchange, quota | 5.2.2 | 554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException
Exchange Online, tenant throttle | 5.7.705 | 550 5.7.705 Access denied, tenant has exceeded threshold
Exchange Online, rate | 5.2.122 | 550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour
Exchange Online, bad HELO | 5.7.506 | 550 5.7.506 Access Denied, Bad HELO
Exchange Online, banned | 5.7.606 | 550 5.7.606 Access denied, banned sending IP [192.0.2.1]
Exchange Online, block list | 5.7.1 | 550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).
Exchange Online, sender disabled | 5.1.8 | 550 5.1.8 Access denied, bad outbound sender AS(42003)
Exchange Online, sender's rate | 5.1.90 | 550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients
Exchange Online, expired | 5.4.300 | 550 5.4.300 Message expired
Exchange Online, no reply | 5.4.1 | 550 5.4.1 No reply from host
Exchange Online, 5.1.4 | 5.1.4 | 550 5.1.4 Recipient address rejected: Access denied
Gmail, rate | 5.2.1 | 550-5.2.1 The user you are trying to contact is receiving mail at a rate that 550-5.2.1 prevents additional messages from being delivered.
Gmail, full | 5.2.2 | 552-5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to 552 5.2.2 https://support.google.com/mail/?p=OverQuotaPerm
Gmail, DMARC | 5.7.26 | 550-5.7.26 Unauthenticated email from x.test is not accepted due to domain's DMARC policy.
Gmail, reputation | 5.7.1 | 550-5.7.1 Our system has detected that this message is likely suspicious due to the very low reputation of the sending domain.
Yahoo, policy | 5.0.0 | 554 Message not allowed - [PH01] Email not accepted for policy reasons.
Yahoo, block list | 5.7.1 | 553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list
Yahoo, deferred | 5.0.0 | 553 Mail from 192.0.2.1 not allowed - 5.7.1 [TSS09] All messages will be permanently deferred
AOL, complaints | 5.0.0 | 554 5.7.1 : (DYN:T1) http://postmaster.info.aol.test/errors/554dynt1.html
iCloud, policy | 5.7.1 | 550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137
iCloud, quota | 5.2.2 | 552 5.2.2 <b@icloud.test>: user is over quota (in reply to RCPT TO command)
Mimecast, block | 5.0.0 | 550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550
Mimecast, security | 5.0.0 | 554 Email rejected due to security policies
Mimecast, anti-spoofing | 5.0.0 | 550 Anti-Spoofing policy - Inbound not allowed
Proofpoint, block | 5.0.0 | 550 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
Proofpoint, PTR | 5.0.0 | 554 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1
Barracuda, block | 5.0.0 | 550 permanent failure for one or more recipients (b@y.test:blocked)
Barracuda, reputation | 5.0.0 | 554 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation; http://www.barracudanetworks.com/reputation/?r=1&ip=192.0.2.1
GMX, PTR | 5.0.0 | 554 gmx.test (mxgmx101) Nemesis ESMTP Service not available No SMTP service Bad DNS PTR resource record.
GMX, policy | 5.0.0 | 550 Requested action not taken: mailbox unavailable Reject due to policy restrictions
mail.ru, spam | 5.0.0 | 550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=1
mail.ru, dynamic | 5.0.0 | 550 We do not accept mail from hosts with dynamic IP or generic dns PTR-records.
QQ, rate | 5.0.0 | 550 Ip frequency limited [http://service.mail.qq.com/cgi-bin/help?id=20022]
QQ, recipient's filter | 5.0.0 | 550 Mail is rejected by recipients
QQ, access denied | 5.0.0 | 550 Mailbox unavailable or access denied
163, spam | 5.0.0 | 554 DT:SPM mx1,1tz user unknown http://mail.163.com/help/help_spam_16.htm
Orange, full | 5.1.1 | 552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]
Orange, refused | 5.5.0 | 550 5.5.0 Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN001_108
Orange, spam | 5.0.0 | 550 mwinf5c04 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102
SFR, abuse | 5.7.1 | 554 5.7.1 <x.test[192.0.2.1]>: Client host rejected: Abus detecte GU_EIB_02
Amazon SES, own list | 5.0.0 | Amazon SES did not send the message to this address because it is on the suppression list for your account
Cox, PTR | 5.0.0 | 554 cox too many bad commands from 192.0.2.1
Comcast, rate | 5.2.0 | 550 5.2.0 b@comcast.test Sent too many messages, throttled
GoDaddy, SPF | 5.0.0 | 550 b@y.test Invalid SPF record. Inspect your SPF settings, and try again. IB508
GoDaddy, From | 5.0.0 | 550 x.test From: Domain is invalid. Provide a valid From: IB506
Facebook, preferences | 5.1.1 | 550 5.1.1 RCP-P1 http://postmaster.facebook.test/response_codes?ip=192.0.2.1#rcp Refused due to recipient preferences
list, not a member | 5.7.1 | 550 You are not allowed to post to this mailing list
SRS | 5.0.0 | 550 invalid SRS address: hash expired
greylisting | 5.0.0 | 451 4.7.1 Greylisted, user unknown until then
TLS | 5.7.1 | 550 5.7.1 This route requires encryption (TLS)
virus | 5.0.0 | 550 Requested action not taken: virus detected
content | 5.6.0 | 550 5.6.0 Lone CR or LF in headers
too many recipients | 5.5.3 | 552 5.5.3 Too many recipients
maintenance | 5.3.2 | 550 5.3.2 System not accepting network messages, maintenance
disk | 5.3.1 | 552 5.3.1 Insufficient system storage
authentication | 5.7.0 | 530 5.7.0 Authentication required
sender unknown | 5.1.0 | 550 5.1.0 bq@x.test sender rejected: user unknown
purported address | 5.0.0 | 550 5.7.1 can't determine Purported Responsible Address
Spanish quota | 5.0.0 | 552 El buzón del destinatario está lleno
German quota | 5.0.0 | 552 Postfach des Empfängers ist voll
Russian quota | 5.0.0 | 550 Почтовый ящик переполнен
Chinese quota | 5.0.0 | 552 收件人邮箱已满
Japanese filter | - | 受信者の設定により受信拒否されました
Japanese quota | - | メールボックスの容量を超えているため配信できません
sender, return address | 5.0.0 | 550 Return address not found
sender, originator | 5.1.1 | 550 5.1.1 originator address does not exist
sender, MAIL FROM | 5.0.0 | 550 The address bq@x.test in MAIL FROM does not exist
sender, callback | 5.0.0 | 550 callback: mailbox unknown
sender, From | 5.0.0 | 550 Unknown user in your From address
sender, Reply-To | 5.0.0 | 550 Invalid mail address in Reply-To
sender, domain | 5.0.0 | 550 Envelope from domain does not exist
sender, own account | 5.0.0 | 550 message sending for this account is disabled
sender, this one | 5.0.0 | 550 Mailbox disabled for this sender
client, address | 5.0.0 | 550 Client address unknown
client, IP address | 5.0.0 | 550 IP address unknown
client, no host name | 5.0.0 | 550 Host not found for IP 192.0.2.1
outsiders, external mail | 5.1.1 | 550 5.1.1 The user does not accept external mail
outsiders, internal use | 5.1.1 | 550 5.1.1 This address is for internal use only
outsiders, permitted senders | 5.0.0 | 550 address not recognized as a permitted sender
not yet confirmed | 5.1.1 | 550 5.1.1 The recipient has not yet confirmed his address
not paid | 5.0.0 | 550 Account disabled for non-payment
hosting account | 5.0.0 | 505 this account is suspended
Interia, full or suspended | 5.2.1 | 550 5.2.1 Mailbox not available
552, storage | 5.0.0 | 552 "RCPT TO" mailbox unavailable
docomo, 5.2.0 without transcript | 5.2.0 | 550 Unknown user b@docomo.test
`);
