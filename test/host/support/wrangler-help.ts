/** Reads the help of the installed wrangler about its commands. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const BIN = path.join(import.meta.dirname, "../../../node_modules/.bin");
const read = new Map<string, Promise<string>>();

/**
 * Returns what wrangler does not know of a command line, such as `["d1", "create", "main", "--location", "weur"]`: the command, or
 * options. Empty when it knows everything.
 */
export async function findUnknown(words: readonly string[]): Promise<string[]> {
  const end = words.findIndex((word) => word.startsWith("-"));
  const names = end < 0 ? words : words.slice(0, end);
  const options = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ""));
  const help = await findCommand(names);
  if (help === null) return [`wrangler ${names.join(" ")}`];
  return options.filter((option) => !new RegExp(`(^|[ ,])${option}(?![\\w-])`, "m").test(help));
}

/** Returns the help of the command that the words begin with, or null when wrangler has no such command. */
async function findCommand(words: readonly string[]): Promise<string | null> {
  const help = await readHelp(words.join(" "));
  // Wrangler returns an unknown subcommand with the help of the command above it, which has a list of commands.
  const [, command = "", takes = ""] = /^wrangler ((?:[a-z][\w-]* ?)+)(.*)/.exec(help) ?? [];
  const isWhole = command.trim() === words.join(" ");
  const isCommand = `${words.join(" ")} `.startsWith(`${command.trim()} `) && !/^COMMANDS$/m.test(help);
  return isCommand && (isWhole || takes !== "") ? help : null;
}

function readHelp(command: string): Promise<string> {
  const known = read.get(command);
  if (known) return known;
  // Wrangler runs with the Node of the packages.
  const PATH = `${BIN}${path.delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" };
  const help = promisify(execFile)(path.join(BIN, "wrangler"), [...command.split(" "), "--help"], { env }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  read.set(command, help);
  return help;
}
