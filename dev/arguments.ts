import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The options and arguments of a command. */
interface Accepted<Own extends Options> {
  /** How the command is called, after `npm run`. */
  usage: string;
  options?: Own;
  allowPositionals?: boolean;
}

/**
 * Parses the arguments of a command. With `--help` it prints the usage and the options and exits. With arguments that the command
 * does not take it says so and exits with 1, so that a mistyped option never does what the command does without it.
 */
export function readArguments<Own extends Options>({ usage, options, allowPositionals = false }: Accepted<Own>) {
  try {
    const own = { ...options, help: { type: "boolean" } } as Own & { help: { type: "boolean" } };
    const parsed = parseArgs({ options: own, allowPositionals });
    if (!process.argv.includes("--help")) return parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run ${usage}`);
    process.exit(1);
  }
  console.log(`Usage: npm run ${usage}`);
  const names = Object.entries(options ?? {}).map(
    ([name, { type }]) => `  --${name}${type === "string" ? " <value>" : ""}`,
  );
  if (names.length > 0) console.log(`\nOptions:\n${names.join("\n")}`);
  process.exit(0);
}
