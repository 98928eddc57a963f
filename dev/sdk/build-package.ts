import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "../layout.ts";
import { run } from "../run.ts";

/** Writes the client as a package for npm into a folder: JavaScript, declarations and package.json. Throws on type errors. */
export async function buildPackage(folder: string): Promise<void> {
  const target = path.resolve(folder);
  await mkdir(target, { recursive: true });
  const entry = path.join(ROOT, "sdk/index.ts");
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    outfile: path.join(target, "index.js"),
    logLevel: "error",
  });
  const types = ["--declaration", "--emitDeclarationOnly", "--noEmit", "false", "--rewriteRelativeImportExtensions"];
  const result = await run("tsc", ["-p", path.join(ROOT, "sdk"), ...types, "--outDir", path.join(target, "types")]);
  if (result.code !== 0) throw new Error(result.output);
  const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as { version: string };
  const description = {
    name: "email-delivery-client",
    version,
    license: "UNLICENSED",
    type: "module",
    engines: { node: ">=20.3" },
    exports: { ".": { types: "./types/index.d.ts", default: "./index.js" } },
  };
  await writeFile(path.join(target, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
}
