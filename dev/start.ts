// `npm start`: runs the whole service on this machine, from an empty state folder.
import path from "node:path";
import { systemClock } from "../mail-gateway/clock.ts";
import { startGateway } from "../mail-gateway/gateway.ts";
import { readArguments } from "./arguments.ts";
import { openMailStore } from "./captured-mail/mail-store.ts";
import { startCapturedMail } from "./captured-mail/server.ts";
import { watchOffset } from "./clock/offset.ts";
import { cfblRecords } from "./deploy/cfbl-key.ts";
import { listDomains } from "./dns/list-domains.ts";
import { startLocalDns } from "./dns/local.ts";
import { openDnsApi } from "./dns-api/local.ts";
import { handOverHosted } from "./egress/hand-over.ts";
import type { EgressOptions } from "./egress/local.ts";
import { exampleMailbox, printFilling } from "./example/client.ts";
import { gatewayConfig, smtpLogin } from "./gateway.ts";
import { HOST, type Layout, ROOT, readLayout } from "./layout.ts";
import { removeLocalFile, writeLocalFile } from "./local-file.ts";
import { mailboxLogin } from "./mailbox-login.ts";
import { findTakenPorts } from "./ports.ts";
import { runCronsEachMinute } from "./scheduled.ts";
import { prepareDatabase } from "./seed.ts";
import { Shutdown } from "./shutdown.ts";
import { loadCertificates } from "./state/certificates.ts";
import { assertWritable } from "./state/files.ts";
import { lockState } from "./state/lock.ts";
import { LOCAL_BOUNCE_DOMAIN, loadSecrets, writeWorkerEnv } from "./state/secrets.ts";
import { logTail, summary } from "./summary.ts";
import { killOrphanProcesses } from "./worker/orphan-processes.ts";
import { RestartingWorker } from "./worker/restarting-worker.ts";
import { rotateLog } from "./worker/rotate-log.ts";

const { values: options } = readArguments({
  usage: "start [-- --develop] [-- --example]",
  options: { develop: { type: "boolean" }, example: { type: "boolean" } },
});
const shutdown = new Shutdown();
// The state has mail, keys and certificates: what this process and the Worker create is for this user only.
process.umask(0o077);
const layout = orExit(() => readLayout(process.env));
try {
  await start(layout);
} catch (error) {
  await shutdown.fail(error, await logTail(layout));
}

async function start(layout: Layout) {
  await lockStateAndPorts(layout);
  const secrets = await loadSecrets(layout);
  const certificates = await loadCertificates(layout.certificateDir);
  await writeWorkerEnv(layout, secrets);
  console.log("Preparing the database ...");
  const { seed, signInUrl } = await prepareDatabase(layout);

  const store = await openMailStore(layout.mailDir);
  const hosted = () => listDomains(`http://${HOST}:${layout.ports.api}/dev`, secrets.gateway_secret);
  const handOver = handOverHosted(layout.ports.mx, hosted);
  const page = await startCapturedMail(layout.ports.captured_mail, store);
  shutdown.onStop(() => page.close());
  const zones = await openDnsApi(layout);
  const own = cfblRecords(secrets.cfbl_dkim_key, LOCAL_BOUNCE_DOMAIN);
  const dns = await startLocalDns(layout.ports.dns, hosted, zones, own);
  shutdown.onStop(() => dns.close());

  console.log("Starting the Worker ...");
  const worker = new RestartingWorker(layout, certificates.authorityFile, options.develop === true);
  shutdown.onStop(() => worker.stop());
  const [egress] = await Promise.all([
    startEgress(layout, { secrets, certificates, store, handOver, stopping: shutdown.signal }),
    worker.start(async (error) => shutdown.fail(error, await logTail(layout))),
  ]);
  void runCronsEachMinute(layout, shutdown.signal);
  shutdown.onStop(watchOffset(layout, () => void worker.restart().then(() => egress.restart())));

  const gateway = await startGateway(await gatewayConfig(layout, secrets, certificates), systemClock);
  shutdown.onStop(() => gateway.close());
  const smtp = await smtpLogin(layout, seed, certificates.authorityFile);
  const webmail = await mailboxLogin(layout, seed);

  const local = await writeLocalFile(layout, seed, signInUrl, smtp, webmail);
  shutdown.onStop(() => removeLocalFile(layout));
  // The first steps, since mail is handed over to the gateway and by it to the Worker, which gets the results.
  shutdown.onStop(() => egress.handedOver());
  shutdown.onStop(() => egress.close());
  if (options.example) await printFilling(layout, secrets.gateway_secret);
  console.log(summary(layout, local, await exampleMailbox(layout, secrets.gateway_secret)));
}

/** Loads and starts the egress while the Worker starts, which takes longer. */
async function startEgress(layout: Layout, options: Omit<EgressOptions, "layout">) {
  const { startLocalEgress } = await import("./egress/local.ts");
  const egress = await startLocalEgress({ layout, ...options });
  shutdown.onStop(() => egress.closeInternet());
  return egress;
}

/** Locks the state directory and checks that the ports are free. Exits when either is in use, or a folder is read-only. */
async function lockStateAndPorts(layout: Layout) {
  await assertWritable(layout.stateDir).catch((error) => shutdown.refuse(error.message));
  // wrangler writes its bundle here; without it, wrangler fails only after a minute and a half.
  await assertWritable(path.join(ROOT, ".wrangler")).catch((error) => shutdown.refuse(error.message));
  const { holder } = await lockState(layout.stateDir, { pid: process.pid, apiPort: layout.ports.api });
  if (holder) {
    shutdown.refuse(
      `The service already runs on ${layout.stateDir} (process ${holder.pid}, http://127.0.0.1:${holder.apiPort}).\n` +
        "To run a second one: STATE_DIR=.dev-2 PORT=9000 npm start",
    );
  }
  await removeLocalFile(layout);
  await rotateLog(layout.workerLog);
  await killOrphanProcesses(layout.stateDir);
  const taken = await findTakenPorts(layout.ports).catch((error) => shutdown.refuse(error.message));
  if (taken.length > 0) {
    shutdown.refuse(
      `Another process listens on port ${taken.join(" and ")}. The service needs ports ${layout.ports.api} to ` +
        `${layout.ports.imap_tls}. To use other ports: PORT=9000 npm start`,
    );
  }
}

function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return shutdown.refuse((error as Error).message);
  }
}
