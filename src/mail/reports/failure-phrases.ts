/**
 * Phrases in the replies of mail servers. Patterns are applied to normalized text: lower case, straight apostrophes,
 * single spaces, every address replaced by `@`. Each row has a phrase that it matches; tests use it.
 */

export interface Phrase {
  about: string;
  pattern: RegExp;
  example: string;
}

/** Words for a mailbox or its owner. */
const NOUN =
  "(?:users?|recipients?|mail ?box(?:es)?|mailbox name|accounts?|address(?:es)?|addressees?|persons?|customers?|alias(?:es)?|local[- ]?parts?|user ?names?|user ?ids?|e-?mails?|mail drop)";
/** Up to 60 characters between a noun and what is said of it, within one clause. */
const GAP = "(?: [^.;:!?]{1,60}?)??";

/**
 * Failures of the address that contain a word of another reason. They take precedence over all tables, and count in each phase.
 */
export const CERTAIN_ADDRESS_PHRASES: readonly Phrase[] = [
  {
    about: "directory-based edge blocking of Exchange Online",
    pattern: /\b5\.4\.1 (?:\[?@\]?:? )?recipient address rejected: access denied/,
    example: "5.4.1 Recipient address rejected: Access denied",
  },
  {
    about: "closed mailbox (Free)",
    pattern: /(?:mailbox|account|user) (?:has been |is |was )?blocked due to inactivity/,
    example: "mailbox has been blocked due to inactivity",
  },
  {
    about: "no such mailbox (QQ, after DATA)",
    pattern: /may contain a non-?existent account/,
    example: "The recipient may contain a non-existent account",
  },
];

/** A failure of the domain by the answer of DNS. It takes precedence over all tables, and over a status of Gmail's own (4.0.0). */
export const NO_SUCH_DOMAIN = /responded with code nxdomain/;

