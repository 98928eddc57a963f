// `npm run types`: regenerates bindings.d.ts after a change of wrangler.toml. A plain `wrangler types` writes
// worker-configuration.d.ts, which Git ignores: it has the types of the runtime and the names of .dev.vars.
import { readArguments } from "./arguments.ts";
import { BINDING_TYPES } from "./binding-types.ts";
import { run } from "./run.ts";

readArguments({ usage: "types" });
const { code, output } = await run("wrangler", BINDING_TYPES);
console.log(output.trim());
process.exit(code);
