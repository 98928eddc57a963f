/**
 * A Vite plugin that gives tests the Worker's source as one module. Every test file runs in an isolate of its own, and
 * loading some 600 modules one by one would take it several seconds.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

const BUNDLE = "\0source";
/** Prefix of the module that has the exports of one source file. */
const FILE = "\0source:";
/** CommonJS with built-in modules of Node, which Vite resolves itself. */
const NOT_BUNDLED = ["cloudflare:*", "node:*", "dns-packet"];

/** Serves the TypeScript files of `folders`, which are paths from `root`, from one bundle. */
export function bundledSource(root: string, folders: readonly string[]): Plugin {
  let source: Promise<Source> | undefined;
  let isWatching = false;
  const isSource = (file: string) =>
    /\.tsx?$/.test(file) && folders.some((folder) => isIn(path.join(root, folder), file));
  return {
    name: "bundled-source",
    enforce: "pre",
    // In watch mode the bundle would go stale.
    configResolved({ server }) {
      isWatching = server.watch !== null;
    },
    resolveId(id, importer = root) {
      if (isWatching) return null;
      if (id === BUNDLE || id.startsWith(FILE)) return id;
      const file = path.isAbsolute(id) ? id : path.resolve(path.dirname(importer), id);
      return isSource(file) ? FILE + file : null;
    },
    async load(id) {
      if (id !== BUNDLE && !id.startsWith(FILE)) return null;
      source ??= bundle(root, folders);
      const { code, map, exports } = await source;
      if (id === BUNDLE) return { code, map };
      const file = path.relative(root, id.slice(FILE.length));
      const names = exports.get(file);
      if (!names) throw new Error(`${file} is not in the bundle`);
      return reexport(moduleName(file), names);
    },
  };
}

interface Source {
  code: string;
  map: string;
  /** Names that each file exports, by path from the root. */
  exports: ReadonlyMap<string, readonly string[]>;
}

/** Returns a module that exports some names of one namespace of the bundle. */
function reexport(namespace: string, names: readonly string[]): string {
  const locals = names.map((name, at) => `${name}: e${at}`);
  const exported = names.map((name, at) => `e${at} as ${name}`);
  return `import { ${namespace} as all } from "${BUNDLE}"; const { ${locals} } = all; export { ${exported} };`;
}

async function bundle(root: string, folders: readonly string[]): Promise<Source> {
  const files = (await Promise.all(folders.map((folder) => readdir(path.join(root, folder), { recursive: true }))))
    .flatMap((names, at) => names.map((name) => path.posix.join(folders[at] ?? "", name)))
    .filter((file) => /\.tsx?$/.test(file));
  const contents = files.map((file) => `export * as ${moduleName(file)} from "./${file}";`).join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    outfile: path.join(root, "source.js"),
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: NOT_BUNDLED,
    sourcemap: "external",
    minifyWhitespace: true,
  });
  const [map, code] = ["source.js.map", "source.js"].map(
    (name) => outputFiles.find((file) => path.basename(file.path) === name)?.text ?? "",
  );
  return { code: code ?? "", map: map ?? "", exports: await readExports(root, files) };
}

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
