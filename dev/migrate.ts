// `npm run migrate`: applies missing migrations to the main database and every mail database of wrangler.toml. State of a
// version with one database is split on the way (docs/operating/upgrades.md). Safe to interrupt and repeat.
//   npm run migrate -- --remote                the databases of the deployment, with the account that wrangler uses; with
//                                              --config <file> those of another configuration than wrangler.toml
//   npm run migrate -- --local <state folder>  databases on this machine, in the folder of `wrangler dev --persist-to`
import { readArguments } from "./arguments.ts";
import { migrateAll } from "./database.ts";
import { withDatabases } from "./remote-databases.ts";

const usage = "migrate -- --remote [--config <file>] | --local <state folder>";
const options = { remote: { type: "boolean" }, local: { type: "string" }, config: { type: "string" } } as const;
const { values } = readArguments({ usage, options });
try {
  if ((values.remote === true) === (values.local !== undefined)) throw new Error("Give either --remote or --local.");
  await withDatabases({ stateDir: values.local ?? null, config: values.config }, (env) => migrateAll(env, console.log));
  console.log("All migrations are applied.");
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}
