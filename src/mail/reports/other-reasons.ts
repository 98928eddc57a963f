import { phraseRows } from "./phrase-rows.ts";

/** Failures for another reason than the address. They precede the other tables, because a wrong suppression stops all later mail. */
export const OTHER_REASONS = phraseRows(
  "other",
  String.raw`
  Full mailbox, RFC 3463 3.3 | quota|\bis full\b|\bfull (?:mail|in)box|(?:mail|in)box (?:was |has been )?full
  Full mailbox, Gmail, Exchange | (?:storage|disk|space|mailbox|folder|store)[a-z' ]{0,30}(?:exceed|full|used up|limit)|out of (?:storage|space|disk)|(?:not|does not have) enough (?:storage |disk )?space|insufficient
  Full mailbox, RFC 5321 4.2.3 | exceed[a-z]*(?: [a-z']+){0,6} (?:storage|size|limits?|space|allocation|threshold)|\b552[ -][^.;:]{0,40}unavailable
  Size, RFC 3463 3.4 | too (?:large|big|long)|too much mail|size limit|maximum (?:message )?size|max(?:imum)? size
  Rate, RFC 3463 3.5, Yahoo, QQ | \brecipient count|too (?:many|fast|quickly|frequent)|throttl|frequency|excessive|slow down
  Rate, Gmail, Comcast | rate[- ]limit|\bat a rate|\brate of\b|(?:daily|hourly|sending|rate) limit|per (?:hour|minute|day)\b|unusual rate
  Reputation, block lists | reputation|(?:black|block|deny)[- ]?list|\brbl\b|dnsbl|spamhaus|spamcop|barracudacentral|(?<!not )\blisted (?:at|on|by)\b|(?:ip|host|server|address) .{0,40}(?<!not )\blisted in\b
  Reputation, Outlook.com, AT&T | \bbanned|\bblock(?:ed|ing)\b|isblocked|abus(?:e|ive|us)\b|suspicious|suspected|dynamic ip|generic dns
  Policy, RFC 3463 3.8 | polic(?:y|ies)|prohibit|restrict|forbidden|denied|complian|violat|preferences
  Permission, RFC 3463 3.8 | not (?:authori[sz]ed|permitted|subscribed)|not allowed(?! here)\b(?!.{0,20}mailbox)|members?[- ]only|not (?:a )?member(?! of (?:the )?domain)
  Wish of the recipient, AOL, suppression lists | (?:rejected|blocked|refused) by (?:the )?recipient(?!'?s? (?:domain|server|system))|refuses? to|user refuse|recipient preferences|own suppression|suppression list
  Google Groups, which leave open if the group exists | permission|oprávněn|oprávnen|uprawnie|toestemming|behörighet|berechtig|nicht befugt|tilladelse|tillatelse|käyttöoikeu|jogosults|permisiune|permiso|permissão|permesso|autorizzazion|autorisation|autoris[ée]|разрешени|нет прав|権限|权限|權限|권한|\bizni
  Challenges and allow lists | captcha|challenge|white ?list|allow[- ]?list|geograph|go away
  Closed for a while, Interia, cPanel | mail ?box not available(?! ?:)|account (?:is|has been) (?:temporarily )?suspended|\bnot yet\b|non-?payment|unpaid
  Closed to outsiders, Exchange | \b(?:external|outside) (?:e-?mails?|mail|messages?)\b|\binternal (?:e-?mail|mail|use|only)\b|\bclosed (?:to|for)\b|from (?:the )?(?:outside|internet)\b|(?:permitted|allowed|new|external|outside|known|trusted|approved) senders?\b
  Authentication, RFC 7208, RFC 6376, RFC 7489 | \b(?:spf|dkim|dmarc|dane)\b|authenticat|starttls|\btls\b|encrypt|credential|certificate|password|smtp auth
  Sender, RFC 3463 3.2 | \bsender(?:'s)? (?:[a-z]+ ){0,3}(?:address|domain|ip|verif|reject|is|has|not|id|unknown|denied|block|suspend|disabled)|verif[a-z]* failed|sender verif|\b(?:for|from) this sender\b|\bsending (?:for|from|by|of) (?:this|your) (?:account|mailbox|user)
  Sender, Orange, sendmail | (?:invalid|bad|unknown|banned|unverified|unroutable|unresolvable|envelope|null|emetteur|domain of|outbound) sender|purported responsible|\bsrs\b|\bbatv\b|backscatter|emetteur|\bfrom: ?(?:domain|addresses|header)|blank from|mail from(?! command)|\(sender\)|\bsender @|\b(?:in|envelope|header)(?: the| your)? from\b|\bfrom (?:address|domain)\b|reply-to|return[- ](?:path|address)|originator|message-id|call(?:back|out)\b
  Sender, in other languages | (?:absender|afzender|expéditeur|remitente|remetente|mittente|nadawc|odes[ií]latel|avsändar|avsender|afsender|отправител|gönderen|发件人|發件人|寄件者|送信[元者]|差出人|보낸 ?사람|발신자)[^.,;:!?。]{0,40}(?:unbekannt|existier|existe|inexist|esist|bestaat|istnieje|neexistuje|finns inte|findes|eksisterer|существу|存在|존재|ung(?:ü|ue?)ltig|ongeldig|inv[aá]lid|nieprawidłow|无效|無效|onbekend|inconnu|desco[nñ]hecid|desconocid|sconosciut|nieznan|ok[aä]nd|uk[ej]+n[dt]|неизвест|不明|introuvable|encontrad|trovat|znalezion|найден|見つかり|bulunamad|찾을 수 없)
  Domain of the sender | \byour (?:e-?mail |mail |sender )?(?:domain|address)\b
  Host, RFC 7372 | reverse dns|reverse lookup|\bptr\b|\brdns\b|your (?:mail ?)?(?:server|host(?: ?name)?|remotehost|ip|network)|client (?:address|ip|name)|\bip (?:address )?(?:is )?(?:unknown|not found)|\bfor ip\b|adresse ip\b|(?:unknown host|host not found(?: for)?) ?[[(]?\d{1,3}\.\d|\d invalid (?:domain|host) ?name|\bhelo\b|\behlo\b|client host|sending ip|smtp banner
  Content, RFC 3463 3.7 | (?<![a-z])spam|junk ?mail|virus|malware|phish|content|attachment|bulk mail|unsolicited|lone (?:cr|lf)|bare (?:cr|lf)
  Header, RFC 5322 | (?:missing|invalid|duplicate|multiple|bad|malformed|illegal|no|your|from|date|message-id|subject|too many|non-?compliant)['"]? (?:\w+ )?headers?\b|\bheaders? (?:is|are|field|line|check|missing|invalid|not)
  Content, Postfix, MessageLabs | (?:message|mail) (?:was |has been |is )?(?:rejected|refused|denied|filtered)(?! ?[:-]? (?:no such|user|unknown|address))|\bfilter
  Relaying, RFC 3463 3.8 | relaying|relay (?:access|not|denied|map)|(?:to|open|mail) relay|rcpthosts|not relay
  Temporary, RFC 5321 4.2.1, RFC 6647 | tempor(?:ar|air|al)|vor(?:ü|ue?)bergehend|tijdelijk|tymczas|chwilow|\bjusqu|nicht erreichbar|\bmigrat|relocat|\bpending\b|vacation|(?<!and )try(?:ing)? (?:again|later|this)|try later|later\b|gr[ea]ylist|deferr|maintenance|overload|\bbusy\b|\buntil\b|\bon hold\b|\bbeing (?:moved|migrated)\b|right now|at the moment
  Network, RFC 3463 3.5 | time?d? ?out|message expired(?!, dns)|delivery expired|queue\.expired|hash expired|connection (?:refused|reset|dropped|lost|closed)|lost connection|unreachable|not responding|no response
  Look-up of the recipient, Postfix | unverified address|address verification|database|\bbackend|primary mx|(?:unable to|can ?not|could not) verify|\bldap server
  System, RFC 3463 3.4, 3.5 | (?:internal|local|network|system|protocol) error|lookup fail|server error|resources|loops? back|mail ?loop|too many hops|hop count|looping
  Temporary error of DNS, Exchange Online, Gmail | server ?fail(?:ure)?\b|servfail|errorretry|(?:malformed|unexpected)[a-z ]{0,20} (?:name server|dns) (?:reply|response)|name ?server (?:failure|timeout)|dns (?:timeout|failure)
  Full mailbox, in other languages | postfach.{0,40}voll|kontingent|speicherplatz|pleine|llen[oa]\b|cuota|piena|volle\b|cheia|przepełni|переполнен|превышен|已满|空间不足|容量|いっぱい|満杯|超えて
  Policy, in other languages | 受信拒否|拒否|拒收|拒绝|спам|отклонено политикой|refusée?\b|richtlinie|abgelehnt|bloque`,
);
