// The SMTP egress: takes emails of the Worker and delivers them. Configured by environment variables (docs/egress.md).
import { systemClock } from "../mail-gateway/clock.ts";
import { runProgram } from "../mail-gateway/run-program.ts";
import { readConfig } from "./config.ts";
import { startEgress } from "./egress.ts";

await runProgram(async () => {
  const config = readConfig(process.env);
  const program = await startEgress(config, systemClock);
  return { program, fields: { name: config.name, ports: program.ports, health: program.healthPort } };
});
