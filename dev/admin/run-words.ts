import { parseArgs } from "node:util";
import { toReport } from "../egress/check/finding.ts";
import { findTarget } from "../operator.ts";
import { AdminApi } from "./api.ts";
import { type Command, commands, type Options } from "./commands.ts";
import { format, help, usage } from "./print.ts";

const options = {
  url: { type: "string" },
  as: { type: "string" },
  limit: { type: "string", default: "100" },
  email: { type: "string" },
  workspace: { type: "string" },
  name: { type: "string" },
  address: { type: "string" },
  domain: { type: "string" },
  to: { type: "string" },
  connect: { type: "string" },
  dns: { type: "string" },
  blocklists: { type: "string" },
  egress: { type: "string" },
  shut: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Runs the command of `npm run admin` that the words name, and returns what it prints. Throws an Error with a sentence. */
export async function runWords(words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  if (values.help) return help();
  const [command, args] = findCommand(positionals);
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1) throw new Error("--limit must be a whole number from 1.");
  if ("check" in command) return check(command, values);
  const target = await findTarget(values.url);
  const { email, workspace, domain, egress, shut } = values;
  const given = { limit, email, workspace, domain, egress, shut };
  if ("ask" in command) return command.ask(target, given);
  return format(await run(await AdminApi.open(target, values.as), command, args, given), values.json);
}

/** Runs a check and returns its report. Throws an Error with the report when something is wrong. */
async function check(
  command: Extract<Command, { check: unknown }>,
  values: Parameters<typeof command.check>[0] & { json: boolean },
): Promise<string> {
  const findings = await command.check(values);
  const report = values.json ? format(findings, true) : toReport(findings);
  if (findings.some(({ state }) => state === "wrong")) throw new Error(report);
  return report;
}

/** Returns the command that the words name and its arguments. Throws an Error that says how it is called. */
function findCommand(words: readonly string[]): [Command, string[]] {
  const command = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  if (!command)
    throw new Error(`${words.length === 0 ? "A command is missing." : "There is no such command."}\n\n${help()}`);
  const args = words.slice(command.name.split(" ").length);
  const takesMany = command.takes.at(-1)?.endsWith("…") ?? false;
  const isComplete = takesMany ? args.length >= command.takes.length : args.length === command.takes.length;
  if (!isComplete) throw new Error(`Usage: ${usage(command)}`);
  return [command, args];
}

/** Runs a command and ends the session, also when the command fails. */
async function run(
  api: AdminApi,
  command: Extract<Command, { run: unknown }>,
  args: readonly string[],
  given: Options,
): Promise<unknown> {
  try {
    return await command.run(api, args, given);
  } finally {
    await api.close();
  }
}
