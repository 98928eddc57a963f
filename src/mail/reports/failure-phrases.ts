/**
 * Phrases in the replies of mail servers. Patterns are applied to normalized text: lower case, straight apostrophes,
 * single spaces, every address replaced by `@`. test/mail/reports/phrases.ts has an example of each.
 */

/** Words for a mailbox or its owner. */
const NOUN =
  "(?:users?|recipients?|mail ?box(?:es)?|mailbox name|accounts?|address(?:es)?|addressees?|persons?|customers?|alias(?:es)?|local[- ]?parts?|user ?names?|user ?ids?|e-?mails?|mail drop)";
/** Up to 60 characters between a noun and what is said of it, within one clause. */
const GAP = "(?: [^.;:!?]{1,60}?)??";

/** Failures of the address that contain a word of another reason. They take precedence over all tables, and count in each phase. */
export const CERTAIN_ADDRESS_PHRASES: readonly RegExp[] = [
  // Directory-based edge blocking of Exchange Online.
  /\b5\.4\.1 (?:\[?@\]?:? )?recipient address rejected: access denied/,
  // Closed mailbox (Free).
  /(?:mailbox|account|user) (?:has been |is |was )?blocked due to inactivity/,
  // No such mailbox (QQ, after DATA).
  /may contain a non-?existent account/,
];

/** A failure of the domain by the answer of DNS. It takes precedence over all tables, and over a status of Gmail's own (4.0.0). */
export const NO_SUCH_DOMAIN = /responded with code nxdomain/;

