// The mail gateway: submission (587, 465) and MX (25). Configured by environment variables (docs/operating/gateway.md).
import { systemClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { startGateway } from "./gateway.ts";
import { runProgram } from "./run-program.ts";

await runProgram(async () => {
  const config = readConfig(process.env);
  const program = await startGateway(config, systemClock);
  return { program, fields: { name: config.name, ...program.ports } };
});
