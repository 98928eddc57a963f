import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../mail-gateway/clock.ts";
import { readConfig } from "../../mail-gateway/config.ts";
import { startGateway } from "../../mail-gateway/gateway.ts";
import { type ApiDocument, type Operation, readNouns } from "../../src/web/reference/document.ts";
import { toExample } from "../../src/web/reference/examples.ts";
import { type Snippet, snippetsOf } from "../../src/web/reference/snippets.ts";
import { certificateFiles, eventually } from "./support/gateway-rig.ts";
import { GATEWAY_SECRET, type Service, sharedService } from "./support/shared-service.ts";

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A module that is the package of its name, or the one inside of pip where that is not installed. */
const REQUESTS = `import sys
del sys.path[0], sys.modules["requests"]
try:
    import requests
except ImportError:
    from pip._vendor import requests
sys.modules["requests"] = requests
`;

let host: Service["host"];
let domainId: string;
let folder: string;
let environment: NodeJS.ProcessEnv;
let document: ApiDocument;
let operations: Operation[];

beforeAll(async () => {
  const { addWorkspace, ...service } = await sharedService();
  host = service.host;
  // The domain and the mailbox of the examples.
  const seeded = await addWorkspace("example.com");
  domainId = seeded.domainId;
  folder = await mkdtemp(path.join(tmpdir(), "email-delivery-snippets-"));
  // curl reads this file, so that a response that is an error fails the snippet.
  await writeFile(path.join(folder, ".curlrc"), "fail-with-body\nsilent\n");
  await writeFile(path.join(folder, "archive"), "From ada@example.org\n");
  await writeFile(path.join(folder, "contacts.csv"), "email,name\nada@example.org,Ada\n");
  await writeFile(path.join(folder, "requests.py"), REQUESTS);
  await run(process.execPath, ["dev/setup.mjs", "dev/sdk.ts", "--build", path.join(folder, "client")], { cwd: root });
  environment = {
    ...process.env,
    HOME: folder,
    CURL_HOME: folder,
    API_KEY: seeded.apiKey,
  };
  document = (await (await fetch(`${host.url}/openapi.json`)).json()) as ApiDocument;
  operations = readNouns(document)
    .flatMap((noun) => noun.operations)
    .filter(({ security, responses }) => security === undefined && responses[101] === undefined);
}, 120_000);

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

const languages = ["curl", "TypeScript", "Python"] as const;
type Language = (typeof languages)[number];

/** Returns the snippet of an operation in one language. */
const snippetOf = (operation: Operation, language: Snippet["language"], origin: string) =>
  snippetsOf(document, operation, origin).find((snippet) => snippet.language === language)?.code ?? "";

