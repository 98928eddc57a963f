/**
 * The headless Chromium of the package @sparticuz/chromium, which is compressed and made for Linux on x64. It runs without the
 * libraries and fonts of a desktop, and takes half of the CPU of a Chromium with windows.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { ROOT } from "../../../dev/layout.ts";

/** Variable with the folder of the unpacked Chromium, which the test processes of a run share. */
export const PACKAGED_CHROMIUM = "EMAIL_DELIVERY_TEST_CHROMIUM";

const CACHE = path.join(ROOT, "node_modules/.cache/chromium");

/** Unpacks the browser, its libraries and its font into a cache, once. Returns the folder, or null without the package. */
export async function unpackChromium(): Promise<string | null> {
  const packed = findPackage();
  if (packed === null) return null;
  const folder = path.join(CACHE, packed.version);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(path.join(CACHE, "unfinished-"));
  const bin = path.join(packed.folder, "bin");
  await Promise.all([
    unpackFile(path.join(bin, "chromium.br"), path.join(unfinished, "chromium")),
    unpackTar(path.join(bin, "al2023.tar.br"), unfinished),
    unpackTar(path.join(bin, "fonts.tar.br"), unfinished),
  ]);
  const fonts = `<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>`;
  await writeFile(path.join(unfinished, "fonts.conf"), fonts);
  try {
    await rename(unfinished, folder);
  } catch (error) {
    // Another run has unpacked it meanwhile.
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Returns how an unpacked Chromium is started. Its libraries come first, so that each machine runs the same ones. */
export function launchOptions(folder: string): { executablePath: string; env: Record<string, string> } {
  const env: Record<string, string> = { LD_LIBRARY_PATH: path.join(folder, "lib") };
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] ??= value;
  if (!existsSync("/etc/fonts/fonts.conf")) env.FONTCONFIG_FILE = path.join(folder, "fonts.conf");
  return { executablePath: path.join(folder, "chromium"), env };
}

function findPackage(): { folder: string; version: string } | null {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const require = createRequire(import.meta.url);
  const folder = path.join(ROOT, "node_modules/@sparticuz/chromium");
  if (!existsSync(folder)) return null;
  return { folder, version: (require(path.join(folder, "package.json")) as { version: string }).version };
}

async function unpackFile(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode: 0o755 }));
}

async function unpackTar(from: string, folder: string): Promise<void> {
  const tar = spawn("tar", ["-x", "--no-same-owner", "-C", folder], { stdio: ["pipe", "ignore", "inherit"] });
  const [[code]] = await Promise.all([
    once(tar, "close") as Promise<[number | null]>,
    // tar ends at the end of the archive, before the padding behind it.
    pipeline(createReadStream(from), createBrotliDecompress(), tar.stdin).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_STREAM_PREMATURE_CLOSE" && error.code !== "EPIPE") throw error;
    }),
  ]);
  if (code !== 0) throw new Error(`tar failed with ${code}: ${from}`);
}