/** Failures of the address that are stated so clearly that they count with a general code of refusals (5.7.1). */
export const UNKNOWN_USER =
  /\bno such (?:user|mailbox|recipient|account)\b|\b(?:user|recipient|mailbox|account)(?: is)? (?:unknown|not found|does ?n[o']t exist|does not exist)\b|\bunknown (?:user|recipient|mailbox)\b/;

/** Failures of the whole domain. */
export const DOMAIN_PHRASES: readonly Phrase[] = [
  {
    about: "no such domain",
    pattern: /(?:no such|unknown|non-?existent|invalid|bad) (?:mail )?(?:domain|host)\b|nonexistentdomain/,
    example: "no such domain",
  },
  {
    about: "no such domain",
    pattern:
      /\b(?:domain|host)(?: name)?(?: [^ ]{1,80})?(?: is| was)?:? (?:not found|unknown|nonexistent|non-existent|does ?n[o']t exist|doesnt exist|could ?n[o']t be found)/,
    example: "domain not found",
  },
  {
    about: "no such domain",
    pattern:
      /nxdomain|name or service not known|domain must exist|bad destination system|domain mentioned in email address/,
    example: "name or service not known",
  },
  {
    about: "no such domain",
    pattern: /could ?n[o']t find (?:an?|any) (?:host|mail exchanger|mx)|host found but no data record/,
    example: "couldn't find any host named y",
  },
  {
    about: "no mail service",
    pattern: /null ?mx|no (?:mx|mail exchanger|smtp service)|mx records? point|no valid mx/,
    example: "recipient address has null mx",
  },
  {
    about: "no mail service",
    pattern: /(?:host|domain|server)(?:\/domain)?(?: [^ ]{1,80})? does not accept (?:e-?)?mail(?! (?:from|over))/,
    example: "host does not accept mail",
  },
];

/** Failures of the address itself. `specific` rows also count after DATA, where other servers report their filters. */
export const ADDRESS_PHRASES: readonly (Phrase & { specific?: true })[] = [
  {
    about: "no such mailbox",
    pattern: new RegExp(
      `\\b(?:unknown|invalid|no such|non-?existent|undeliverable|illegal|inexistent|bad|unrecognized|no valid)(?: or (?:unknown|illegal|invalid|inactive))?(?:[/ ]inactive)?(?: (?:destination|recipient|local|virtual|e-?mail|mail|final delivery))* ${NOUN}\\b`,
    ),
    example: "no such user",
  },
  {
    about: "no such mailbox",
    pattern: new RegExp(
      `\\b${NOUN}${GAP}:?(?: is| was| are| were| has been| name)?(?: currently)? (?:unknown|invalid|not (?:found|known|valid|recogni[sz]ed|present|exist(?:ing|s)?|on post office|local|ok\\b|activated|a member of)|no exist|non-?existent|undeliverable|unrecogni[sz]ed|does ?n[o']t exist|doesnt exist|could ?n[o']t be found|cannot be found|was ?n[o']t found|not an? (?:known|valid|active|local)|missing home directory)`,
    ),
    example: "user not found",
  },
  {
    about: "closed mailbox",
    pattern: new RegExp(
      `\\b${NOUN}${GAP}(?: is| was| has been| have been)?(?: currently)? (?:unavailable|inactive|disabled|deactivated|suspended|frozen|closed|terminated|deleted|removed|discontinued|cancelled|canceled|expired|retired|no longer (?:valid|exists?|active|available|in use|works|accepts?|on))`,
    ),
    example: "mailbox unavailable",
  },
  {
    about: "no such mailbox",
    pattern:
      /@>?(?:\.\.\.|,|:)? ?(?:is |was |has |user |address )*(?:unknown|not found|invalid|unavailable|no longer|does ?n[o']t exist|doesnt exist|not an? (?:known|valid|active|local)|an? (?:deactivated|disabled|inactive)|wasn't found)/,
    example: "b@y.test does not exist",
    specific: true,
  },
  {
    about: "no such mailbox",
    pattern:
      /\bno (?:such )?(?:mail ?-?box|account|person|user|one|recipient|customer)s? (?:\w+ )?(?:here|by that name|found|available|at this|with|at that)|no one at this address|(?:wasn't|not) found at\b/,
    example: "no mailbox here by that name",
  },
  {
    about: "no such mailbox",
    pattern: /does ?n[o']t have an? .{0,60}account|not our customer|cannot deliver mail for|receiving (?:is )?disabled/,
    example: "this user doesn't have a yahoo account",
    specific: true,
  },
  {
    about: "no such mailbox",
    pattern:
      /recip(?:ient)?notfound|nosuchuser|not listed in (?:the )?(?:public|domino)|not in (?:the )?(?:directory|address book|recipient table)|name is not recogni[sz]ed|bad destination mailbox/,
    example: "resolver.adr.recipnotfound",
  },
  {
    about: "no such mailbox",
    pattern:
      /unrout(?:e)?able address|(?:bad|valid)rcptto|no such id\b|unknown or (?:illegal|invalid)|not a known user|not an? valid (?:recipient|user|mailbox|address)|mailbox name not allowed/,
    example: "unrouteable address",
  },
  {
    about: "closed mailbox",
    pattern:
      /disableduser|account that you tried to reach (?:does not exist|is (?:disabled|inactive))|mailbox (?:is )?(?:disabled|not found)|(?:account|mailbox) (?:has been |is )?(?:disabled|discontinued|deleted|closed)/,
    example: "this mailbox is disabled",
    specific: true,
  },
  {
    about: "moved",
    pattern:
      /no longer (?:on (?:this )?server|works? here|employed|with (?:the|this|our) company|accepts? mail)|left the (?:company|organi[sz]ation)|has (?:moved to|been replaced by)/,
    example: "recipient no longer on server",
  },
  {
    about: "closed mailbox",
    pattern: /inactive (?:user|account|e-?mail|address|mailbox)|user is terminated|deactivated mailbox/,
    example: "inactive email address",
  },
  {
    about: "French, Italian",
    pattern:
      /(?:utilisateur|destinataire|adresse|boite)[^.;]{0,40}(?:inconnue?s?|n'existe pas|invalide|archivee)|(?:utente|destinatario|indirizzo|casella)[^.;]{0,40}(?:sconosciut|inesistente|non esiste|errato)/,
    example: "utilisateur inconnu",
  },
  {
    about: "Spanish, Portuguese",
    pattern:
      /no existe (?:ese|dicha|el|la|esta|este) ?\w*|(?:usuario|destinatario|cuenta|buz[oó]n|direcci[oó]n)[^.;]{0,40}(?:desconocid|no existe|no encontrad|no v[aá]lid)|(?:usu[aá]rio|destinat[aá]rio|conta|endere[cç]o)[^.;]{0,40}(?:desconhecid|n[aã]o existe|n[aã]o encontrad|inv[aá]lid)/,
    example: "usuario desconocido",
  },
  {
    about: "German, Dutch, Nordic",
    pattern:
      /(?:benutzer|empf[aä]nger|adresse|postfach)[^.;]{0,40}(?:unbekannt|existiert nicht|nicht gefunden|ung[uü]ltig)|unbekannte[rn]? (?:benutzer|empf[aä]nger)|bestaat niet|onbekende (?:gebruiker|ontvanger)|finns inte|findes ikke|ok[aä]nd mottagare/,
    example: "benutzer unbekannt",
  },
  {
    about: "Slavic, Turkish",
    pattern:
      /nie istnieje|nie ma takiego|nieznany (?:u[zż]ytkownik|adresat)|neexistuje|пользовател[ья] (?:\S+ )?не (?:найден|существует)|(?:адрес|ящик)[^.;]{0,40}не (?:найден|существует)|неизвестный (?:получатель|пользователь)|kullan[ıi]c[ıi] bulunamad/,
    example: "пользователь не найден",
  },
  {
    about: "Chinese, Japanese, Korean",
    pattern:
      /(?:用户|收件人|邮箱|地址)[^。]{0,10}(?:不存在|未找到)|找不到(?:收件人|用户|邮箱)|(?:アドレス|ユーザ|宛先|あて先|受信者|メールボックス)[^。]{0,20}(?:見つかりません|存在しません|不明|ありません)|ディレクトリのリストにありません|존재하지 않/,
    example: "ディレクトリのリストにありません",
  },
];

/** Phrases that name the recipient without a reason. They count only with a 5.1.x code. */
export const WEAK_ADDRESS_PHRASES = /(?:recipient|address) (?:address )?(?:rejected|refused|not accepted)/;
