import { phraseRows } from "./phrase-rows.ts";

// Phrases for failures of the address and of its domain. test/mail/reports/phrases.ts has an example of each.

/** Words for a mailbox or its owner. */
const NOUN =
  "(?:users?|recipients?|mail ?box(?:es)?|mailbox name|accounts?|address(?:es)?|addressees?|persons?|customers?|alias(?:es)?|local[- ]?parts?|user ?names?|user ?ids?|e-?mails?|mail drop)";
/** Up to 60 characters between a noun and what is said of it, within one clause. */
const GAP = "(?: [^.;:!?]{1,60}?)??";

/** Failures that contain a word of another reason. They take precedence over all tables and codes, and count in each phase. */
export const CERTAIN_PHRASES = [
  ...phraseRows(
    "address",
    String.raw`
    Exchange Online, directory-based edge blocking | \b5\.4\.1 (?:\[?@\]?:? )?recipient address rejected: access denied
    Free, closed mailbox | (?:mailbox|account|user) (?:has been |is |was )?blocked due to inactivity
    QQ, no such mailbox, after DATA | may contain a non-?existent account`,
  ),
  ...phraseRows("domain", `Gmail, the answer of DNS under a status 4.0.0 | responded with code nxdomain`),
];

/** Failures of the address that are stated so clearly that they count with a general code of refusals (5.7.1). */
export const UNKNOWN_USER = phraseRows(
  "address",
  String.raw`
  RFC 5321 4.2.2, Yandex | \bno such (?:user|mailbox|recipient|account)\b|\b(?:unknown|non-?existent) (?:user|recipient|mailbox)\b
  Postfix, Exchange | \b(?:user|recipient|mail-?box|account)(?: is)? (?:unknown|not found|does ?n[o']t exist|does not exist)\b
  qmail | \bno mailbox (?:found|here)\b|(?:bad|valid)rcptto`,
);

export const DOMAIN_PHRASES = phraseRows(
  "domain",
  String.raw`
  No such domain, RFC 3463 3.2 | (?:no such|unknown|non-?existent|invalid|bad) (?:mail )?(?:domain|host)\b|nonexistentdomain
  No such domain, sendmail, Postfix | \b(?:domain|host)(?: name)?(?: [^ ]{1,80})?(?: is| was)?:? (?:not found|unknown|nonexistent|non-existent|does ?n[o']t exist|doesnt exist|could ?n[o']t be found)
  No such domain, Exim, IronPort | nxdomain|unrout(?:e)?able mail domain|name or service not known|domain must exist|bad destination system|domain mentioned in email address
  No such domain, qmail | could ?n[o']t find (?:an?|any) (?:host|mail exchanger|mx)|host found but no data record
  No mail service, RFC 7505 | null ?mx|no (?:mx|mail exchanger|smtp service)|mx records? point|no valid mx
  No mail service, RFC 7504 | (?:host|domain|server)(?:\/domain)?(?: [^ ]{1,80})? does not accept (?:e-?)?mail(?! (?:from|over|on|via|without))`,
);

