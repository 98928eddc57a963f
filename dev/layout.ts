import path from "node:path";

/** Files, folders and ports of one local service. Set STATE_DIR and PORT to run a second one. */
export interface Layout {
  stateDir: string;
  /** As the argument of `wrangler dev --persist-to`; the databases are in its subfolder `v3`. */
  persistDir: string;
  mailDir: string;
  localFile: string;
  seedFile: string;
  secretsFile: string;
  /** Settings and secrets of the Worker, in the format of `wrangler dev --env-file`. */
  workerEnvFile: string;
  workerLog: string;
  certificateDir: string;
  /** By how much `npm run dev:clock` has moved the clock. */
  clockFile: string;
  /** Records of the zones of the stand-in of the DNS API (dev/dns-api). */
  zonesFile: string;
  ports: Ports;
}

export interface Ports {
  api: number;
  smtp: number;
  captured_mail: number;
  /** DNS over HTTPS for `*.test`, and the DNS page. */
  dns: number;
  /** The mail gateway: submission with STARTTLS, submission with implicit TLS, mail from outside. */
  submission: number;
  submission_tls: number;
  mx: number;
  /** Mail programs: IMAP with TLS from the start. */
  imap_tls: number;
}

export const ROOT = path.join(import.meta.dirname, "..");
export const HOST = "127.0.0.1";

const DEFAULT_PORT = 8787;
const LAST_PORT = 65_535;

/** Reads STATE_DIR and PORT from the environment. Throws when PORT is not a usable port. */
export function readLayout(env: NodeJS.ProcessEnv): Layout {
  const stateDir = path.resolve(ROOT, env.STATE_DIR || ".dev");
  return {
    stateDir,
    persistDir: path.join(stateDir, "worker"),
    mailDir: path.join(stateDir, "mail"),
    localFile: path.join(stateDir, "local.json"),
    seedFile: path.join(stateDir, "seed.json"),
    secretsFile: path.join(stateDir, "secrets.json"),
    workerEnvFile: path.join(stateDir, "worker.env"),
    workerLog: path.join(stateDir, "worker.log"),
    certificateDir: path.join(stateDir, "certificates"),
    clockFile: path.join(stateDir, "clock.json"),
    zonesFile: path.join(stateDir, "zones.json"),
    ports: readPorts(env.PORT),
  };
}

/** Number of ports of a service. */
const PORTS = 8;

/** Returns the ports of a service whose API is on port `api`. */
export function portsFrom(api: number): Ports {
  return {
    api,
    smtp: api + 1,
    captured_mail: api + 2,
    dns: api + 3,
    submission: api + 4,
    submission_tls: api + 5,
    mx: api + 6,
    imap_tls: api + 7,
  };
}

function readPorts(text: string | undefined): Ports {
  const api = text ? Number(text) : DEFAULT_PORT;
  if (!Number.isInteger(api) || api < 1 || api + PORTS > LAST_PORT + 1) {
    throw new Error(
      `PORT is "${text}"; it must be a number from 1 to ${LAST_PORT + 1 - PORTS} (the service also uses the next seven ports).`,
    );
  }
  return portsFrom(api);
}

/** Returns the base URL of the API. */
export function apiUrl(layout: Layout): string {
  return `http://${HOST}:${layout.ports.api}/v1`;
}
