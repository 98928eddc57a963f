import { isServiceScope, type RequiredScope } from "../access/accounts/scopes.ts";

/** The operation that an example of an error is for. */
interface Of {
  /** Tag of the operation, such as "API keys". */
  tag: string;
  need: RequiredScope;
}

const scopeOf = (need: RequiredScope) => (need.includes(":") && !isServiceScope(need) ? need : "emails:send");

/** A 400 of the operations of a tag. */
const badRequests: Readonly<Record<string, string>> = {
  Analytics: "period must be one of 24h, 7d, 30d, 90d",
  Contacts: "The CSV file has no email column: its first row must contain the cell email",
  Emails: "send_at must be between 1 minute and 30 days in the future",
  Notifications: "preferences must be an object of categories",
};

const details: Readonly<Record<number, (of: Of) => unknown>> = {
  400: ({ tag }) => badRequests[tag],
  401: () => "The Authorization header is missing; send Authorization: Bearer <API key>",
  403: ({ need }) => `Missing scope: ${scopeOf(need)}`,
  404: ({ tag }) => `${singular(tag)} not found`,
  408: () => "The request body arrived too slowly",
  409: () => "Another request changed this resource at the same time; try again",
  410: () => "This link has expired",
  411: () => "The body must have a Content-Length",
  413: () => "The body is 41943041 bytes; the limit is 41943040",
  415: () => "Content-Type is text/plain; the body must be application/json",
  422: () => [{ loc: ["body", "to", 0, "email"], msg: "Not a valid email address", type: "value_error" }],
  426: () => "This endpoint accepts WebSocket handshakes only",
  429: () => "The limit is 600 requests per API key and minute; retry in 60 seconds",
  502: () => "The mailbox cannot be reached; try again",
  503: () => "The mail database of this workspace is full; try again later",
};

/** Returns the body of an error of an operation, for the OpenAPI document; undefined when there is none of this status. */
export function errorExample(status: number, of: Of): object | undefined {
  const detail = details[status]?.(of);
  return detail === undefined ? undefined : { detail };
}

/** Returns the singular of a tag: "API key" of "API keys", "Mailbox" of "Mailboxes". */
const singular = (tag: string) => tag.replace(/(?<=x)es$|s$/, "");