/** Failures of the address itself, which do not count after DATA. */
export const ADDRESS_PHRASES = phraseRows(
  "address",
  String.raw`
  No such mailbox, RFC 3463 3.2 | \b(?:unknown|invalid|no such|non-?existent|undeliverable|illegal|inexistent|bad|unrecognized|no valid)(?: or (?:unknown|illegal|invalid|inactive))?(?:[/ ]inactive)?(?: (?:destination|recipient|local|virtual|e-?mail|mail|final delivery))* ${NOUN}\b
  No such mailbox, RFC 3463 3.2 | \b${NOUN}${GAP}:?(?: is| was| are| were| has been| name)?(?: currently)? (?:unknown|invalid|not (?:found|known|valid|recogni[sz]ed|present|exist(?:ing|s)?|on post office|local|ok\b|activated|a member of)|no exist|non-?existent|undeliverable|unrecogni[sz]ed|does ?n[o']t exist|doesnt exist|could ?n[o']t be found|cannot be found|was ?n[o']t found|not an? (?:known|valid|active|local)|missing home directory)
  Closed mailbox, RFC 3463 3.3 | \b${NOUN}${GAP}(?: is| was| has been| have been)?(?: currently)? (?:inactive|disabled|deactivated|suspended|frozen|closed|terminated|deleted|removed|discontinued|cancelled|canceled|expired|retired|no longer (?:valid|exists?|active|available|in use|works|accepts?|on))
  No such mailbox, RFC 5321 4.2.3 (people who are unavailable may come back) | mail ?box(?: [^.;:!?]{1,60}?)?? unavailable
  No such mailbox, qmail, Courier | \bno (?:such )?(?:mail ?-?box|account|person|user|one|recipient|customer)s? (?:\w+ )?(?:here|by that name|found|available|at this|with|at that)|(?:no one|nobody) (?:at this address|here)|(?:wasn't|not) found at\b|not known (?:here|at this)|does not (?:reside|live) (?:here|at|on)
  No such mailbox, Exchange, Domino | recip(?:ient)?notfound|nosuchuser|not listed in (?:the )?(?:public|domino)|not in (?:the )?(?:directory|address book|recipient table)|name is not recogni[sz]ed|bad destination mailbox
  No such mailbox, Exim, qmail, Lotus | unrout(?:e)?able address|bad_recipient|(?:bad|valid)rcptto|no such id\b|unknown or (?:illegal|invalid)|not a known user|not an? valid (?:recipient|user|mailbox|address)|mailbox name not allowed
  Moved, RFC 3463 3.2 | no longer (?:on (?:this )?server|works? here|employed|with (?:the|this|our) company|accepts? mail)|no longer with us|left the (?:company|organi[sz]ation)|\b${NOUN} does not (?:accept|receive) (?:e-?)?mails? any ?more|has (?:moved to|been replaced by)
  Closed mailbox, mail.ru, Hanmail, NetEase | inactive (?:user|account|e-?mail|address|mailbox)|user is terminated|deactivated mailbox|user status is locked
  French, Italian | (?:utilisateur|destinataire|adresse|bo[iî]te|compte)[^.;]{0,40}(?:inconnue?s?|n'existe pas|inexistant|introuvable|invalide|archiv[eé]e)|(?:utente|destinatario|indirizzo|casella)[^.;]{0,40}(?:sconosciut|inesistente|non esiste|non trovat|errato)
  Spanish, Portuguese | no existe (?:ese|dicha|el|la|esta|este) ?\w*|(?:usuario|destinatario|cuenta|buz[oó]n|direcci[oó]n)[^.;]{0,40}(?:desconocid|no existe|inexistente|no encontrad|no v[aá]lid)|(?:usu[aá]rio|destinat[aá]rio|conta|caixa postal|endere[cç]o)[^.;]{0,40}(?:desconhecid|inexistente|n[aã]o existe|n[aã]o encontrad|inv[aá]lid)
  German, Dutch, Nordic | (?:benutzer|empf(?:ä|ae?)nger|adresse|postfach)[^.;]{0,40}(?:unbekannt|existiert nicht|nicht (?:bekannt|gefunden|vorhanden)|ung(?:ü|ue?)ltig)|unbekannte[rn]? (?:benutzer|empf(?:ä|ae?)nger)|bestaat niet|onbekende (?:gebruiker|ontvanger)|(?:gebruiker|ontvanger) (?:is )?onbekend|finns inte|findes ikke|ok[aä]nd mottagare
  Slavic, Turkish | nie istnieje|nie ma takiego|nie znaleziono (?:u[zż]ytkownika|adresata|konta)|нет такого (?:пользователя|адреса|ящика)|nieznany (?:u[zż]ytkownik|adresat)|neexistuje|пользовател[ья] (?:\S+ )?не (?:найден|существует)|(?:адрес|адресат|ящик)[^.;]{0,40}не (?:найден|существует)|неизвестный (?:получатель|пользователь)|kullan[ıi]c[ıi] bulunamad
  Chinese, Japanese, Korean | (?:用户|收件人|收件者|使用者|邮箱|地址)[^。]{0,10}(?:不存在|未找到)|找不到(?:收件人|用户|邮箱)|[无無]此(?:用户|使用者|邮箱)|存在しない(?:メール)?(?:アドレス|ユーザ|宛先)|該当する?(?:アドレス|ユーザ)[^。]{0,10}(?:いません|ありません)|(?:アドレス|ユーザ|宛先|あて先|受信者|メールボックス)[^。]{0,20}(?:見つかりません|存在しません|不明|ありません)|ディレクトリのリストにありません|존재하지 않|(?:사용자|계정|주소)를? 찾을 수 없|없는 (?:사용자|계정|주소)`,
);

/** Failures of the address that also count after DATA, where other servers report their filters. */
export const CLEAR_ADDRESS_PHRASES = phraseRows(
  "address",
  String.raw`
  No such mailbox, Postfix, sendmail | @>?(?:\.\.\.|,|:)? ?(?:is |was |has |user |address )*(?:unknown|not found|invalid|no longer|does ?n[o']t exist|doesnt exist|not an? (?:known|valid|active|local)|an? (?:deactivated|disabled|inactive)|wasn't found)
  No such mailbox, Yahoo, Comcast, Haraka | does ?n[o']t have an? .{0,60}account|not our customer|cannot deliver mail for|receiving (?:is )?disabled
  Closed mailbox, Gmail, Yahoo | disableduser|account that you tried to reach (?:does not exist|is (?:disabled|inactive))|mailbox (?:is )?(?:disabled|not found)|(?:account|mailbox) (?:has been |is )?(?:disabled|discontinued|deleted|closed)`,
);

/** Phrases that name the recipient without a reason. They count only with a 5.1.x code. */
export const WEAK_ADDRESS_PHRASES = phraseRows(
  "address",
  `IronPort, AOL | (?:recipient|address) (?:address )?(?:rejected|refused|not accepted)`,
);
