// `npm run types`: regenerates worker-configuration.d.ts after a change of wrangler.toml.
import { readArguments } from "./arguments.ts";
import { run } from "./run.ts";

readArguments({ usage: "types" });
const { code, output } = await run("wrangler", ["types", "--include-runtime=false"]);
console.log(output.trim());
process.exit(code);
