import { statSync, watch } from "node:fs";
import { open } from "node:fs/promises";

const CRASH = "The Workers runtime crashed unexpectedly";
/** Between two reads of the log, which gets several lines for each request and email. */
const READ_MS = 250;

/**
 * Calls `onCrash` each time a new line of the worker log reports a crash of workerd. The log is the only sign: workerd
 * is a child of wrangler, and wrangler keeps running without it.
 */
export function watchForCrashes(workerLog: string, onCrash: () => void): { close(): void } {
  let offset = statSync(workerLog).size;
  let rest = "";
  let timer: NodeJS.Timeout | null = null;
  const read = async () => {
    const added = await readFrom(workerLog, offset);
    offset += added.length;
    const parts = (rest + added.toString("latin1")).split(CRASH);
    rest = (parts.at(-1) ?? "").slice(-CRASH.length);
    if (parts.length > 1) onCrash();
  };
  let reads = Promise.resolve();
  const watcher = watch(workerLog, () => {
    timer ??= setTimeout(() => {
      timer = null;
      reads = reads.then(read).catch(() => {});
    }, READ_MS);
  });
  return {
    close() {
      watcher.close();
      if (timer) clearTimeout(timer);
    },
  };
}

async function readFrom(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - offset));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
