import { type Command, commands } from "./commands.ts";

/** Longest text in a column of a table, in characters. JSON has all of it. */
const MAX_COLUMN = 60;

/** Returns the help of `npm run admin`. */
export function help(): string {
  const calls = commands.map(({ name, takes }) => [name, ...takes].join(" "));
  const width = Math.max(...calls.map((call) => call.length));
  const lines = commands.map(({ summary }, index) => `  ${(calls[index] ?? "").padEnd(width)}  ${summary}`);
  return `Usage: npm run admin -- <command> [options]

${lines.join("\n")}

  --url <PUBLIC_URL>   a deployment, with its MASTER_KEYS in the environment; default: the service that npm start runs
  --as <address>       the platform administrator whom the audit log names; default: the first one
  --email <address>    of the account, for users list and sign-in-link
  --workspace <id>     for egress assign and remove; or --domain <name>
  --egress <name>      for egress assign
  --shut               for workspaces pause: refuse keys and sign-ins too
  --limit <number>     most rows of a list, default 100
  --json               prints JSON, one value

of egress check, which needs no service:
  --name <host>        the EHLO name; default: EGRESS_NAME, or the name of this machine
  --address <address>  source addresses, separated by commas; default: SOURCE_ADDRESS, or those that the
                       system chooses; behind NAT the addresses of the name
  --domain <domain>    a sending domain whose SPF must allow them, such as BOUNCE_DOMAIN
  --to <domain>        a domain to whose mail server port 25 is tried
  --connect <host>     a mail server instead, host or host:port
  --dns <address>      a DNS server instead of those of the system; some blocklists answer only one of your own
  --blocklists <zone>  blocklists instead of the usual ones, separated by commas
  --egress <URL>       EGRESS_URL, whose certificate is read; default: smtp://<name>, port 587`;
}

/** Returns how a command is called. */
export const usage = ({ name, takes }: Command) => `npm run admin -- ${[name, ...takes].join(" ")}`;

/** Returns the result of a command as a table, or as JSON. */
export function format(result: unknown, isJson: boolean): string {
  if (isJson) return JSON.stringify(result, null, 2);
  if (result === null) return "Done.";
  if (!Array.isArray(result))
    return columns(Object.entries(result as object).map(([name, value]) => [name, text(value)]));
  const rows = result as Record<string, unknown>[];
  const [first] = rows;
  if (!first) return "None.";
  const names = Object.keys(first);
  return columns([names, ...rows.map((row) => names.map((name) => text(row[name])))]);
}

function text(value: unknown): string {
  if (value === null || value === undefined) return "-";
  // Texts of customers may contain control characters, which a terminal would obey.
  const plain = (typeof value === "object" ? JSON.stringify(value) : String(value)).replace(/\p{Cc}/gu, "?");
  return plain.length > MAX_COLUMN ? `${plain.slice(0, MAX_COLUMN - 1)}…` : plain;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
