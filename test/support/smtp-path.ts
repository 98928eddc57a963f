/** Returns the address of a MAIL or RCPT command, in its case; an empty text without one. */
export const pathIn = (command = ""): string => /<([^>]*)>/.exec(command)?.[1] ?? "";
