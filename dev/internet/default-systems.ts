import type { Behaviour, MailSystem } from "./behaviour.ts";

/** The domains of the local internet with a behaviour, for people who try the service. All other domains accept. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  greylist: { greylist: { seconds: 60 } },
  rate: { rate: { messagesPerMinute: 30 } },
  blocked: { blocked: { at: "greeting" } },
  "tls-only": { tls: "required" },
  slow: { slow: { ms: 1_000 } },
  tarpit: { tarpit: { msPerByte: 3_000 } },
  "closes-after-dot": { closesAfterDot: { each: 1 } },
};

/** Last number of the first loopback address. */
const FIRST_ADDRESS = 11;

/** The mail system of all domains that no other has. It has the one address that every machine has. */
export const ACCEPTS: MailSystem = {
  name: "accepts",
  domains: ["accepts.test"],
  mx: ["mx.accepts.test"],
  address: "127.0.0.1",
  behaviour: {},
};

/** The mail systems of `npm start`: `greylist.test`, `rate.test`, `blocked.test` and so on. */
export const defaultSystems: readonly MailSystem[] = [
  ACCEPTS,
  ...Object.entries(BEHAVIOURS).map(([name, behaviour], index) => ({
    name,
    domains: [`${name}.test`],
    mx: [`mx.${name}.test`],
    address: `127.0.0.${FIRST_ADDRESS + index}`,
    behaviour,
  })),
];
