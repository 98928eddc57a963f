/** Phrases of bounces without an RFC 3464 report, in the form that `flatten` returns: lower case, straight apostrophes, single spaces. */

/** Phrases that only a bounce of the named system contains. */
export const WORDINGS: readonly { system: string; says: string }[] = [
  { system: "qmail", says: "this is the qmail-send program" },
  { system: "qmail", says: "wasn't able to deliver your message to the following addresses" },
  { system: "yahoo", says: "unable to deliver your message to the following address" },
  { system: "yahoo", says: "unable to deliver message to the following address" },
  { system: "postfix", says: "i'm sorry to have to inform you that" },
  { system: "sendmail", says: "the following addresses had permanent fatal errors" },
  { system: "sendmail", says: "----- transcript of session follows -----" },
  { system: "sendmail", says: "the following addresses have delivery notifications" },
  { system: "exim", says: "could not be delivered to one or more of its recipients" },
  { system: "exim", says: "the following address(es) failed" },
  { system: "mail.ru", says: "не может быть доставлено одному или нескольким получателям" },
  { system: "exchange", says: "did not reach the following recipient(s)" },
  { system: "exchange", says: "did not reach some or all of the intended recipients" },
  { system: "exchange", says: "delivery has failed to these recipients or" },
  { system: "exchange", says: "diagnostic information for administrators" },
  { system: "exchange", says: "fehler bei der nachrichtenzustellung an folgende empfänger" },
  { system: "exchange", says: "échec de la remise pour ces destinataires" },
  { system: "office365", says: "couldn't be delivered" },
  { system: "iis", says: "delivery to the following recipients failed" },
  { system: "gmail", says: "delivery to the following recipient failed permanently" },
  { system: "gmail", says: "delivery to the following recipients failed permanently" },
  { system: "gmail", says: "your message wasn't delivered to" },
  { system: "notes", says: "------- failure reasons" },
  { system: "domino", says: "was not delivered to:" },
  { system: "groupwise", says: "the message that you sent was undeliverable to the following" },
  { system: "courier", says: "your message to the following recipients cannot be delivered" },
  { system: "smail", says: "failed addresses follow:" },
  { system: "mdaemon", says: "the attached message had permanent fatal delivery errors" },
  { system: "james", says: "this is the james mail server at" },
  { system: "opensmtpd", says: "an error has occurred while attempting to deliver a message" },
  { system: "sun", says: "your message cannot be delivered to the following recipients" },
  { system: "ses", says: "error occurred while trying to deliver the mail to the following recipients" },
  { system: "mercury", says: "was not able to deliver your message to the following addresses" },
  { system: "any", says: "your message could not be delivered" },
  { system: "any", says: "your message was not delivered" },
  { system: "any", says: "your e-mail could not be delivered" },
  { system: "mailfoundry", says: "delivery failed for the following reason" },
  { system: "biglobe", says: "the following addresses had delivery problems" },
  { system: "x1", says: "the following addresses had delivery errors" },
  { system: "kddi", says: "could not be delivered to:" },
  { system: "au", says: "the user(s) account is disabled" },
  { system: "au", says: "recipients was rejected by a remote mail server" },
  { system: "mailmarshal", says: "could not be delivered because of" },
  { system: "zoho", says: "error_code :" },
  { system: "imail", says: "body of message generated response" },
  { system: "activehunter", says: "-----server message" },
  { system: "interscan", says: "sent <<< rcpt to" },
  { system: "verizon", says: "message could not be delivered to mobile" },
  { system: "messagelabs", says: "failed recipients" },
  { system: "barracuda", says: "permanent failure for one or more recipients" },
  { system: "facebook", says: "this message was created automatically by facebook" },
  { system: "mailenable", says: "mailenable: message could not be delivered to some recipients" },
  { system: "hmailserver", says: "your message did not reach some or all of the intended recipients" },
  { system: "haraka", says: "some recipient(s) could not be reached" },
  { system: "zonemta", says: "delivery to the following recipient failed" },
  { system: "kerio", says: "your message did not reach the following recipients" },
  { system: "m-filter", says: "以下のメールアドレスへの送信に失敗しました" },
  { system: "interscan", says: "メール配信に失敗しました" },
  { system: "japan", says: "配信できませんでした" },
  { system: "japan", says: "お届けできませんでした" },
  { system: "qq", says: "抱歉，您的邮件被退回来了" },
  { system: "163", says: "您的邮件被退回" },
];

/**
 * Phrases of a delay in the text that a mail system writes for people. They take precedence over signs of a failure: a
 * delay notice quotes the wording of a failure, but a failure does not promise another attempt.
 */
