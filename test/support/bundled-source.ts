/**
 * Vite plugins that give tests the Worker's source as one module, which workerd itself loads from a file. Loading some
 * 600 modules one by one would take an isolate several seconds, and so would the way
 * of Vitest to pass one large module to workerd, as an escaped text.
 */
import { rmSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Plugin as BundlerPlugin, build } from "esbuild";
import type { Plugin } from "vite";
import type {} from "vitest/config";
import { markPlaces } from "../../dev/prepared-sql/places.ts";

/** Prefix of the module that has the exports of one source file. */
const FILE = "\0source:";
/** Folder of the bundles. */
const CACHE = "node_modules/.cache/test-source";

/** Serves the TypeScript files of `folders`, which are paths from `root`, from one bundle. */
export function bundledSource(root: string, folders: readonly string[]): Plugin[] {
  let isWatching = false;
  const isSource = (file: string) =>
    /\.tsx?$/.test(file) && folders.some((folder) => isIn(path.join(root, folder), file));
  return [
    {
      name: "bundled-source",
      enforce: "pre",
      // In watch mode the bundle would go stale.
      configResolved({ server }) {
        isWatching = server.watch !== null;
      },
      resolveId(id, importer = root) {
        if (isWatching) return null;
        if (id.startsWith(FILE)) return id;
        const file = path.isAbsolute(id) ? id : path.resolve(path.dirname(importer), id);
        return isSource(file) ? FILE + file : null;
      },
      async load(id) {
        if (!id.startsWith(FILE)) return null;
        const { bundleFile, exports } = await bundleOnce(root, folders);
        const file = path.relative(root, id.slice(FILE.length));
        const names = exports.get(file);
        if (!names) throw new Error(`${file} is not in the bundle`);
        return reexport(bundleFile, moduleName(file), names);
      },
    },
    {
      name: "bundled-source:external",
      // After the plugin of the pool, which has Vitest pass every module itself.
      enforce: "post",
      config: (config) => {
        const dependencies = config.test?.server?.deps;
        if (dependencies) dependencies.inline = [new RegExp(`^(?!.*/${CACHE}/)`)];
      },
    },
  ];
}

interface Source {
  /** Absolute path of the bundle. */
  bundleFile: string;
  /** Names that each file exports, by path from the root. */
  exports: ReadonlyMap<string, readonly string[]>;
}

/** Returns a module that exports some names of one namespace of the bundle. */
function reexport(bundleFile: string, namespace: string, names: readonly string[]): string {
  const locals = names.map((name, at) => `${name}: e${at}`);
  const exported = names.map((name, at) => `e${at} as ${name}`);
  return `import { ${namespace} as all } from "${bundleFile}"; const { ${locals} } = all; export { ${exported} };`;
}

/** The bundle of this process by its folders, because several projects use it. */
const sources = new Map<string, Promise<Source>>();

function bundleOnce(root: string, folders: readonly string[]): Promise<Source> {
  const key = folders.join();
  const source = sources.get(key) ?? bundle(root, folders);
  sources.set(key, source);
  return source;
}

async function bundle(root: string, folders: readonly string[]): Promise<Source> {
  const files = (await Promise.all(folders.map((folder) => readdir(path.join(root, folder), { recursive: true }))))
    .flatMap((names, at) => names.map((name) => path.posix.join(folders[at] ?? "", name)))
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file));
  const contents = files.map((file) => `export * as ${moduleName(file)} from "./${file}";`).join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [importedBuffer, knownScrypt, markedPlaces(root)],
  });
  // One file for each run, so that runs beside each other do not share one.
  const bundleFile = path.join(root, CACHE, `${process.pid}.mjs`);
  await mkdir(path.dirname(bundleFile), { recursive: true });
  await writeFile(bundleFile, outputFiles[0]?.text ?? "");
  process.on("exit", () => rmSync(bundleFile, { force: true }));
  return { bundleFile, exports: await readExports(root, files) };
}

/** Has `require("buffer")` of CommonJS packages return the built-in module, since a bundle of ES modules has no `require`. */
const importedBuffer: BundlerPlugin = {
  name: "imported-buffer",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^buffer$/ }, ({ path }) => ({ path, namespace: "built-in" }));
    onLoad({ filter: /./, namespace: "built-in" }, () => ({ contents: 'export * from "node:buffer";' }));
  },
};

/** Gives the source the scrypt of known-scrypt.ts. */
const knownScrypt: BundlerPlugin = {
  name: "known-scrypt",
  setup({ onResolve }) {
    onResolve({ filter: /^node:crypto$/ }, ({ importer }) =>
      importer.endsWith("/mailbox-sessions/password.ts")
        ? { path: path.join(import.meta.dirname, "known-scrypt.ts") }
        : null,
    );
  },
};

/** Marks the places that make SQL, for test/support/statement-recorder.ts. */
const markedPlaces = (root: string): BundlerPlugin => ({
  name: "marked-places",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.tsx?$/ }, async ({ path: file }) => {
      if (!isIn(path.join(root, "src"), file)) return null;
      const contents = markPlaces(path.relative(root, file), await readFile(file, "utf8"));
      return { contents, loader: file.endsWith("x") ? "tsx" : "ts" };
    });
  },
});

/** Returns the names that each file exports. Those of `export *` are known only when the files that it names are bundled. */
async function readExports(root: string, files: readonly string[]): Promise<Map<string, readonly string[]>> {
  const read = async (entryPoints: readonly string[], bundle: boolean) => {
    const options = {
      outdir: root,
      outbase: root,
      absWorkingDir: root,
      write: false,
      format: "esm",
      metafile: true,
    } as const;
    const { metafile } = await build({
      ...options,
      entryPoints: [...entryPoints],
      bundle,
      ...(bundle ? { packages: "external" } : {}),
    });
    return Object.values(metafile.outputs).map(({ entryPoint = "", exports }) => [entryPoint, exports] as const);
  };
  const stars = [];
  for (const file of files) if (/^export \*/m.test(await readFile(path.join(root, file), "utf8"))) stars.push(file);
  return new Map([...(await read(files, false)), ...(await read(stars, true))]);
}

const moduleName = (file: string) => `m_${file.replace(/\W/g, "_")}`;
const isIn = (folder: string, file: string) => !path.relative(folder, file).startsWith("..");
