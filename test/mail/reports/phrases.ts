/** Examples of the phrases by which failures are classified: each phrase of the tables matches one of them. */

/** The address does not work. */
export const ADDRESS_EXAMPLES: readonly string[] = [
  "no such user",
  "user not found",
  "mailbox unavailable",
  "b@y.test does not exist",
  "no mailbox here by that name",
  "this user doesn't have a yahoo account",
  "resolver.adr.recipnotfound",
  "unrouteable address",
  "this mailbox is disabled",
  "recipient no longer on server",
  "inactive email address",
  "utilisateur inconnu",
  "usuario desconocido",
  "benutzer unbekannt",
  "пользователь не найден",
  "ディレクトリのリストにありません",
];

/** No mail arrives at the domain. */
export const DOMAIN_EXAMPLES: readonly string[] = [
  "no such domain",
  "domain not found",
  "name or service not known",
  "couldn't find any host named y",
  "recipient address has null mx",
  "host does not accept mail",
];

/** The failure has another reason, named first. */
export const OTHER_EXAMPLES: readonly (readonly [about: string, example: string])[] = [
  ["quota", "over quota"],
  ["quota", "mailbox full"],
  ["quota", "storage full"],
  ["quota", "exceeds allowed size"],
  ["quota", "out of storage"],
  ["size", "message too large"],
  ["rate", "too many messages"],
  ["rate", "rate limit reached"],
  ["reputation", "poor reputation"],
  ["reputation", "192.0.2.1 listed at an RBL"],
  ["reputation", "blocked"],
  ["policy", "refused by policy"],
  ["policy", "not authorized"],
  ["policy", "rejected by the recipient"],
  [
    "permission, in the texts of Google Groups, which leave open if the group exists",
    "you may not have permission to post messages",
  ],
  ["policy", "not on the allow list"],
  ["authentication", "dmarc failed"],
  ["sender", "sender address rejected"],
  ["sender", "sender verify failed"],
  ["sender", "blank From addresses"],
  ["sender", "your domain does not exist"],
  ["host", "no reverse dns"],
  ["content", "message content"],
  ["content", "missing From header"],
  ["content", "message rejected"],
  ["relaying", "relaying denied"],
  ["temporary", "try again later"],
  ["network", "connection timed out"],
  ["network", "mail loop"],
  ["temporary error of DNS", "DNS query failed(ServerFailure)"],
  ["suspension", "mailbox not available"],
  ["policy", "closed to external senders"],
  ["quota", "boite du destinataire pleine"],
  ["quota", "почтовый ящик переполнен"],
  ["policy", "受信拒否"],
];
