import type { Readings } from "./meter.ts";

/** US dollars beyond what the plan includes (Cloudflare's Workers, D1, Queues and R2 price pages, 2026-10). */
const PRICES = {
  rowWritten: 1.0 / 1e6,
  rowRead: 0.001 / 1e6,
  queueOperation: 0.4 / 1e6,
  r2ClassA: 4.5 / 1e6,
  r2ClassB: 0.36 / 1e6,
  request: 0.3 / 1e6,
  cpuMs: 0.02 / 1e6,
  d1KilobyteMonth: 0.75 / 1e6,
  r2KilobyteMonth: 0.015 / 1e6,
};

/** What one email keeps in D1 and R2 for a month, in kilobytes: measured row, and body as sent. */
export interface StoredSize {
  d1Kilobytes: number;
  r2Kilobytes: number;
}

/** US dollars for 1,000 emails that cost these readings each. */
export function costPerThousand(each: Readings, cpuMs: number, kept: StoredSize): number {
  const one =
    each.rowsWritten * PRICES.rowWritten +
    each.rowsRead * PRICES.rowRead +
    each.queueOperations * PRICES.queueOperation +
    each.r2ClassA * PRICES.r2ClassA +
    each.r2ClassB * PRICES.r2ClassB +
    each.requests * PRICES.request +
    cpuMs * PRICES.cpuMs +
    kept.d1Kilobytes * PRICES.d1KilobyteMonth +
    kept.r2Kilobytes * PRICES.r2KilobyteMonth;
  return one * 1000;
}
