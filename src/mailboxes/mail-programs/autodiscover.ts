import { parseAddress } from "../../lib/addresses.ts";
import type { MailServer } from "../../platform/settings/mail-servers.ts";
import { type Element, toXml } from "./xml.ts";

/** Schemas of POX Autodiscover ([MS-OXDSCLI] 2.2): of every response, and of the settings of Outlook. */
const RESPONSE = "http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006";
const OUTLOOK = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";

/** The errors of a malformed request or address, and of a request for settings of other programs ([MS-OXDSCLI] 2.2.4.1.1.2.4). */
const ERRORS = { invalid: ["600", "Invalid Request"], unsupported: ["601", "Provider is not available"] } as const;

/** A text of the request, without entities beside those of XML: it is read by two patterns, so nothing in it is expanded. */
const textOf = (xml: string, name: string): string | null => {
  const text = new RegExp(`<(?:\\w{1,20}:)?${name}>([^<]{1,1000})</`).exec(xml)?.[1];
  return text === undefined
    ? null
    : text.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity) => ENTITIES[entity] ?? "").trim();
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Returns the response to a POX Autodiscover request of Outlook: the servers, with the login when the request names an address, or an
 * error. The response depends on the form of the address alone, so it does not tell which addresses exist.
 */
export function toAutodiscover(request: string, servers: readonly MailServer[]): string {
  const schema = textOf(request, "AcceptableResponseSchema");
  if (schema !== null && schema !== OUTLOOK) return refuse("unsupported");
  const given = textOf(request, "EMailAddress");
  const address = parseAddress(given ?? "")?.address;
  if (!address && (given || !/<(?:\w{1,20}:)?Request>/.test(request))) return refuse("invalid");
  const ofAddress = (name: string): Element[] => (address ? [[name, address]] : []);
  const account: Element[] = [
    ["AccountType", "email"],
    ["Action", "settings"],
    ...preferred(servers).map((server) => toProtocol(server, ofAddress("LoginName"))),
  ];
  return respond([
    `Response xmlns="${OUTLOOK}"`,
    [
      ["User", ofAddress("DisplayName")],
      ["Account", account],
    ],
  ]);
}

/** Outlook takes the first server of each protocol. */
const preferred = (servers: readonly MailServer[]) =>
  servers.filter(({ protocol }, index) => servers.findIndex((one) => one.protocol === protocol) === index);

function toProtocol({ protocol, host, port, security }: MailServer, login: readonly Element[]): Element {
  return [
    "Protocol",
    [
      ["Type", protocol.toUpperCase()],
      ["Server", host],
      ["Port", String(port)],
      ["DomainRequired", "off"],
      ...login,
      ["SPA", "off"],
      ["Encryption", security === "tls" ? "SSL" : "TLS"],
      ["AuthRequired", "on"],
    ],
  ];
}

function refuse(error: keyof typeof ERRORS): string {
  const [code, message] = ERRORS[error];
  return respond([
    "Response",
    [
      [
        'Error Time="00:00:00.0000000" Id="0"',
        [
          ["ErrorCode", code],
          ["Message", message],
          ["DebugData", []],
        ],
      ],
    ],
  ]);
}

const respond = (response: Element) => toXml([[`Autodiscover xmlns="${RESPONSE}"`, [response]]]);
