/** Configuration of knip, which finds files, exports and packages that nothing uses (dev/check.ts). */
import { readFileSync } from "node:fs";
import type { KnipConfig } from "knip";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

/** The programs that the scripts of package.json start through dev/setup.mjs. */
const programs = Object.values(scripts).flatMap((script) => /^node dev\/setup\.mjs (\S+)/.exec(script)?.[1] ?? []);

/** Files that are run, or that replace a module, by their path: no file imports them. */
const namedByPath = [
  "src/lib/{no-module,zod-json-schema}.ts",
  "src/mailboxes/auto-replies/{base64,define-property,trim}.ts",
  "src/web/mcp/runtime.ts",
  "dev/{setup.mjs,failures-at-once.ts,slowest-files.ts,prepared-sql/reporter.ts}",
  "dev/clock/worker.ts",
  "dev/contract/tables.ts",
  "dev/worker/{entry,serve,supervise}.ts",
  "bench/worker.ts",
  "test/support/{global-setup,setup,worker,known-scrypt}.ts",
  "test/support/distance/{sockets,worker}.ts",
  "test/browser/page-rules/index.ts",
  "test/host/support/{global-setup,peak-memory,stand-in-wrangler}.ts",
  "test/host/support/hosts/process.ts",
  "test/host/support/thunderbird/inside.mjs",
  "test/mail/structures/record-dovecot.ts",
];

export default {
  vitest: false,
  // Programs of the machine that tests run, such as postfix.
  exclude: ["binaries"],
  ignoreDependencies: [
    // Of the version that wrangler and the pool of vitest use.
    "miniflare",
    // Tests and dev/ use the packages of the programs below.
    "mailauth",
    "smtp-server",
    // Files of it are read by their path.
    "@modelcontextprotocol/conformance",
    "axe-core",
    "csv-spectrum",
    // The gateway imports files of src/ that use them (test/check/packages.test.ts).
    "htmlparser2",
  ],
  ignoreIssues: {
    // A test compares every table with the migrations, also those that only SQL names.
    "src/platform/db/schema/**": ["exports"],
    // The surface of the published client.
    "sdk/**": ["exports", "types"],
  },
  workspaces: {
    ".": {
      entry: [...programs, ...namedByPath, "client/*.ts", "vitest.config.ts", "test/**/*.test.ts"],
      project: ["{src,durable-objects,dev,bench,client,sdk,test}/**/*.{ts,tsx,mjs}"],
    },
    "smtp-egress": { project: ["**/*.ts"] },
    "mail-gateway": { project: ["**/*.ts"] },
    // Not a workspace of npm: the bench installs its packages.
    "bench/peers": { entry: ["server.mjs"], project: ["**/*.mjs"] },
  },
} satisfies KnipConfig;
