/** The documents name only things that exist: files, anchors, commands and their options, endpoints, settings, metrics. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { commands as adminCommands } from "../../dev/admin/commands.ts";
import { dnsRecords } from "../../dev/deploy/dns-records.ts";
import {
  anchorsOf,
  commandsOf,
  listFiles,
  namedCommands,
  ROOT,
  readBlocks,
  readDocuments,
} from "../host/support/documents.ts";
import { isFull } from "../host/support/extent.ts";
import { findUnknown } from "../host/support/wrangler-help.ts";
import { shuffled } from "../support/failures.ts";

const documents = readDocuments();
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const textOf = (file: string) => documents.find((document) => document.file === file)?.text ?? "";
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** Returns each match of a pattern in all documents, with its document. */
const findAll = (pattern: RegExp) =>
  documents.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([, name = "", more = ""]) => ({ file, name, more })),
  );

describe("the documents", () => {
  it("name only paths that exist", () => {
    const folders = new Set(listFiles().flatMap((file) => (file.includes("/") ? [file.split("/")[0]] : [])));
    const named = findAll(/`([\w.-]+\/[\w./-]*)`/g).filter(({ name }) => folders.has(name.split("/")[0]));
    expect(named.length).toBeGreaterThan(100);
    const missing = named.filter(({ name }) => !existsSync(path.join(ROOT, name)));
    expect(missing.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it("link only to files and headings that exist", () => {
    const links = findAll(/\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)/g);
    expect(links.length).toBeGreaterThan(80);
    const broken = links.filter(({ file, name, more }) => {
      const target = name === "" ? file : path.join(path.dirname(file), name);
      if (!existsSync(path.join(ROOT, target))) return true;
      return more !== "" && !anchorsOf(read(target)).has(more);
    });
    expect(broken.map(({ file, name, more }) => `${file}: ${name}#${more}`)).toEqual([]);
  });

  it("describe each area of src in a paragraph of the architecture", () => {
    const areas = listFiles().flatMap((file) => /^src\/([\w-]+)\//.exec(file)?.[1] ?? []);
    const described = [...textOf("docs/architecture.md").matchAll(/^\*\*([\w-]+)\*\* \(`src\//gm)];
    expect(described.map(([, area]) => area).sort()).toEqual([...new Set(areas)].sort());
  });

  it("say of each package why it is used", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<
      string,
      Record<string, string>
    >;
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !/^@types\/|-types$/.test(name),
    );
    const listed = textOf("docs/decisions.md").split("## Dependencies")[1] ?? "";
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !new RegExp(`(?<![\\w/-])${name}(?![\\w/-])`).test(listed))).toEqual([]);
  });

  it("mark each block of commands as run by a test, or say why it is not", () => {
    const blocks = documents.flatMap(readBlocks).filter((block) => commandsOf(block).length > 0);
    expect(blocks.length).toBeGreaterThan(15);
    const unmarked = blocks.filter(({ mark }) => mark === null);
    expect(unmarked.map(({ document, line }) => `${document}:${line}`)).toEqual([]);
  });
});

describe("the commands in the documents", () => {
  const runs = documents.flatMap((document) =>
    namedCommands(document, /npm (?:run |start\b|test\b)/).map((call) => ({ file: document.file, call })),
  );
  const nameOf = (call: string) => /^npm (?:run (?:--silent )?)?([a-z][\w:-]*)/.exec(call)?.[1] ?? "";

  it("are scripts of the package, and package.json has none that the documents lack", () => {
    expect(runs.length).toBeGreaterThan(60);
    const named = new Set(runs.map(({ call }) => nameOf(call)));
    expect([...named].filter((name) => !(name in scripts))).toEqual([]);
    expect(Object.keys(scripts).filter((name) => !named.has(name))).toEqual([]);
  });

  it("have only options that the command takes", async () => {
    // The tests take the options of vitest, and --help is an option of every command.
    const given = runs.flatMap(({ file, call }) =>
      [...(call.split(" -- ")[1] ?? "").matchAll(/(?:^| )(--[a-z][\w-]*)/g)].flatMap(([, option = ""]) =>
        option === "--help" || nameOf(call) === "test" ? [] : [{ file, name: nameOf(call), option }],
      ),
    );
    expect(given.length).toBeGreaterThan(25);
    // Each command is a process of its own: npm test asks a few for their help.
    const asked = shuffled([...new Set(given.map(({ name }) => name))], Math.random);
    const names = isFull ? asked : asked.slice(0, 3);
    const helps = new Map(
      await Promise.all(names.map(async (name) => [name, await readHelp(scripts[name] ?? "")] as const)),
    );
    const unknown = given.filter(({ name, option }) => helps.has(name) && !helps.get(name)?.includes(`  ${option}`));
    expect(unknown).toEqual([]);
  });

  it("of npm run admin are all in its help", () => {
    const names = adminCommands.map(({ name }) => name);
    const rows = /## Act\n([\s\S]*?)\n## /.exec(textOf("docs/operating.md"))?.[1] ?? "";
    const named = [
      ...[...rows.matchAll(/`([a-z-]+ [a-z-]+)(?: [^`]*)?`/g)].map(([, name = ""]) => name),
      ...findAll(/admin (?:-- )?([a-z-]+ [a-z-]+)/g).flatMap(({ name }) =>
        names.some((known) => known.startsWith(`${name.split(" ")[0]} `)) ? [name] : [],
      ),
    ].filter((name) => !/^npm (run|start)$/.test(name));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.runIf(isFull)("of wrangler exist in the installed version, with their options", { timeout: 120_000 }, async () => {
    const named = documents.flatMap((document) => namedCommands(document, /npx wrangler /));
    const calls = [...new Set(named.map((call) => call.replace(/^npx wrangler |[.,:)]+$/g, "")))];
    expect(calls.length).toBeGreaterThan(5);
    const unknown: string[] = [];
    for (const call of calls) unknown.push(...(await findUnknown(call.split(" "))).map((part) => `${call}: ${part}`));
    expect(unknown).toEqual([]);
  });
});

it("the changelog says of each version first what operators must do, then each change in at most two lines", () => {
  const versions = textOf("CHANGELOG.md").split(/^## /m).slice(1);
  expect(versions.length).toBeGreaterThan(1);
  for (const version of versions.filter((text) => text.includes("\n- "))) {
    expect(version.split("\n- ")[0]).toMatch(/^[^\n]+\n\n### You must do\n$/);
    expect([...version.matchAll(/^### .*/gm)].map(String)).toEqual(["### You must do", "### Changes"]);
    const long = version
      .split(/\n(?=- )/)
      .filter((entry) => entry.startsWith("- ") && entry.trim().split(/\n(?! *\n|#)/).length > 2);
    expect(long.map((entry) => entry.slice(0, 60))).toEqual([]);
  }
});

describe("the tables of the documents", () => {
  it("have every DNS record that npm run deploy prints", () => {
    const names = ["BOUNCE_DOMAIN", "SPF_DOMAIN", "MX_HOST", "SMTP_HOST", "IMAP_HOST"];
    const printed = dnsRecords(Object.fromEntries(names.map((name) => [name, name])), false, "");
    const [, table = ""] = /## DNS\n([\s\S]*?)\n## /.exec(textOf("docs/operating.md")) ?? [];
    for (const [owner = ""] of printed.map((line) => line.split("  ")).filter(([owner]) => !owner?.startsWith("<")))
      expect(table).toContain(`\`${owner.replace(/(?<=\.)[A-Z_]+$/, "<$&>")}\``);
  });

  it("have every variable of the mail gateway, and no other", () => {
    const source = read("mail-gateway/config.ts");
    const limits = /DEFAULT_LIMITS[^{]*\{([^}]*)\}/.exec(source)?.[1] ?? "";
    const limitNames = [...limits.matchAll(/^ {2}(\w+):/gm)].map(
      ([, name = ""]) => `LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    );
    const others = [...source.matchAll(/(?:required\(|ports\(|env\.|toPort\()"?([A-Z][A-Z_]+)/g)].map(
      ([, name = ""]) => name,
    );
    const known = new Set([...limitNames, ...others]);
    expect(known.size).toBeGreaterThan(15);
    const table = /\| variable \| meaning \|([\s\S]*?)\n\n/.exec(textOf("docs/operating/gateway.md"))?.[1] ?? "";
    const rows = table.split("\n").map((line) => line.split("|")[1] ?? "");
    const documented = rows.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = ""]) => name));
    expect(documented.filter((name) => name !== "GATEWAY_SECRET_FILE").sort()).toEqual([...known].sort());
  });

  it("have every variable of the SMTP egress, and no other", () => {
    const source = read("smtp-egress/config.ts");
    const limits = /DEFAULT_LIMITS[^{]*\{([^}]*)\}/.exec(source)?.[1] ?? "";
    const known = new Set([
      ...[...limits.matchAll(/^ {2}(\w+):/gm)].map(
        ([, name = ""]) => `LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
      ),
      ...[...source.matchAll(/(?:\(env, "|env\.)([A-Z][A-Z_]+)/g)].map(([, name = ""]) => name),
    ]);
    expect(known.size).toBeGreaterThan(30);
    const table = /## Settings\n([\s\S]*?)\n## /.exec(textOf("docs/egress/own-egress.md"))?.[1] ?? "";
    const cells = table.split("\n").map((line) => line.split("|")[1] ?? "");
    const documented = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = ""]) => name));
    expect(documented.filter((name) => !name.endsWith("_FILE") || known.has(name)).sort()).toEqual([...known].sort());
  });

  it("have every metric of the SMTP egress, and no other", () => {
    const source = read("smtp-egress/metrics.ts");
    const known = [
      ...[...source.matchAll(/"(smtp_egress_[a-z_]+)"/g)].map(([, name = ""]) => name),
      ...[...source.matchAll(/metric\(\s*"([a-z_]+)"/g)].map(([, name]) => `smtp_egress_receiver_${name}`),
    ];
    expect(known.length).toBeGreaterThan(10);
    const table = /\| metric \| meaning \|([\s\S]*?)\n\n/.exec(textOf("docs/egress/own-egress.md"))?.[1] ?? "";
    const documented = [...table.matchAll(/`(smtp_egress_[a-z_]+)`/g)].map(([, name = ""]) => name);
    expect(documented.sort()).toEqual(known.sort());
  });

  it("have every metric of GET /metrics, and no other", () => {
    const sources = listFiles().filter((file) => /^src\/operations\/metrics\/.*\.ts$/.test(file));
    const known = new Set(
      sources.flatMap((file) =>
        [...read(file).matchAll(/"(email_[a-z0-9_]+)"/g)].map(
          ([, name]) => `${name}${file.endsWith("/today.ts") ? "_today" : ""}`,
        ),
      ),
    );
    expect(known.size).toBeGreaterThan(10);
    const documented = new Set(
      [...textOf("docs/monitoring.md").matchAll(/(?<![\w/.])(email_[a-z0-9_]+)/g)].map(([, name = ""]) => name),
    );
    expect([...documented].sort()).toEqual([...known].sort());
  });
});

async function readHelp(script: string): Promise<string> {
  const [, , file = ""] = script.split(" ");
  const node = path.join(ROOT, "node_modules/.bin/node");
  const args = ["--disable-warning=ExperimentalWarning", path.join(ROOT, file), "--help"];
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
  const { stdout } = await promisify(execFile)(node, args, { cwd: ROOT, env });
  return stdout;
}
