import { type LogLine, type Program, startProgram } from "./program.ts";

export interface GatewayProcess extends Program {
  /** Port of submission over implicit TLS, of submission with STARTTLS, of MX, and of the first of IMAP; 0 without one. */
  ports: { implicit: number; starttls: number; mx: number; imap: number };
  /** All ports of IMAP: those with STARTTLS, then those of implicit TLS. */
  imapPorts: number[];
  /** Port of the health endpoint; 0 without one. */
  healthPort: number;
}

/**
 * Starts the gateway with these variables, on free ports: submission over implicit TLS, and submission with STARTTLS and MX
 * when `hasAllRoles`. Throws when it exits before it listens.
 */
export async function startGatewayProcess(
  variables: Record<string, string>,
  { hasAllRoles = false } = {},
): Promise<GatewayProcess> {
  const roles = { SUBMISSION_TLS_PORTS: "0", ...(hasAllRoles ? { SUBMISSION_PORTS: "0", MX_PORTS: "0" } : {}) };
  const { program, started } = await startProgram("mail-gateway/main.ts", {
    ...{ GATEWAY_NAME: "localhost", GATEWAY_HOST: "127.0.0.1" },
    ...roles,
    ...variables,
  });
  const portsOf = (role: keyof LogLine) => (started[role] ?? []) as number[];
  const [first = 0, second = 0] = portsOf("submission");
  const [starttls, implicit] = hasAllRoles ? [first, second] : [0, first];
  const [imapPorts, healthPort] = [portsOf("imap"), Number(started.health ?? 0)];
  return {
    ...program,
    imapPorts,
    healthPort,
    ports: { implicit, starttls, mx: portsOf("mx")[0] ?? 0, imap: imapPorts[0] ?? 0 },
  };
}
