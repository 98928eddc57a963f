/** Failures for another reason than the address. They precede the other tables, because a wrong suppression stops all later mail. */
export const OTHER_REASONS: readonly RegExp[] = [
  // Quota.
  /quota/,
  /\bis full\b|\bfull (?:mail|in)box|(?:mail|in)box (?:was |has been )?full/,
  /(?:storage|disk|space|mailbox|folder|store)[a-z' ]{0,30}(?:exceed|full|used up|limit)/,
  /exceed[a-z]*(?: [a-z']+){0,6} (?:storage|size|limits?|space|allocation|threshold)/,
  /out of (?:storage|space|disk)|(?:not|does not have) enough (?:storage |disk )?space|insufficient/,
  // Size.
  /too (?:large|big|long)|too much mail|size limit|maximum (?:message )?size|max(?:imum)? size/,
  // Rate.
  /too (?:many|fast|quickly|frequent)|throttl|frequency|excessive|slow down/,
  /rate[- ]limit|\bat a rate|\brate of\b|(?:daily|hourly|sending|rate) limit|per (?:hour|minute|day)\b|unusual rate/,
  // Reputation.
  /reputation|(?:black|block|deny)[- ]?list|\brbl\b|dnsbl|spamhaus|spamcop|barracudacentral/,
  /(?<!not )\blisted (?:at|on|by)\b|(?:ip|host|server|address) .{0,40}(?<!not )\blisted in\b/,
  /\bbanned|\bblock(?:ed|ing)\b|isblocked|abus(?:e|ive|us)\b|suspicious|suspected|dynamic ip|generic dns/,
  // Policy.
  /polic(?:y|ies)|prohibit|restrict|forbidden|denied|complian|violat|preferences/,
  /not (?:authori[sz]ed|permitted|subscribed)|not allowed(?! here)\b(?!.{0,20}mailbox)|members?[- ]only|not (?:a )?member(?! of (?:the )?domain)/,
  /(?:rejected|blocked|refused) by (?:the )?recipient|refuses? to|user refuse|recipient preferences|own suppression|suppression list/,
  // Permission, in the texts of Google Groups, which leave open if the group exists.
  /permission|oprávněn|oprávnen|uprawnie|toestemming|behörighet|berechtig|nicht befugt|tilladelse|tillatelse|käyttöoikeu|jogosults|permisiune|permiso|permissão|permesso|autorizzazion|autorisation|autoris[ée]|разрешени|нет прав|権限|权限|權限|권한|\bizni/,
  // Policy.
  /captcha|challenge|white ?list|allow[- ]?list|geograph|go away/,
  // Authentication.
  /\b(?:spf|dkim|dmarc|dane)\b|authenticat|starttls|\btls\b|encrypt|credential|certificate|password/,
  // Sender.
  /\bsender(?:'s)? (?:[a-z]+ ){0,3}(?:address|domain|ip|verif|reject|is|has|not|id|unknown|denied|block|suspend|disabled)/,
  /(?:invalid|bad|unknown|banned|unverified|unroutable|unresolvable|envelope|null|emetteur|domain of|outbound) sender|verif[a-z]* failed|sender verif/,
  /purported responsible|\bsrs\b|\bbatv\b|backscatter|emetteur|\bfrom: ?(?:domain|addresses|header)|blank from|mail from (?!command)(?:@|[0-9]|not)/,
  /\byour (?:e-?mail |mail |sender )?(?:domain|address)\b/,
  // Host.
  /reverse dns|reverse lookup|\bptr\b|\brdns\b|your (?:host ?name|remotehost|ip|network)|\bhelo\b|\behlo\b|client host|sending ip|smtp banner/,
  // Content.
  /(?<![a-z])spam|junk ?mail|virus|malware|phish|content|attachment|bulk mail|unsolicited|lone (?:cr|lf)|bare (?:cr|lf)/,
  /(?:missing|invalid|duplicate|multiple|bad|malformed|illegal|no|your|from|date|message-id|subject|too many|non-?compliant)['"]? (?:\w+ )?headers?\b|\bheaders? (?:is|are|field|line|check|missing|invalid|not)/,
  /(?:message|mail) (?:was |has been |is )?(?:rejected|refused|denied|filtered)(?! ?[:-]? (?:no such|user|unknown|address))|\bfilter/,
  // Relaying.
  /relaying|relay (?:access|not|denied)|(?:to|open|mail) relay|rcpthosts|not relay/,
  // Temporary.
  /temporar|(?<!and )try(?:ing)? (?:again|later|this)|try later|later\b|gr[ea]ylist|deferr|maintenance|overload|\bbusy\b/,
  // Network.
  /time?d? ?out|message expired(?!, dns)|delivery expired|queue\.expired|hash expired|connection (?:refused|reset|dropped|lost|closed)|lost connection|unreachable|not responding|no response/,
  /(?:internal|local|network|system|protocol) error|lookup fail|server error|resources|loops? back|mail ?loop|too many hops|hop count|looping/,
  // Temporary error of DNS.
  /server ?fail(?:ure)?\b|servfail|errorretry|(?:malformed|unexpected)[a-z ]{0,20} (?:name server|dns) (?:reply|response)|name ?server (?:failure|timeout)|dns (?:timeout|failure)/,
  // Quota, in other languages.
  /postfach.{0,40}voll|kontingent|speicherplatz|pleine|llen[oa]\b|cuota|piena|volle\b|cheia|przepełni/,
  /переполнен|превышен|已满|空间不足|容量|いっぱい|満杯|超えて/,
  // Policy, in other languages.
  /受信拒否|拒否|拒收|拒绝|спам|отклонено политикой|refusée?\b|richtlinie|abgelehnt|bloque/,
];
