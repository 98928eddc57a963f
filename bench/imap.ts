/** Measures mail programs (IMAP) in a mailbox of 10,000 messages: SELECT, a sync against Dovecot, memory and idle clients. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { certificateFiles } from "../test/host/support/gateway-rig.ts";
import { type Bench, type Deployment, GATEWAY_SECRET } from "./deployment.ts";
import { type Dovecot, findDovecotIssue, startDovecot } from "./imap/dovecot.ts";
import { RawClient } from "./imap/raw-client.ts";
import { importArchive } from "./import-archive.ts";
import { residentMegabytes } from "./memory.ts";
import { costPerThousand } from "./prices.ts";
import { startGatewayProcess } from "./submission/gateway-process.ts";
import { median, type Row } from "./table.ts";

const MESSAGES = 10_000;
const ROUNDS = 5;
const IDLE_CLIENTS = 50;
const BUDGET_MS = 1_000;
const BUDGET_MB = 40;
const BUDGET_RATIO = 1 / 3;
const PASSWORD = "a password of the bench";
const LIST = "(UID FLAGS INTERNALDATE RFC822.SIZE ENVELOPE)";
const SYNC =
  "(UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (From To Cc Subject Date Message-ID References)])";
/** Checks of an access in a month, those of one call (mail-gateway/imap/worker-mailboxes.ts), and an assumed CPU time of a call in ms. */
const CHECKS_A_MONTH = 10 * 60 * 24 * 30;
const CHECKED_TOGETHER = 200;
const CHECK_CPU_MS = 20;

export async function measureImap({ deployment }: Bench): Promise<Row[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bench-imap-"));
  const { variables } = await certificateFiles(folder);
  const messages = Array.from({ length: MESSAGES }, (_, n) => messageOf(n));
  await importArchive(deployment, messages.map((text) => `From a@b Sat\r\n${text}`).join(""));
  await deployment.call("PUT", `/v1/mailboxes/${deployment.seed.mailboxId}/password`, { password: PASSWORD });
  const gateway = await startGatewayProcess({
    ...variables,
    GATEWAY_SECRET,
    WORKER_URL: deployment.host.url,
    IMAP_TLS_PORTS: "0",
    LIMIT_CONNECTIONS_PER_MINUTE: "100000",
    LIMIT_CONNECTIONS_PER_IP: "100",
  });
  const issue = findDovecotIssue();
  if (issue) console.error(issue);
  const { TLS_KEY_FILE: keyFile = "", TLS_CERTIFICATE_FILE: certificateFile = "" } = variables;
  const dovecot = issue ? null : await startDovecot(messages, { keyFile, certificateFile });
  try {
    const logIn = () => loggedIn(gateway.ports.imap, deployment.seed.mailbox, PASSWORD);
    return [
      await selectRow(logIn),
      await syncRow(logIn, dovecot),
      await memoryRow(gateway.pid, logIn),
      await idleCostRow(deployment),
    ];
  } finally {
    await dovecot?.stop();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function messageOf(n: number): string {
  const header = `From: Person ${n % 50} <p${n % 50}@example.org>\r\nTo: hello@example.org\r\nSubject: Message ${n}`;
  const date = new Date(1_790_000_000_000 + n * 1000).toUTCString();
  const received = `Received: from mx.example.org by mx.example.com with ESMTPS id ${n}; ${date}\r\n`.repeat(3);
  return `${received}${header}\r\nDate: ${date}\r\nMessage-ID: <${n}@example.org>\r\n\r\n${"It has some lines of words.\r\n".repeat(20)}\r\n`;
}

async function loggedIn(port: number, user: string, password: string): Promise<RawClient> {
  const client = await RawClient.connect(port);
  await client.command(`LOGIN ${user} "${password}"`);
  return client;
}

/** The first client of a new gateway selects the folder and lists the newest messages. */
async function selectRow(logIn: () => Promise<RawClient>): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const client = await logIn();
    const selected = await client.command("SELECT INBOX");
    const listed = await client.command(`FETCH ${MESSAGES - 49}:${MESSAGES} ${LIST}`);
    times.push(selected.ms + listed.ms);
    client.end();
  }
  const [first = 0] = times;
  return {
    what: "IMAP: SELECT of 10,000 messages and a list of 50, first client of a new gateway",
    value: `${first.toFixed(0)} ms, median of ${ROUNDS} logins ${median(times).toFixed(0)} ms`,
    budget: `${BUDGET_MS} ms`,
    isMet: first <= BUDGET_MS,
  };
}

async function syncRow(logIn: () => Promise<RawClient>, dovecot: Dovecot | null): Promise<Row> {
  const sync = async (client: RawClient) => {
    await client.command("SELECT INBOX");
    const { ms } = await client.command(`UID FETCH 1:* ${SYNC}`);
    client.end();
    return MESSAGES / (ms / 1000);
  };
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await sync(await logIn()));
    if (dovecot) theirs.push(await sync(await loggedIn(dovecot.port, "user", "x")));
  }
  const rate = median(ours);
  const ratio = rate / median(theirs);
  const against = dovecot
    ? `${ratio.toFixed(2)} of Dovecot's ${median(theirs).toFixed(0)} (its first time: ${theirs[0]?.toFixed(0)})`
    : "Dovecot: n/a";
  return {
    what: "IMAP: sync of the headers of 10,000 messages",
    value: `${rate.toFixed(0)} messages a second, ${against}`,
    budget: dovecot ? "1/3 of Dovecot" : "",
    isMet: !dovecot || ratio >= BUDGET_RATIO,
  };
}

async function memoryRow(pid: number, logIn: () => Promise<RawClient>): Promise<Row> {
  const before = await residentMegabytes(pid);
  const clients: RawClient[] = [];
  for (let n = 0; n < IDLE_CLIENTS; n += 1) {
    const client = await logIn();
    await client.command("SELECT INBOX");
    await client.idle();
    clients.push(client);
  }
  const megabytes = (await residentMegabytes(pid)) - before;
  for (const client of clients) client.end();
  return {
    what: `IMAP: memory of the gateway for ${IDLE_CLIENTS} clients that wait in a folder of 10,000 messages`,
    value: `${megabytes.toFixed(0)} MB`,
    budget: `${BUDGET_MB} MB`,
    isMet: megabytes <= BUDGET_MB,
  };
}

/** The checks of the access are all that a client costs while nothing happens: the platform answers the pings of its socket. */
async function idleCostRow(deployment: Deployment): Promise<Row> {
  const call = async (name: string, body: object) => {
    const response = await fetch(`${deployment.host.url}/gateway/imap/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${GATEWAY_SECRET}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { token: string };
  };
  const { token } = await call("sessions", { username: deployment.seed.mailbox, password: PASSWORD, ip: "127.0.0.1" });
  await deployment.readings();
  await call("checks", { tokens: Array(CHECKED_TOGETHER).fill(token) });
  const each = await deployment.readings();
  const dollars = costPerThousand(each, CHECK_CPU_MS, { d1Kilobytes: 0, r2Kilobytes: 0 });
  return {
    what: "IMAP: 1,000 clients that wait for a month, each in a mailbox of its own",
    value: `$${((dollars * CHECKS_A_MONTH) / CHECKED_TOGETHER).toFixed(2)}: ${CHECKS_A_MONTH} checks of each, ${CHECKED_TOGETHER} in a call of ${each.d1Calls} D1 calls, ${each.rowsRead} rows read and ${CHECK_CPU_MS} ms of CPU (assumed)`,
    budget: "",
    isMet: true,
  };
}
