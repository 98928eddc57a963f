// The SMTP gateway: submission (587, 465) and MX (25). Configured by environment variables (docs/operating/gateway.md).
import { readConfig } from "./config.ts";
import { startGateway } from "./gateway.ts";
import { log } from "./log.ts";

try {
  const config = readConfig(process.env);
  const gateway = await startGateway(config);
  log("started", { name: config.name, ...gateway.ports });
  process.on("SIGHUP", () => {
    try {
      gateway.reloadCertificate();
      log("certificate.reloaded");
    } catch (error) {
      log("certificate.failed", { error: String(error) });
    }
  });
  const stop = async () => {
    log("stopping");
    await gateway.close();
    process.exit(0);
  };
  process.once("SIGTERM", () => void stop());
  process.once("SIGINT", () => void stop());
} catch (error) {
  log("failed", { error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
