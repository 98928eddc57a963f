import { type Program, startProgram } from "./program.ts";

export interface EgressProcess extends Program {
  /** Ports on which it listens, in the order of the configuration. */
  ports: number[];
  healthPort: number;
}

/** Starts the SMTP egress with these variables on 127.0.0.1. Throws when it exits before it listens. */
export async function startEgressProcess(variables: Record<string, string>): Promise<EgressProcess> {
  const { program, started } = await startProgram("smtp-egress/main.ts", {
    ...{ EGRESS_NAME: "egress.sender.test", EGRESS_HOST: "127.0.0.1", HEALTH_PORT: "0" },
    ...variables,
  });
  return { ...program, ports: (started.ports ?? []) as number[], healthPort: (started.health ?? 0) as number };
}