/** Runs snippets of one language one after the other, in one process. Throws when one of them fails. */
async function runSnippets(language: Language, codes: readonly string[]): Promise<string> {
  const file = path.join(folder, { curl: "run.sh", TypeScript: "run.mjs", Python: "run.py" }[language]);
  const each = codes.map((code) => code.replace("email-delivery-client", "./client/index.js"));
  if (language === "TypeScript") {
    const files = each.map((code, at) => [path.join(folder, `snippet-${at}.mjs`), code] as const);
    await Promise.all(files.map(([name, code]) => writeFile(name, code)));
    await writeFile(file, files.map(([name]) => `await import(${JSON.stringify(name)});`).join("\n"));
  } else await writeFile(file, each.map((code) => `${code}\n`).join("\n"));
  const command = { curl: ["bash", "-e", file], TypeScript: [process.execPath, file], Python: ["python3", file] }[
    language
  ];
  const [program = "", ...args] = command;
  const { stdout } = await run(program, args, { cwd: folder, env: environment, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

interface Recorded {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  body: string;
}

/** Starts a server that records requests and returns each with an empty object. */
async function startRecorder() {
  const recorded: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    recorded.push({ method: request.method, url: request.url, authorization: request.headers.authorization, body });
    response.setHeader("Content-Type", "application/json");
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { recorded, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("the snippets of the reference", () => {
  it.each(languages)("in %s make the call of every operation, with the example of its body", async (language) => {
    const { recorded, origin } = await startRecorder();
    await runSnippets(
      language,
      operations.map((operation) => snippetOf(operation, language, origin)),
    );
    expect(operations.length).toBeGreaterThan(70);
    expect(recorded).toHaveLength(operations.length);
    for (const [at, operation] of operations.entries()) {
      const { method, url = "", authorization, body } = recorded[at] as Recorded;
      expect([method, authorization], operation.operationId).toEqual([
        operation.method,
        `Bearer ${environment.API_KEY}`,
      ]);
      const pattern = operation.path.replace(/\{\w+\}/g, "[^/{}]+").replaceAll(".", "\\.");
      expect(url.split("?")[0], operation.operationId).toMatch(new RegExp(`^${pattern}$`));
      const required = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required);
      for (const { name } of required)
        expect(new URL(url, origin).searchParams.has(name), operation.operationId).toBe(true);
      const content = operation.requestBody?.content ?? {};
      const schema = content["application/json"]?.schema;
      if (schema) expect(JSON.parse(body), operation.operationId).toEqual(toExample(document, schema));
      else if (content["multipart/form-data"]) expect(body, operation.operationId).toContain('name="file"');
      else if (operation.requestBody) expect(body, operation.operationId).toBe("From ada@example.org\n");
      else expect(body, operation.operationId).toBe("");
    }
  });

  it.each(languages)("in %s send an email and read what became of it", async (language) => {
    const names = ["sendEmail", "validateEmail", "sendEmailBatch", "createContactList", "createTemplate", "listEmails"];
    const jobs = names.map((name) => operations.find(({ operationId }) => operationId === name) as Operation);
    const output = await runSnippets(
      language,
      jobs.map((operation) => snippetOf(operation, language, host.url)),
    );
    expect(output).toContain("queued");
    expect(output).toContain("Your receipt");
  });

  it("by SMTP sends an email with a credential of the domain", async () => {
    const { authorityFile, variables } = await certificateFiles(path.join(folder, "certificates"));
    const gateway = await startGateway(
      readConfig({
        ...variables,
        ...{ GATEWAY_NAME: "smtp.mail.test", GATEWAY_HOST: "127.0.0.1", GATEWAY_SECRET, WORKER_URL: host.url },
        ...{ SUBMISSION_PORTS: "0", SUBMISSION_TLS_PORTS: "", MX_PORTS: "" },
      }),
      systemClock,
    );
    onTestFinished(() => gateway.close());
    const { username, password } = await call<{ username: string; password: string }>("smtp-credentials/", {
      domain_id: domainId,
    });
    await writeFile(path.join(folder, ".curlrc"), `silent\ncacert = "${authorityFile}"\n`);
    const operation = operations.find(({ operationId }) => operationId === "sendEmail") as Operation;
    const names = `SMTP_HOST=localhost SMTP_PORT=${gateway.ports.submission[0]} USERNAME=${username} PASSWORD=${password}`;
    const file = path.join(folder, "smtp.sh");
    await writeFile(file, `${names}\n${snippetOf(operation, "SMTP", host.url)}`);
    await run("bash", ["-e", file], { cwd: folder, env: environment });
    const bySmtp = await eventually(async () => {
      const emails = await call<{ source: string; subject: string; to_addresses: string[] }[]>("emails/");
      return emails.find(({ source }) => source === "smtp");
    });
    expect(bySmtp).toMatchObject({ subject: "Your receipt", to_addresses: ["ada@example.org"] });
  });
});

/** Calls the API: POST with a body, GET without. */
async function call<Reply>(operation: string, body?: object): Promise<Reply> {
  const headers = { Authorization: `Bearer ${environment.API_KEY}`, "Content-Type": "application/json" };
  const request = body ? { method: "POST", body: JSON.stringify(body) } : {};
  return (await (await fetch(`${host.url}/v1/${operation}`, { ...request, headers })).json()) as Reply;
}
