import { EventEmitter } from "node:events";
import { log } from "./log.ts";

/** A program that serves connections until it is closed. */
interface Program {
  /** Reads the certificate again. */
  reloadCertificate(): void;
  close(): Promise<void>;
}

/**
 * Starts a program and logs `started` with these fields, or `failed` and exits with 1. SIGHUP reloads the certificate; SIGTERM and
 * SIGINT close it and exit with 0. Once started, an error that nothing catches is logged, and the program serves on.
 */
export async function runProgram(
  start: () => Promise<{ program: Program; fields: Record<string, unknown> }>,
): Promise<void> {
  // An async listener that rejects ends its HTTP request or socket.
  EventEmitter.captureRejections = true;
  // Without a reader of the log each line fails. To log that would fail again, without end.
  process.stdout.on("error", () => {});
  try {
    const { program, fields } = await start();
    log("started", fields);
    // Rejections that nothing handles arrive here too.
    process.on("uncaughtException", (error: unknown, origin) =>
      log("error.uncaught", { origin, error: error instanceof Error ? error.stack : String(error) }),
    );
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
