/**
 * Failures of recipients as mail systems word them, from their documentation and source, and the expected class.
 * Rows: system, Status of the report, Diagnostic-Code (or the reply of a session).
 */
export type FailureRow = [system: string, status: string | null, text: string];

/** Reads a table, a row a line: system, status and text; a status of `-` is missing. */
export function failureRows(table: string): FailureRow[] {
  return table.trim().split("\n").map(failureRow);
}

/** Reads a line of a table. */
export function failureRow(line: string): FailureRow {
  const [, system = "", status = "", text = ""] = /^(.+?) \| (\S+) \| ?(.*)$/.exec(line) ?? [];
  return [system, status === "-" ? null : status, text];
}

/** The mailbox does not exist or is closed for good: the address is suppressed. */
export const DEAD: readonly FailureRow[] = failureRows(`
Postfix | 5.1.1 | 550 5.1.1 <b@y.test>: Recipient address rejected: User unknown in local recipient table (in reply to RCPT TO command)
Postfix, virtual | 5.1.1 | 550 5.1.1 <b@y.test>: Recipient address rejected: User unknown in virtual mailbox table
Postfix, verification | 5.1.1 | 550 5.1.1 <b@y.test>: Recipient address rejected: undeliverable address: host in.y.test[192.0.2.1] said: 550 no mailbox here (in reply to RCPT TO command)
Postfix, local | 5.1.1 | unknown user: "b"
Dovecot LMTP | 5.1.1 | host y.test[private/dovecot-lmtp] said: 550 5.1.1 <b@y.test> User doesn't exist: b@y.test (in reply to RCPT TO command)
Exim, remote | 5.0.0 | 550 No such user here
Exim, remote, person | 5.0.0 | SMTP error from remote mail server after RCPT TO:<b@y.test>: 550 No such person at this address
Exim, cPanel | 5.0.0 | 550 No Such User Here
Exim, local | 5.0.0 | Unrouteable address
Exim, remote Exim | 5.0.0 | 550 Unrouteable address
Exim, unknown local part | 5.0.0 | 550 unknown local part b in <b@y.test>
qmail | - | Sorry, no mailbox here by that name. (#5.1.1)
qmail, remote | - | 192.0.2.4 does not like recipient. Remote host said: 550 sorry, no mailbox here by that name (#5.7.17)
qmail, vpopmail | - | Sorry, no mailbox here by that name. vpopmail (#5.1.1)
qmail, chkuser | - | 550 5.1.1 sorry, no mailbox here by that name (chkuser)
sendmail | 5.1.1 | 550 5.1.1 <b@y.test>... User unknown
sendmail, bare reply | 5.1.1 | SMTP; 550 b@y.test unknown or invalid
sendmail, mailer | 5.3.0 | 553 5.3.0 <b@y.test>... No such user here
Exchange 2010 | 5.1.1 | 550 5.1.1 RESOLVER.ADR.RecipNotFound; not found
Exchange 2016 | 5.1.1 | 550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found
Exchange Online | 5.1.10 | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient b@y.test not found by SMTP address lookup
Exchange Online, directory-based blocking | 5.4.1 | 550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT012.eop-EUR01.prod.protection.outlook.test]
Exchange Online, wrapper | 5.1.351 | 550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 5.1.1 User unknown
Outlook.com | 5.5.0 | 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [DB8EUR05FT040.eop-eur05.prod.protection.outlook.test]
Gmail | 5.1.1 | 550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address for typos or 550-5.1.1 unnecessary spaces. Learn more at 550 5.1.1 https://support.google.com/mail/?p=NoSuchUser - gsmtp
Gmail, disabled | 5.2.1 | 550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.google.com/mail/?p=DisabledUser
Gmail, inactive | 5.2.1 | 550-5.2.1 The email account that you tried to reach is inactive. For more information, go to 550 5.2.1 https://support.google.com/mail/?p=DisabledUser
Yahoo | 5.0.0 | 554 delivery error: dd This user doesn't have a yahoo.test account (b@yahoo.test) [0] - mta4.mail.test
Yahoo, disabled | 5.0.0 | 554 30 Sorry, your message to b@yahoo.test cannot be delivered. This mailbox is disabled (554.30). (in reply to end of DATA command)
Yahoo, after DATA | 5.0.0 | 552 1 Requested mail action aborted, mailbox not found (in reply to end of DATA command)
Yahoo, no longer valid | 5.0.0 | 554 delivery error: dd b@yahoo.test is no longer valid.
AOL | 5.1.1 | 550 5.1.1 <b@aol.test>: Recipient address rejected: aol.test
iCloud | 5.1.1 | 550 5.1.1 unknown or illegal alias: b@icloud.test
iCloud, inactive | 5.1.1 | 550 5.1.1 <b@icloud.test>: inactive email address (in reply to RCPT TO command)
iCloud, moved | 5.1.6 | 550 5.1.6 recipient no longer on server: b@icloud.test
Mimecast | 5.0.0 | 550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [kB2a.uk56]
Proofpoint | 5.1.1 | 550 5.1.1 User Unknown
Proofpoint, old | 5.0.0 | 554 5.0.0 <b@y.test>... Recipient unknown
Barracuda | 5.0.0 | 550 permanent failure for one or more recipients (b@y.test:550 5.1.1 User unknown)
Zimbra | 5.1.1 | 550 5.1.1 <b@y.test>: Recipient address rejected: y.test
docomo | 5.1.1 | 550 Unknown user b@docomo.test
docomo, Courier | 5.0.0 | >>> RCPT TO:<b@docomo.test> <<< 550 Unknown user b@docomo.test
au | - | 550 <b@ezweb.test>: User unknown (in reply to RCPT TO command)
softbank | 5.0.0 | 550 Invalid recipient: <b@softbank.test> (in reply to RCPT TO command)
GMX | 5.0.0 | 550 Requested action not taken: mailbox unavailable (in reply to RCPT TO command)
mail.ru | 5.0.0 | 550 Message was not accepted -- invalid mailbox.  Local mailbox b@mail.test is unavailable: user not found
mail.ru, terminated | 5.0.0 | 550 Message was not accepted -- invalid mailbox.  Local mailbox b@mail.test is unavailable: user is terminated
Yandex | 5.7.1 | 550 5.1.1 No such user!
QQ | 5.0.0 | 550 Mailbox not found [http://service.mail.qq.com/cgi-bin/help?id=20022]
163 | 5.0.0 | 550 User not found: b@163.test
163, suspended | 5.0.0 | 550 User suspended
OVH | 5.1.1 | 550 5.1.1 <b@y.test>: Recipient address rejected: User unknown
Orange | 5.1.1 | 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]
free.fr | 5.0.0 | 550 5.1.1 <b@free.test>: Recipient address rejected: User unknown in relay recipient table
SFR | 5.1.1 | 550 5.1.1 service refuse. Utilisateur inconnu
Amazon SES | 5.1.1 | 554 5.1.1 <b@y.test>: user unknown
Domino | 5.0.0 | 550 b@y.test... No such user
Domino, local | - | User b (b@y.test) not listed in Domino Directory
Notes, Japanese | - | b@y.test はディレクトリのリストにありません
GroupWise | - | user not found
GroupWise, post office | 5.1.1 | 550 User not on post office
Courier | 5.1.1 | 550 User unknown.
MailEnable | 5.0.0 | 550 Requested action not taken: mailbox unavailable or not local
hMailServer | 5.0.0 | 550 Unknown user
MDaemon | 5.0.0 | 550 5.1.1 <b@y.test>: Recipient unknown
MDaemon, old | - | 550 <b@y.test>, Recipient unknown
Haraka | 5.1.1 | 550 I cannot deliver mail for <b@y.test>
PowerMTA | 5.1.1 | smtp;550 5.1.1 <b@y.test> is not a valid mailbox
KumoMTA | 5.1.1 | 550 5.1.1 mailbox does not exist
Lotus | 5.1.1 | 550 b@y.test... Addressee unknown
Zoho | - | b@y.test Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <b@y.test>... User Unknown
Sun | 5.1.1 | 550 5.1.1 unknown or illegal alias: b@y.test
IMail | - | Unknown user: b@y.test
Comcast | 5.1.1 | 550 5.1.1 Not our Customer
Comcast, closed | 5.2.1 | 550 5.2.1 Account Closed, Please Remove
Cox | 5.1.0 | 550 5.1.0 <b@cox.test> recipient rejected
Verizon | - | 550 - Requested action not taken: no such user here
web.de | 5.0.0 | 550 Requested action not taken: mailbox unavailable
T-Online | 5.0.0 | 550 5.1.1 Benutzer unbekannt / user unknown
Italian host | 5.0.0 | 550 Destinatario sconosciuto o mailbox disattivata
Polish host | 5.0.0 | 550 Nie ma takiego konta. No such recipient
Spanish host | 5.0.0 | 550 No existe ese usuario <b@y.test>
Portuguese host | 5.0.0 | 550 Usuário não existe
Russian host | 5.0.0 | 550 Пользователь не найден
Chinese host | 5.0.0 | 550 收件人不存在
Japanese host | - | あて先のメールアドレスが見つかりません
disabled account | 5.0.0 | 550 The account has been disabled
deactivated | 5.0.0 | 550 b@y.test is a deactivated mailbox
address retired | 5.0.0 | 550 This address no longer accepts mail
nobody there | 5.0.0 | 550 There is no one at this address
discontinued | 5.0.0 | 554 delivery error: dd Sorry your message to b@y.test cannot be delivered. This account has been disabled or discontinued [#102]
left the company | 5.0.0 | 550 b@y.test no longer works here: the employee has left the company
replaced | 5.1.6 | 551 5.1.6 The address has been replaced by c@y.test
report 4.4.7, remote 5.1.1 | 4.4.7 | 550 5.1.1 <b@y.test>... User unknown
5.4.1, remote words | 5.4.1 | 550 5.4.1 user unknown
qmail, validrcptto | 5.0.0 | 553 sorry, this recipient is not in my validrcptto list (#5.7.1)
Gmail, words around the reply | - | it was rejected by the recipient domain. The error that the other server returned was: 550 550 5.1.1 User unknown: b@y.test (state 14).
no longer with us | 5.0.0 | 550 The user you are trying to reach is no longer with us
not resident | 5.0.0 | 550 user does not reside here
no mail any more | 5.0.0 | 550 This address does not receive mail anymore
Portuguese mailbox | 5.0.0 | 550 Caixa postal inexistente
Spanish account | 5.0.0 | 550 Usuario inexistente
German without umlauts | 5.0.0 | 550 Empfaenger unbekannt
German mailbox | 5.0.0 | 550 Postfach nicht vorhanden
French account | 5.0.0 | 550 Compte inexistant
Italian user | 5.0.0 | 550 Utente non trovato
Dutch user | 5.0.0 | 550 gebruiker onbekend
Polish user | 5.0.0 | 550 Nie znaleziono użytkownika
Russian user | 5.0.0 | 550 нет такого пользователя
Japanese address | 5.0.0 | 550 存在しないメールアドレスです
Korean user | 5.0.0 | 550 사용자를 찾을 수 없습니다
Chinese user | 5.0.0 | 550 无此用户
`);

