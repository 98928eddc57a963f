/** The SMTP command that the remote server refused. */
export type SmtpPhase = "connect" | "ehlo" | "mail" | "rcpt" | "data";

/** How mail systems name the refused command. In order of precedence: transcripts of sessions come last. */
const PHASES: readonly (readonly [SmtpPhase, RegExp])[] = [
  // Postfix, Exim.
  ["connect", /refused to talk to me|after initial connection|but greeting failed/i],
  // Postfix.
  ["ehlo", /in reply to (?:HELO|EHLO|STARTTLS|AUTH)|performing the (?:HELO|EHLO) handshake/i],
  // Exim, qmail.
  ["ehlo", /after (?:pipelined )?(?:HELO|EHLO|STARTTLS|AUTH)\b|but my name was rejected/i],
  // GMX.
  ["ehlo", /(?:for|after) (?:HELO|EHLO|STARTTLS|AUTH) command/i],
  ["mail", /(?:for|after) MAIL(?: FROM)? command/i],
  ["data", /(?:for|after) (?:TEXT|DATA) command|after transfer of mail text/i],
  ["rcpt", /(?:for|after) RCPT(?: TO)? command/i],
  // Postfix, Exim, qmail.
  [
    "mail",
    /in reply to MAIL\b|did not like our MAIL|after (?:pipelined )?MAIL FROM|but sender was rejected|\[MAIL_?FROM\]/i,
  ],
  [
    "data",
    /in reply to (?:end of )?(?:DATA|BDAT)|did not like our (?:final )?DATA|after (?:pipelined )?(?:end of )?DATA\b|after I sent the message/i,
  ],
  ["rcpt", /in reply to RCPT|did not like our RCPT|after (?:pipelined )?RCPT TO|does not like recipient|\[RCPT_?TO\]/i],
];

/** A command and the first refusal after it, in the transcripts of sendmail, Courier and InterScan. */
const TRANSCRIPT =
  /(?:>>>|Sent <<<) ?(HELO|EHLO|STARTTLS|AUTH|MAIL|RCPT|DATA|BDAT)\b(?:(?!>>> ?[A-Z]{4}\b|Sent <<<)[\s\S]){0,400}?(?:<<<|Received >>>) ?5\d\d/i;

/** The reply to DATA when no recipient was accepted: the refusals are those of RCPT, although sendmail pipelines and names DATA only. */
const NO_RECIPIENT =
  /(?:<<<|Received >>>) ?5(?:03[ -][^\n]{0,60}?\b(?:need|valid|no|send|must|rcpt)\b[^\n]{0,40}?\b(?:rcpt|recipient|first)|54[ -][^\n]{0,30}?no valid recipients)/i;

const COMMANDS: Record<string, SmtpPhase> = {
  HELO: "ehlo",
  EHLO: "ehlo",
  STARTTLS: "ehlo",
  AUTH: "ehlo",
  MAIL: "mail",
  RCPT: "rcpt",
  DATA: "data",
  BDAT: "data",
};

/** Returns the phase that a diagnostic or a transcript names; null when it names none. Reads the first 4,000 characters. */
export function findPhase(text: string): SmtpPhase | null {
  const start = text.slice(0, 4000);
  const named = PHASES.find(([, pattern]) => pattern.test(start));
  if (named) return named[0];
  const command = TRANSCRIPT.exec(start)?.[1]?.toUpperCase();
  const phase = command === undefined ? null : (COMMANDS[command] ?? null);
  return phase === "data" && NO_RECIPIENT.test(start) ? "rcpt" : phase;
}
