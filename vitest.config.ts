import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { LOCAL_TOKEN, LOCAL_ZONES } from "./dev/dns-api/local.ts";
import { bundledSource } from "./test/support/bundled-source.ts";
import { keepCrossRequestPromises } from "./test/support/cross-request-promises.ts";
import { FileOrder } from "./test/support/file-order.ts";
import { trustThrowawayCa } from "./test/support/throwaway-ca.ts";

/** The counts of `npm run test:long`. */
const isLong = process.env.TEST_LONG === "1";
/** All files, as `npm run test:full` runs them. */
const isFull = isLong || process.env.TEST_FULL === "1";
/** Most milliseconds of a test: they end one that hangs, and measure nothing. */
const [LONG_MS, FULL_MS] = [3_600_000, 600_000];

const FULL = "test/**/*.full.test.ts";
/** The tests of each layer of dev/check.ts; all others are in the layer `workers`. */
const CHECK = "test/check/**/*.test.ts";
const UNIT = "test/unit/**/*.test.ts";
const HOST = "test/host/**/*.test.ts";

/**
 * Configures a project for each layer. `check` reads files only, `unit` starts nothing. `workers` runs tests in workerd on real D1,
 * Queues and R2, with the SMTP and DNS servers of test/support/global-setup.ts: its files share an isolate and databases. `host`
 * runs tests in Node that start programs, one file after the other, with one Worker and one Chromium for most of them.
 */
export default defineConfig(async () => {
  await trustThrowawayCa();
  keepCrossRequestPromises();
  // A dynamic import, because Miniflare reads NODE_EXTRA_CA_CERTS when it is loaded.
  const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-pool-workers");
  const statementsOf = async (kind: "main" | "mail", isWanted = (_name: string) => true) =>
    (await readD1Migrations(path.join(import.meta.dirname, "migrations", kind)))
      .filter(({ name }) => isWanted(name))
      .flatMap(({ queries }) => queries);
  const migrations = {
    main: await statementsOf("main"),
    mail: await statementsOf("mail"),
    // For test/platform/db/upgrade.test.ts: a database of the version that had one database for all tables.
    beforeSplit: await statementsOf("mail", (name) => name < "0041"),
    split: await statementsOf("mail", (name) => name >= "0041"),
  };
  const inWorkerd = () => [
    ...bundledSource(import.meta.dirname, ["src", "durable-objects"]),
    cloudflareTest(({ inject }) => ({
      main: "./test/support/worker.ts",
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        cf: false,
        d1Databases: { TEST_OLD: "test-old", TEST_OLD_MAIN: "test-old-main", TEST_BROADCASTS: "test-broadcasts" },
        // Far above what one key of a test needs; test/platform/rate-limits/ uses the TEST_ bindings.
        ratelimits: {
          REQUEST_RATE_LIMIT: { namespace_id: "1", simple: { limit: 1_000_000, period: 60 } },
          SEND_RATE_LIMIT: { namespace_id: "2", simple: { limit: 1_000_000, period: 60 } },
          WORKSPACE_REQUEST_RATE_LIMIT: { namespace_id: "5", simple: { limit: 1_000_000, period: 60 } },
          WORKSPACE_SEND_RATE_LIMIT: { namespace_id: "6", simple: { limit: 1_000_000, period: 60 } },
          TEST_REQUEST_RATE_LIMIT: { namespace_id: "3", simple: { limit: 20, period: 60 } },
          TEST_SEND_RATE_LIMIT: { namespace_id: "4", simple: { limit: 5, period: 60 } },
        },
        bindings: {
          DOMAIN_REGISTRATIONS_PER_HOUR: "1000000",
          DOMAIN_VERIFICATIONS_PER_HOUR: "1000000",
          TRANSFER_INITIATIONS_PER_MINUTE: "1000000",
          // The mailbox of a workspace that has the domain of the examples in the OpenAPI document.
          SYSTEM_MAILBOX: "hello@example.com",
          GATEWAY_SECRET: "gateway-secret-of-the-tests-0123456789",
          MASTER_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
          EGRESS_URL: `smtp://127.0.0.1:${inject("servers").egress}/?tls=off`,
          DNS_RESOLVER_URL: `http://127.0.0.1:${inject("servers").dns}/dns-query`,
          DELEGATED_ZONES: LOCAL_ZONES.map(({ name, id, maxRecords }) => `${name}=${id}:${maxRecords}`).join(" "),
          DNS_API_URL: `http://127.0.0.1:${inject("servers").dns}/client/v4`,
          DNS_API_TOKEN: LOCAL_TOKEN,
          TEST_MIGRATIONS: migrations,
          TEST_SERVERS: inject("servers"),
          TEST_FULL: isFull,
          TEST_LONG: isLong,
        },
      },
    })),
  ];
  const mostMs = (quick: number) => (isLong ? LONG_MS : isFull ? FULL_MS : quick);
  // A condition is waited for as long as a busy machine needs; vitest gives up after a second.
  const expect = { poll: { timeout: 30_000 } };
  const workers = {
    // test/support/file-log.ts keeps the log: a line that is sent to vitest after the last test of a file would fail the run.
    disableConsoleIntercept: true,
    globalSetup: ["./test/support/global-setup.ts"],
    setupFiles: ["./test/support/setup.ts"],
    // Long enough that a test does not fail on a busy machine.
    testTimeout: mostMs(60_000),
    expect,
  };
  const left = isFull ? [] : [FULL];
  const inNode = {
    // Node itself runs TypeScript, and loads the source several times as fast as Vite.
    experimental: { viteModuleRunner: false },
    environment: "node" as const,
    isolate: false,
    silent: "passed-only" as const,
    exclude: left,
    testTimeout: mostMs(120_000),
    expect,
  };
  return {
    test: {
      maxWorkers: availableParallelism(),
      sequence: { sequencer: FileOrder },
      projects: [
        {
          plugins: inWorkerd(),
          test: {
            ...workers,
            name: "workers",
            isolate: false,
            include: ["test/**/*.test.ts"],
            exclude: [CHECK, UNIT, HOST, ...left],
          },
        },
        { test: { ...inNode, name: "check", include: [CHECK] } },
        { test: { ...inNode, name: "unit", include: [UNIT] } },
        {
          test: {
            ...inNode,
            name: "host",
            globalSetup: ["./test/host/support/global-setup.ts"],
            include: [HOST],
            maxWorkers: 1,
            sequence: { groupOrder: 1 },
            hookTimeout: isFull ? FULL_MS : 120_000,
          },
        },
      ],
    },
  };
});
