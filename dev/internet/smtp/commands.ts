/** A command line of SMTP (RFC 5321 4.1): its verb in capitals; of MAIL and RCPT the address and the parameters. */
export interface Command {
  verb: string;
  address: string;
  parameters: string[];
}

/** Reads a command line. Pure. */
export function readCommand(line: string): Command {
  const [, verb = ""] = /^([a-z]+)/i.exec(line) ?? [];
  const [, address = "", rest = ""] = /^(?:MAIL FROM|RCPT TO): ?<([^>]*)>(.*)$/i.exec(line) ?? [];
  return { verb: verb.toUpperCase(), address, parameters: rest.split(" ").filter((parameter) => parameter !== "") };
}
