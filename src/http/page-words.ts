const ADDRESS = "Enter an address such as ada@example.org";

/** Beginnings of the errors of the API, which name its fields, and what a page says instead. The first that matches counts. */
const WORDS: readonly [RegExp, string][] = [
  [/^send_at must be between/, "Choose a time between 1 minute and 30 days from now"],
  [/^(?:send_at|scheduled_at) must be an ISO 8601 time/, "Choose a date and a time"],
  [/^scheduled_at must be in the future/, "Choose a time in the future"],
  [/^name must be a domain name/, "Enter a domain such as example.com"],
  [/^name is a public suffix/, "This is a public suffix. Enter a domain below it, such as example.co.uk"],
  [/^(?:url|target) is refused: the URL must begin with/, "Use an https:// address"],
  [/^(?:url|target) is refused: the (?:host|address) is not public/, "Use the address of a public host"],
  [/^(?:url|target) is refused: the port/, "Use port 443, or one from 1024 on"],
  [/^(?:url|target) is refused: the URL is not valid/, "Enter an address such as https://hooks.example.com/email"],
  [/^(?:email|target) must be a valid email address/, ADDRESS],
  [/^Not a valid email address/, ADDRESS],
  [/^\w+ must be an email address, or @ and a domain/, "Enter an address, or @ and a domain"],
  [/^local_part must not contain @/, "Enter only the part before the @"],
  [/^local_part must not contain \+/, "Leave out the +: a mailbox gets mail for its plus-addresses too"],
  [/^local_part must be/, "Enter the part before the @, such as hello"],
  [/^must be a UUID/, "Choose one of the list"],
  [/^(?:all|any) must be a list of at least one condition/, "Add a condition to the group, or remove it"],
  [/^slack_webhook_url must be/, "Enter an incoming webhook: https://hooks.slack.com/services/…"],
];

/** Returns an error of the API in the words of a page: those of people, not of fields. Other texts stay. Pure. */
export const inPageWords = (message: string): string =>
  WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
