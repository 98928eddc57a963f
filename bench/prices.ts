import type { Readings } from "../test/support/meter.ts";

/** Prices in US dollars above the included usage (Cloudflare's price pages of Workers, D1, Queues, R2 and Durable Objects, 2026-10). */
const PRICES = {
  rowWritten: 1.0 / 1e6,
  rowRead: 0.001 / 1e6,
  queueOperation: 0.4 / 1e6,
  r2ClassA: 4.5 / 1e6,
  r2ClassB: 0.36 / 1e6,
  durableObjectRequest: 0.15 / 1e6,
  request: 0.3 / 1e6,
  cpuMs: 0.02 / 1e6,
  d1KilobyteMonth: 0.75 / 1e6,
  r2KilobyteMonth: 0.015 / 1e6,
};

/**
 * Zones and custom hostnames, in US dollars a month (Cloudflare DNS, "DNS records quota"; plans, Pro billed monthly; Cloudflare for SaaS,
 * "Plans": 100 custom hostnames are included, and up to 50,000 can be had without Enterprise; 2026-11).
 */
export const ZONE_PRICES = {
  paidRecords: 3_500,
  paidMonth: 25,
  includedHostnames: 100,
  hostnameMonth: 0.1,
};

/** Storage of one email for a month, in kilobytes: its D1 row and its R2 content. */
export interface StoredSize {
  d1Kilobytes: number;
  r2Kilobytes: number;
}

/** Returns the cost of 1,000 emails in US dollars. `each` has the readings of one email, `cpuMs` its CPU time. */
export function costPerThousand(each: Readings, cpuMs: number, stored: StoredSize): number {
  const one =
    each.rowsWritten * PRICES.rowWritten +
    each.rowsRead * PRICES.rowRead +
    each.queueOperations * PRICES.queueOperation +
    each.r2ClassA * PRICES.r2ClassA +
    each.r2ClassB * PRICES.r2ClassB +
    each.durableObjectRequests * PRICES.durableObjectRequest +
    each.requests * PRICES.request +
    cpuMs * PRICES.cpuMs +
    stored.d1Kilobytes * PRICES.d1KilobyteMonth +
    stored.r2Kilobytes * PRICES.r2KilobyteMonth;
  return one * 1000;
}