/** A failure of the whole domain: the address is suppressed at the second report. */
export const DEAD_DOMAIN: readonly FailureRow[] = failureRows(`
Postfix | 5.4.4 | Host or domain name not found. Name service error for name=y.test type=A: Host not found
Postfix, null MX | 5.1.0 | Domain y.test does not accept mail (nullMX)
Postfix, no address | 5.4.4 | Host or domain name not found. Name service error for name=y.test type=AAAA: Host found but no data record of requested type
sendmail | 5.1.2 | 550 5.1.2 <b@y.test>... Host unknown (Name server: y.test: host not found)
sendmail, bare | 5.1.2 | SMTP; 550 Host unknown
qmail | - | Sorry, I couldn't find any host named y.test. (#5.1.2)
qmail, no MX | - | Sorry. Although I'm listed as a best-preference MX or A for that host, it isn't in my control/locals file. Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)
Exim | 5.0.0 | all relevant MX records point to non-existent hosts
Exim, MX | 5.0.0 | an MX or SRV record indicated no SMTP service
Exchange Online | 5.4.310 | 550 5.4.310 DNS domain y.test does not exist [Message=InfoDomainNonexistent] [LastAttemptedServerName=y.test]
Exchange Online, DNS | 5.4.312 | 550 5.4.312 Message expired, DNS query failed(InfoNoRecords)
Exchange Online, wrapper alone | 5.1.351 | 550 5.1.351 Remote server returned unknown recipient or mailbox unavailable
Exchange 2003 | 5.4.4 | 550 5.4.4 SMTPSEND.DNS.NonExistentDomain; nonexistent domain
Gmail | 5.1.2 | DNS Error: DNS type 'mx' lookup of y.test responded with code NXDOMAIN Domain name not found: y.test
Gmail, old | - | DNS Error: Domain name not found
Yahoo | - | No MX or A records for y.test
Amazon SES | 5.4.4 | 550 5.4.4 Invalid domain
RFC 7504 | 5.3.2 | 521 5.3.2 Server does not accept mail
RFC 7505 | 5.1.10 | 556 5.1.10 Recipient address has null MX
KDDI | - | As the remote domain doesnt exist.
Courier | - | <<< No such domain.
IMail | - | Unknown host: b@y.test
Haraka | 5.1.2 | 550 5.1.2 Domain not found
iCloud | 5.1.10 | host/domain does not accept mail: no MX
MDaemon | - | The domain y.test does not exist
PowerMTA | 5.1.2 | smtp;550 5.1.2 (bad destination system: no such domain)
`);
