import { findFreePort } from "../../../dev/ports.ts";

/**
 * Above 10,080, which fetch refuses as a bad port, and below the ports that the system gives to connections (from 32,768 on Linux), of
 * which any may be taken in between.
 */
const FIRST = 10_100;
/** Ports of one test process, and processes that have their own. */
const EACH = 1_000;
const PROCESSES = 20;
/** Between two services of a process: a service has seven ports. */
const STEP = 20;

// Runs beside this one on the machine begin elsewhere in the ports of the same processes.
const first = FIRST + ((Number(process.env.VITEST_POOL_ID ?? 1) - 1) % PROCESSES) * EACH + (process.ppid % 10) * 100;
let calls = 0;

/** Returns a port that is free together with the next six, and that no other test of this run asks for. */
export function findTestPort(): Promise<number> {
  const from = first + ((calls * STEP) % EACH);
  calls += 1;
  return findFreePort(from);
}
