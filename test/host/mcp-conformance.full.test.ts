import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newSession } from "../../src/access/sessions/start.ts";
import { registerClient } from "../../src/identity/oauth/clients.ts";
import { startMcpSite } from "./support/mcp-site.ts";
import { temporaryFolder } from "./support/suite.ts";

/** The suite of the Model Context Protocol against the running service. docs/mcp.md lists the scenarios that do not apply. */
const SUITE = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

let site: Awaited<ReturnType<typeof startMcpSite>>;
const directory = temporaryFolder();

beforeAll(async () => {
  site = await startMcpSite();
}, 120_000);

afterAll(async () => {
  await site?.stop();
});

/** Runs a command of the suite and returns its checks. `onOutput` gets what it prints. */
async function runSuite(name: string, args: readonly string[], onOutput?: (text: string) => void): Promise<Check[]> {
  const output = path.join(directory, name);
  const child = spawn(process.execPath, [SUITE, ...args, "--output-dir", output]);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      text += data;
      onOutput?.(text);
    });
  await new Promise((resolve) => child.on("close", resolve));
  const files = (await readdir(output, { recursive: true })).filter((file) => file.endsWith("checks.json"));
  const checks = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(path.join(output, file), "utf8")) as Check[]),
  );
  expect(checks.flat().length, text).toBeGreaterThan(0);
  return checks.flat();
}

const failures = (checks: readonly Check[]) =>
  checks
    .filter(({ status }) => status === "FAILURE")
    .map(({ id, errorMessage = "" }) => `${id}: ${errorMessage}`)
    // The server has no tools made for the suite, which says so in these words.
    .filter((failure) => !failure.includes("Not testable: server does not list the diagnostic tool"));
const passed = (checks: readonly Check[]) => checks.filter(({ status }) => status === "SUCCESS").length;

describe("the conformance suite of the Model Context Protocol", () => {
  // Each scenario with the number of checks that must pass at least, so that a skipped scenario fails.
  const scenarios: Record<string, number> = {
    "server-initialize": 2,
    ping: 2,
    "tools-list": 2,
    "server-stateless": 20,
    "http-header-validation": 5,
    "dns-rebinding-protection": 2,
    "input-required-result-unsupported-methods": 2,
  };
  for (const [scenario, least] of Object.entries(scenarios)) {
    it(`passes ${scenario}`, async () => {
      const checks = await runSuite(scenario, ["server", "--url", `${site.url}/mcp`, "--scenario", scenario]);
      expect(failures(checks)).toEqual([]);
      expect(passed(checks)).toBeGreaterThanOrEqual(least);
    });
  }

  it("passes the scenarios of authorization servers: metadata and code grant", async () => {
    const port = await freePort();
    const client = await registerClient(site.ctx, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const resource = `${site.url}/mcp`;
    const args = ["authorization", "--url", site.url, "--client-id", client.id, "--port", String(port)];
    let isResponded = false;
    const checks = await runSuite("authorization", [...args, "--resource", resource], (text) => {
      const url = new RegExp(`${site.url}/oauth/authorize\\S+(?=\\s)`).exec(text)?.[0];
      if (!url || isResponded) return;
      isResponded = true;
      void consent(url);
    });
    expect(failures(checks)).toEqual([]);
    expect(checks.filter(({ status }) => status === "SUCCESS").map(({ id }) => id)).toEqual(
      expect.arrayContaining(["authorization-server-metadata", "authorization-code-grant"]),
    );
  });
});

/** Allows a client as the browser of the signed-in owner does, and follows the redirect to it. */
async function consent(url: string): Promise<void> {
  const { userId, workspaceId } = site.workspace;
  const client = { ip: null, userAgent: null };
  const session = await newSession(site.ctx, { userId, workspaceId, method: "magic_link", client });
  await site.ctx.db.batch(session.statements);
  await fetch(url, {
    method: "POST",
    headers: { Cookie: `session=${session.tokens.accessToken}`, Origin: site.url },
    body: new URLSearchParams({ decision: "allow", workspace: workspaceId, scope: "emails:view" }),
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
