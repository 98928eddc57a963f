// `npm run types`: regenerates worker-configuration.d.ts after a change of wrangler.toml.
import { run } from "./run.ts";

const { code, output } = await run("wrangler", ["types", "--include-runtime=false"]);
console.log(output.trim());
process.exit(code);