/** Failures of the address that are stated so clearly that they count with a general code of refusals (5.7.1). */
export const UNKNOWN_USER =
  /\bno such (?:user|mailbox|recipient|account)\b|\b(?:user|recipient|mail-?box|account)(?: is)? (?:unknown|not found|does ?n[o']t exist|does not exist)\b|\b(?:unknown|non-?existent) (?:user|recipient|mailbox)\b|\bno mailbox (?:found|here)\b/;

/** Failures of the whole domain. */
export const DOMAIN_PHRASES: readonly RegExp[] = [
  // No such domain.
  /(?:no such|unknown|non-?existent|invalid|bad) (?:mail )?(?:domain|host)\b|nonexistentdomain/,
  /\b(?:domain|host)(?: name)?(?: [^ ]{1,80})?(?: is| was)?:? (?:not found|unknown|nonexistent|non-existent|does ?n[o']t exist|doesnt exist|could ?n[o']t be found)/,
  /nxdomain|unrout(?:e)?able mail domain|name or service not known|domain must exist|bad destination system|domain mentioned in email address/,
  /could ?n[o']t find (?:an?|any) (?:host|mail exchanger|mx)|host found but no data record/,
  // No mail service.
  /null ?mx|no (?:mx|mail exchanger|smtp service)|mx records? point|no valid mx/,
  /(?:host|domain|server)(?:\/domain)?(?: [^ ]{1,80})? does not accept (?:e-?)?mail(?! (?:from|over))/,
];

/** Failures of the address itself, which do not count after DATA. */
export const ADDRESS_PHRASES: readonly RegExp[] = [
  // No such mailbox.
  new RegExp(
    `\\b(?:unknown|invalid|no such|non-?existent|undeliverable|illegal|inexistent|bad|unrecognized|no valid)(?: or (?:unknown|illegal|invalid|inactive))?(?:[/ ]inactive)?(?: (?:destination|recipient|local|virtual|e-?mail|mail|final delivery))* ${NOUN}\\b`,
  ),
  new RegExp(
    `\\b${NOUN}${GAP}:?(?: is| was| are| were| has been| name)?(?: currently)? (?:unknown|invalid|not (?:found|known|valid|recogni[sz]ed|present|exist(?:ing|s)?|on post office|local|ok\\b|activated|a member of)|no exist|non-?existent|undeliverable|unrecogni[sz]ed|does ?n[o']t exist|doesnt exist|could ?n[o']t be found|cannot be found|was ?n[o']t found|not an? (?:known|valid|active|local)|missing home directory)`,
  ),
  // Closed mailbox.
  new RegExp(
    `\\b${NOUN}${GAP}(?: is| was| has been| have been)?(?: currently)? (?:inactive|disabled|deactivated|suspended|frozen|closed|terminated|deleted|removed|discontinued|cancelled|canceled|expired|retired|no longer (?:valid|exists?|active|available|in use|works|accepts?|on))`,
  ),
  // The word of RFC 5321 4.2.3 for a mailbox. People who are unavailable may come back.
  /mail ?box(?: [^.;:!?]{1,60}?)?? unavailable/,
  // No such mailbox.
  /\bno (?:such )?(?:mail ?-?box|account|person|user|one|recipient|customer)s? (?:\w+ )?(?:here|by that name|found|available|at this|with|at that)|no one at this address|(?:wasn't|not) found at\b/,
  /recip(?:ient)?notfound|nosuchuser|not listed in (?:the )?(?:public|domino)|not in (?:the )?(?:directory|address book|recipient table)|name is not recogni[sz]ed|bad destination mailbox/,
  /unrout(?:e)?able address|bad_recipient|(?:bad|valid)rcptto|no such id\b|unknown or (?:illegal|invalid)|not a known user|not an? valid (?:recipient|user|mailbox|address)|mailbox name not allowed/,
  // Moved.
  /no longer (?:on (?:this )?server|works? here|employed|with (?:the|this|our) company|accepts? mail)|left the (?:company|organi[sz]ation)|has (?:moved to|been replaced by)/,
  // Closed mailbox.
  /inactive (?:user|account|e-?mail|address|mailbox)|user is terminated|deactivated mailbox|user status is locked/,
  // French, Italian.
  /(?:utilisateur|destinataire|adresse|boite)[^.;]{0,40}(?:inconnue?s?|n'existe pas|invalide|archivee)|(?:utente|destinatario|indirizzo|casella)[^.;]{0,40}(?:sconosciut|inesistente|non esiste|errato)/,
  // Spanish, Portuguese.
  /no existe (?:ese|dicha|el|la|esta|este) ?\w*|(?:usuario|destinatario|cuenta|buz[oó]n|direcci[oó]n)[^.;]{0,40}(?:desconocid|no existe|no encontrad|no v[aá]lid)|(?:usu[aá]rio|destinat[aá]rio|conta|endere[cç]o)[^.;]{0,40}(?:desconhecid|n[aã]o existe|n[aã]o encontrad|inv[aá]lid)/,
  // German, Dutch, Nordic.
  /(?:benutzer|empf[aä]nger|adresse|postfach)[^.;]{0,40}(?:unbekannt|existiert nicht|nicht gefunden|ung[uü]ltig)|unbekannte[rn]? (?:benutzer|empf[aä]nger)|bestaat niet|onbekende (?:gebruiker|ontvanger)|finns inte|findes ikke|ok[aä]nd mottagare/,
  // Slavic, Turkish.
  /nie istnieje|nie ma takiego|nieznany (?:u[zż]ytkownik|adresat)|neexistuje|пользовател[ья] (?:\S+ )?не (?:найден|существует)|(?:адрес|ящик)[^.;]{0,40}не (?:найден|существует)|неизвестный (?:получатель|пользователь)|kullan[ıi]c[ıi] bulunamad/,
  // Chinese, Japanese, Korean.
  /(?:用户|收件人|邮箱|地址)[^。]{0,10}(?:不存在|未找到)|找不到(?:收件人|用户|邮箱)|(?:アドレス|ユーザ|宛先|あて先|受信者|メールボックス)[^。]{0,20}(?:見つかりません|存在しません|不明|ありません)|ディレクトリのリストにありません|존재하지 않/,
];

/** Failures of the address that also count after DATA, where other servers report their filters. */
export const CLEAR_ADDRESS_PHRASES: readonly RegExp[] = [
  // No such mailbox.
  /@>?(?:\.\.\.|,|:)? ?(?:is |was |has |user |address )*(?:unknown|not found|invalid|no longer|does ?n[o']t exist|doesnt exist|not an? (?:known|valid|active|local)|an? (?:deactivated|disabled|inactive)|wasn't found)/,
  /does ?n[o']t have an? .{0,60}account|not our customer|cannot deliver mail for|receiving (?:is )?disabled/,
  // Closed mailbox.
  /disableduser|account that you tried to reach (?:does not exist|is (?:disabled|inactive))|mailbox (?:is )?(?:disabled|not found)|(?:account|mailbox) (?:has been |is )?(?:disabled|discontinued|deleted|closed)/,
];

/** Phrases that name the recipient without a reason. They count only with a 5.1.x code. */
export const WEAK_ADDRESS_PHRASES = /(?:recipient|address) (?:address )?(?:rejected|refused|not accepted)/;
