import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { MailServer } from "../../platform/settings/mail-servers.ts";
import { type Element, toXml } from "./xml.ts";

const DOCTYPE =
  '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';

type Value = string | number | boolean | Readonly<Record<string, unknown>>[];

/**
 * Returns the configuration profile of Apple's Mail for an address (com.apple.mail.managed). It has no password: the device asks for it.
 * `name` and `host`: of the service. The identifiers follow from host and address, so that installing it again replaces it. Null when a server is missing. Pure.
 */
export async function toProfile(
  { address, name, host }: { address: string; name: string; host: string },
  servers: readonly MailServer[],
): Promise<string | null> {
  const [imap, smtp] = (["imap", "smtp"] as const).map((one) => servers.find(({ protocol }) => protocol === one));
  if (!imap || !smtp) return null;
  const [account, profile] = [await uuidOf(`account ${host} ${address}`), await uuidOf(`profile ${host} ${address}`)];
  const identifier = `${host.split(".").reverse().join(".")}.mail.${profile}`;
  const mail = {
    PayloadType: "com.apple.mail.managed",
    PayloadVersion: 1,
    PayloadIdentifier: `${identifier}.account`,
    PayloadUUID: account,
    PayloadDisplayName: address,
    EmailAccountDescription: address,
    EmailAccountType: "EmailTypeIMAP",
    EmailAddress: address,
    ...serverFields("Incoming", imap, address),
    ...serverFields("Outgoing", smtp, address),
    OutgoingPasswordSameAsIncomingPassword: true,
  };
  const fields = {
    PayloadType: "Configuration",
    PayloadVersion: 1,
    PayloadIdentifier: identifier,
    PayloadUUID: profile,
    PayloadDisplayName: `${name}: ${address}`,
    PayloadDescription: `Sets up ${address} in Mail.`,
    PayloadContent: [mail],
  };
  return toXml([['plist version="1.0"', [toDict(fields)]]], { doctype: DOCTYPE });
}

const serverFields = (way: "Incoming" | "Outgoing", { host, port }: MailServer, address: string) => ({
  [`${way}MailServerAuthentication`]: "EmailAuthPassword",
  [`${way}MailServerHostName`]: host,
  [`${way}MailServerPortNumber`]: port,
  // TLS or STARTTLS, whichever the port has.
  [`${way}MailServerUseSSL`]: true,
  [`${way}MailServerUsername`]: address,
});

const toDict = (fields: Readonly<Record<string, unknown>>): Element => [
  "dict",
  Object.entries(fields).flatMap(([key, value]): Element[] => [["key", key], toValue(value as Value)]),
];

function toValue(value: Value): Element {
  if (typeof value === "boolean") return [String(value), []];
  if (typeof value === "number") return ["integer", String(value)];
  return typeof value === "string" ? ["string", value] : ["array", value.map(toDict)];
}

/** Returns a UUID that follows from a text. */
const uuidOf = async (text: string) => (await uuidFromHash(utf8(text))).toUpperCase();
