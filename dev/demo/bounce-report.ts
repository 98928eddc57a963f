import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { ROOT } from "../layout.ts";
import type { ArrivedMail } from "./captured.ts";

const SAMPLE = path.join(ROOT, "docs", "samples", "bounce.eml");
const SAMPLE_RECIPIENT = "friend@example.org";

/** Returns docs/samples/bounce.eml with the return path and the recipient of a mail, and a new Message-ID. */
export async function readBounceReport({ returnPath, recipient }: ArrivedMail): Promise<string> {
  const sample = await readFile(SAMPLE, "utf8");
  return sample
    .replace("<return path>", `<${returnPath}>`)
    .replaceAll(SAMPLE_RECIPIENT, recipient)
    .replace("<bounce-1@example.org>", `<${randomUUID()}@example.org>`);
}
