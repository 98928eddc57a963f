/** Measures the compressed bytes that a browser without a cache loads for a page. */
import { gzipSync } from "node:zlib";

export interface Weight {
  /** Bytes of the document, its stylesheets and its scripts. */
  page: number;
  script: number;
}

/** Most bytes of a page with its stylesheets and scripts, compressed. */
export const PAGE_BYTES = 30_000;

/** Loads a page with its stylesheets and scripts. Throws unless each returns 200. */
export async function weigh(url: string, path: string, cookies: Record<string, string>): Promise<Weight> {
  const html = await load(url, path, { Cookie: cookieHeader(cookies) });
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, name = ""]) => name);
  const [scripts, styles] = await Promise.all(
    [all(/<script[^>]* src="([^"]+)"/g), all(/<link rel="stylesheet" href="([^"]+)"/g)].map((names) =>
      Promise.all(names.map((name) => load(url, name))),
    ),
  );
  const script = sum(scripts ?? []);
  return { page: sum([html, ...(styles ?? [])]) + script, script };
}

const cookieHeader = (cookies: Record<string, string>) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");

async function load(url: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}${path}`, { headers, redirect: "manual" });
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status}`);
  return response.text();
}

const sum = (texts: readonly string[]) => texts.reduce((bytes, text) => bytes + gzipSync(text).byteLength, 0);