export const DELAYS: readonly RegExp[] = [
  /warning (?:message )?only|(?:do not|don't|no) need to re-?send|no action is required/,
  /still (?:being (?:re)?tri|trying|in the (?:mail )?queue)|(?:will|shall) (?:keep|continue)(?: to)? (?:try|retry|attempt)|(?:attempts|retries) will continue/,
  /will (?:be )?(?:retry|retried)|will (?:be )?(?:try|tried|attempt|attempted|re-?attempted) again|continu(?:e|es|ing) (?:to )?(?:try|trying|attempt|retry)/,
  /(?:has|have) not (?:yet )?been delivered(?: to [^.]{1,80})? (?:yet|after)|not yet (?:been )?delivered/,
  /(?:is|was|been|being) delayed|delayed (?:mail|message|delivery)|deliver\w* delay|delay (?:reason|notif|notice)|\(delay\)|delayed \d+ hours?|delivery incomplete/,
  /transient non-?fatal|temporary (?:problem|failure|error) (?:delivering|while)/,
  /verzöger|verspätet|retardé|remise différée|retrasad|demorad|retraso|em atraso|atrasad|in ritardo|ritardat|задержк|задержан/,
  /遅延|遅れて|再送(?:を続|を試|します|いたします)|延迟|延遲|vertraagd|opóźni|försena|forsinke|지연/,
];

/** Subjects of bounces. They count only with other signs. */
export const SUBJECTS: readonly RegExp[] = [
  /undeliver|non[- ]?deliver|not delivered|returned (?:mail|to sender|message)|mail system error|bounced? (?:mail|message)/,
  /(?:delivery|mail|message)\b.{0,40}\b(?:fail|status|problem|error|unsuccess|reject|return)|fail\w*.{0,30}\b(?:deliver|mail|notice|notification)|failure notice/,
  /could ?n[o']t be (?:delivered|sent)|unzustellbar|nicht zugestellt|non remis|échec de|no se puede entregar|no entregado|mancat[oa] (?:recapito|consegna)|niet bezorgd|onbestelbaar|não entregue|falha na entrega/,
  /недоставлен|не доставлен|ошибка доставки|配信(?:不能|エラー|に失敗|できま)|送信(?:エラー|に失敗|できま)|エラーメール|戻りメール|退信|投递失败|无法投递|배달 실패/,
];

/** Sentences that say that a mail was not delivered. They count only with other signs. */
export const FAILURES: readonly RegExp[] = [
  /(?:could ?n[o']t|could not|cannot|can't|unable to|was not|wasn't|not able to|failed to|did not|has not been)(?: be)?(?: \w+)? (?:deliver|reach|send|sent|transmit)/,
  /undeliver|deliver\w* (?:\w+ )?(?:has |have |was )?(?:fail|unsuccess)|failed (?:to deliver|delivery|address|recipient)|delivery errors?|error (?:while )?(?:delivering|sending)|permanent(?:ly)? (?:fatal )?(?:error|fail)/,
  /rejected by (?:the|a|its) (?:remote|recipient|server|destination)|(?:message|mail) (?:was |is |has been )?(?:rejected|returned|bounced)|returned to (?:you|sender)|fatal error/,
  /nicht zugestellt|unzustellbar|n'a (?:pas )?pu être (?:remis|délivré|distribué)|no (?:se )?(?:pudo|ha podido|puede)(?: ser)? entreg|não (?:pôde|foi|pode) ser entregue|non (?:è stato|è stata|può essere) (?:possibile )?(?:consegnat|recapitat)|niet (?:worden )?(?:afgeleverd|bezorgd)/,
  /не (?:может быть|был[ао]?|удалось) ?достав|配信できま|送信できま|届けられま|お届けでき|配達できま|(?:配信|送信|配送)に失敗|无法(?:投递|送达|发送)|未能(?:投递|送达)|退回|전달할 수 없/,
];

/** The returned mail begins at a line that contains one of these phrases (lower case). */
export const RETURNED: readonly string[] = [
  "below this line is a copy of the message",
  "enclosed is a copy of the message",
  "this is a copy of the message",
  "this is a copy of your message",
  "----- original message",
  "-----original message",
  "----- message header follows",
  "----- unsent message follows",
  "----- returned message",
  "----- undelivered message",
  "----- message text follows",
  "original message headers:",
  "original message header:",
  "original message follows",
  "message headers follow",
  "the header of the original message is following",
  "en-têtes de message d'origine",
];

/** A line that says that a copy of the mail or of its header follows (lower case). */
export const COPY_FOLLOWS =
  /^\W*(?:(?:the )?(?:this|below|following|here|next)\b.{0,24}\bis (?:a|the) )?copy of (?:the|your) (?:original |returned |undelivered )?(?:e-?mail|message)\b|^\W*(?:original|returned|undelivered) (?:e-?mail|message)(?:'s)? headers?\b.{0,20}:\s*$/;
