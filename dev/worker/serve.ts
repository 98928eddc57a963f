// Runs the Worker as `wrangler dev` does, but without its inspector, which makes a request of wrangler for each line of the log and
// keeps every line in memory. supervise.ts starts this file, with ServeOptions as JSON.
import path from "node:path";
import { unstable_startWorker as startWorker } from "wrangler";
import { HOST, ROOT } from "../layout.ts";

export interface ServeOptions {
  port: number;
  /** Folder of the databases, objects and Durable Objects. */
  persistDir: string;
  /** Settings and secrets, a line for each. */
  envFile: string;
  /** By how much the clock is ahead, in milliseconds. */
  clockOffset: number;
  /** Restarts the Worker when its source changes, and logs each request and batch of a queue. */
  isDeveloping: boolean;
}

const { port, persistDir, envFile, clockOffset, isDeveloping } = JSON.parse(process.argv[2] ?? "") as ServeOptions;
const clock = { build: { define: { CLOCK_OFFSET_MS: String(clockOffset) } } };
const worker = await startWorker({
  config: path.join(ROOT, "wrangler.toml"),
  entrypoint: path.join(ROOT, clockOffset === 0 ? "dev/worker/entry.ts" : "dev/clock/worker.ts"),
  envFiles: [envFile],
  ...(clockOffset === 0 ? {} : clock),
  dev: {
    remote: false,
    server: { hostname: HOST, port },
    inspector: false,
    persist: persistDir,
    watch: isDeveloping,
    // Past the log of wrangler, which prints warnings only (WRANGLER_LOG in launch.ts).
    structuredLogsHandler: ({ message }: { message: string }) => void process.stdout.write(`${message}\n`),
  },
});
process.on("SIGTERM", () => void worker.dispose().finally(() => process.exit(0)));
