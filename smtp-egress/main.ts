// The SMTP egress: takes emails of the Worker and delivers them. Configured by environment variables (docs/egress.md).
import { log } from "../smtp-gateway/log.ts";
import { readConfig } from "./config.ts";
import { startEgress } from "./egress.ts";

try {
  const config = readConfig(process.env);
  const egress = await startEgress(config);
  log("started", { name: config.name, ports: egress.ports, health: egress.healthPort });
  process.on("SIGHUP", () => {
    try {
      egress.reloadCertificate();
      log("certificate.reloaded");
    } catch (error) {
      log("certificate.failed", { error: String(error) });
    }
  });
  const stop = async () => {
    log("stopping");
    await egress.close();
    process.exit(0);
  };
  process.once("SIGTERM", () => void stop());
  process.once("SIGINT", () => void stop());
} catch (error) {
  log("failed", { error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
