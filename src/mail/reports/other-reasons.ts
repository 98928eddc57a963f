import type { Phrase } from "./failure-phrases.ts";

/**
 * Failures for another reason than the address. They take precedence over the other tables, because a wrong suppression
 * stops all later mail.
 */
export const OTHER_REASONS: readonly Phrase[] = [
  { about: "quota", pattern: /quota/, example: "over quota" },
  {
    about: "quota",
    pattern: /\bis full\b|\bfull (?:mail|in)box|(?:mail|in)box (?:was |has been )?full/,
    example: "mailbox full",
  },
  {
    about: "quota",
    pattern: /(?:storage|disk|space|mailbox|folder|store)[a-z' ]{0,30}(?:exceed|full|used up|limit)/,
    example: "storage full",
  },
  {
    about: "quota",
    pattern: /exceed[a-z]*(?: [a-z']+){0,6} (?:storage|size|limits?|space|allocation|threshold)/,
    example: "exceeds allowed size",
  },
  {
    about: "quota",
    pattern: /out of (?:storage|space|disk)|(?:not|does not have) enough (?:storage |disk )?space|insufficient/,
    example: "out of storage",
  },
  {
    about: "size",
    pattern: /too (?:large|big|long)|too much mail|size limit|maximum (?:message )?size|max(?:imum)? size/,
    example: "message too large",
  },
  {
    about: "rate",
    pattern: /too (?:many|fast|quickly|frequent)|throttl|frequency|excessive|slow down/,
    example: "too many messages",
  },
  {
    about: "rate",
    pattern:
      /rate[- ]limit|\bat a rate|\brate of\b|(?:daily|hourly|sending|rate) limit|per (?:hour|minute|day)\b|unusual rate/,
    example: "rate limit reached",
  },
  {
    about: "reputation",
    pattern: /reputation|(?:black|block|deny)[- ]?list|\brbl\b|dnsbl|spamhaus|spamcop|barracudacentral/,
    example: "poor reputation",
  },
  {
    about: "reputation",
    pattern: /(?<!not )\blisted (?:at|on|by)\b|(?:ip|host|server|address) .{0,40}(?<!not )\blisted in\b/,
    example: "192.0.2.1 listed at an RBL",
  },
  {
    about: "reputation",
    pattern: /\bbanned|\bblock(?:ed|ing)\b|isblocked|abus(?:e|ive|us)\b|suspicious|suspected|dynamic ip|generic dns/,
    example: "blocked",
  },
  {
    about: "policy",
    pattern: /polic(?:y|ies)|prohibit|restrict|forbidden|denied|complian|violat|preferences/,
    example: "refused by policy",
  },
  {
    about: "policy",
    pattern:
      /not (?:authori[sz]ed|permitted|subscribed)|not allowed(?! here)\b(?!.{0,20}mailbox)|members?[- ]only|not (?:a )?member(?! of (?:the )?domain)/,
    example: "not authorized",
  },
  {
    about: "policy",
    pattern:
      /(?:rejected|blocked|refused) by (?:the )?recipient|refuses? to|user refuse|recipient preferences|own suppression|suppression list/,
    example: "rejected by the recipient",
  },
  {
    about: "permission, in the texts of Google Groups, which leave open if the group exists",
    pattern:
      /permission|oprávněn|oprávnen|uprawnie|toestemming|behörighet|berechtig|nicht befugt|tilladelse|tillatelse|käyttöoikeu|jogosults|permisiune|permiso|permissão|permesso|autorizzazion|autorisation|autoris[ée]|разрешени|нет прав|権限|权限|權限|권한|\bizni/,
    example: "you may not have permission to post messages",
  },
  {
    about: "policy",
    pattern: /captcha|challenge|white ?list|allow[- ]?list|geograph|go away/,
    example: "not on the allow list",
  },
  {
    about: "authentication",
    pattern: /\b(?:spf|dkim|dmarc|dane)\b|authenticat|starttls|\btls\b|encrypt|credential|certificate|password/,
    example: "dmarc failed",
  },
  {
    about: "sender",
    pattern:
      /\bsender(?:'s)? (?:[a-z]+ ){0,3}(?:address|domain|ip|verif|reject|is|has|not|id|unknown|denied|block|suspend|disabled)/,
    example: "sender address rejected",
  },
  {
    about: "sender",
    pattern:
      /(?:invalid|bad|unknown|banned|unverified|unroutable|unresolvable|envelope|null|emetteur|domain of|outbound) sender|verif[a-z]* failed|sender verif/,
    example: "sender verify failed",
  },
  {
    about: "sender",
    pattern:
      /purported responsible|\bsrs\b|\bbatv\b|backscatter|emetteur|\bfrom: ?(?:domain|addresses|header)|blank from|mail from (?!command)(?:@|[0-9]|not)/,
    example: "blank From addresses",
  },
  {
    about: "host",
    pattern:
      /reverse dns|reverse lookup|\bptr\b|\brdns\b|your (?:host ?name|remotehost|ip|network)|\bhelo\b|\behlo\b|client host|sending ip|smtp banner/,
    example: "no reverse dns",
  },
  {
    about: "content",
    pattern:
      /(?<![a-z])spam|junk ?mail|virus|malware|phish|content|attachment|bulk mail|unsolicited|lone (?:cr|lf)|bare (?:cr|lf)/,
    example: "message content",
  },
  {
    about: "content",
    pattern:
      /(?:missing|invalid|duplicate|multiple|bad|malformed|illegal|no|your|from|date|message-id|subject|too many|non-?compliant)['"]? (?:\w+ )?headers?\b|\bheaders? (?:is|are|field|line|check|missing|invalid|not)/,
    example: "missing From header",
  },
  {
    about: "content",
    pattern:
      /(?:message|mail) (?:was |has been |is )?(?:rejected|refused|denied|filtered)(?! ?:? (?:no such|user|unknown))|\bfilter/,
    example: "message rejected",
  },
  {
    about: "relaying",
    pattern: /relaying|relay (?:access|not|denied)|(?:to|open|mail) relay|rcpthosts|not relay/,
    example: "relaying denied",
  },
  {
    about: "temporary",
    pattern:
      /temporar|(?<!and )try(?:ing)? (?:again|later|this)|try later|later\b|gr[ea]ylist|deferr|maintenance|overload|\bbusy\b/,
    example: "try again later",
  },
  {
    about: "network",
    pattern:
      /time?d? ?out|message expired(?!, dns)|delivery expired|queue\.expired|hash expired|connection (?:refused|reset|dropped|lost|closed)|lost connection|unreachable|not responding|no response/,
    example: "connection timed out",
  },
  {
    about: "network",
    pattern:
      /(?:internal|local|network|system|protocol) error|lookup fail|server error|resources|loops? back|mail ?loop|too many hops|hop count|looping/,
    example: "mail loop",
  },
  {
    about: "temporary error of DNS",
    pattern:
      /server ?fail(?:ure)?\b|servfail|errorretry|(?:malformed|unexpected)[a-z ]{0,20} (?:name server|dns) (?:reply|response)|name ?server (?:failure|timeout)|dns (?:timeout|failure)/,
    example: "DNS query failed(ServerFailure)",
  },
  {
    about: "quota",
    pattern: /postfach.{0,40}voll|kontingent|speicherplatz|pleine|llen[oa]\b|cuota|piena|volle\b|cheia|przepełni/,
    example: "boite du destinataire pleine",
  },
  {
    about: "quota",
    pattern: /переполнен|превышен|已满|空间不足|容量|いっぱい|満杯|超えて/,
    example: "почтовый ящик переполнен",
  },
  {
    about: "policy",
    pattern: /受信拒否|拒否|拒收|拒绝|спам|отклонено политикой|refusée?\b|richtlinie|abgelehnt|bloque/,
    example: "受信拒否",
  },
];
