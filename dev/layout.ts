import path from "node:path";

/** Where one local service keeps its things and listens. Two of them differ in STATE_DIR and PORT. */
export interface Layout {
  stateDir: string;
  /** What `wrangler dev --persist-to` takes; the databases are in `v3` below it. */
  persistDir: string;
  mailDir: string;
  localFile: string;
  seedFile: string;
  secretsFile: string;
  /** The Worker's settings and secrets, in the form `wrangler dev --env-file` reads. */
  workerEnvFile: string;
  workerLog: string;
  certificateDir: string;
  ports: Ports;
}

export interface Ports {
  api: number;
  smtp: number;
  captured_mail: number;
  /** DNS over HTTPS for `*.test`, with its page. */
  dns: number;
}

export const ROOT = path.join(import.meta.dirname, "..");
export const HOST = "127.0.0.1";

const DEFAULT_PORT = 8787;
const LAST_PORT = 65_535;

/** Reads STATE_DIR and PORT from the environment. */
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
    ports: readPorts(env.PORT),
  };
}

function readPorts(text: string | undefined): Ports {
  const api = text ? Number(text) : DEFAULT_PORT;
  if (!Number.isInteger(api) || api < 1 || api + 3 > LAST_PORT) {
    throw new Error(`PORT must be a number from 1 to ${LAST_PORT - 3} (three more ports follow it), not "${text}".`);
  }
  return { api, smtp: api + 1, captured_mail: api + 2, dns: api + 3 };
}
