import { log } from "./log.ts";

/** A program that serves connections until it is closed. */
interface Program {
  /** Reads the certificate again. */
  reloadCertificate(): void;
  close(): Promise<void>;
}

/**
 * Starts a program and logs `started` with these fields, or `failed` and exits with 1. SIGHUP reloads the certificate; SIGTERM and
 * SIGINT close it and exit with 0.
 */
export async function runProgram(
  start: () => Promise<{ program: Program; fields: Record<string, unknown> }>,
): Promise<void> {
  try {
    const { program, fields } = await start();
    log("started", fields);
    process.on("SIGHUP", () => {
      try {
        program.reloadCertificate();
        log("certificate.reloaded");
      } catch (error) {
        log("certificate.failed", { error: String(error) });
      }
    });
    const stop = async () => {
      log("stopping");
      await program.close();
      process.exit(0);
    };
    process.once("SIGTERM", () => void stop());
    process.once("SIGINT", () => void stop());
  } catch (error) {
    log("failed", { error: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
}
