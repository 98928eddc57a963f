// `npm run bootstrap`: creates the first account of a deployment, which becomes its platform admin, and prints a sign-in
// link. It works once.
//   MASTER_KEYS=<as deployed> npm run bootstrap -- --url https://mail.example.com --email you@example.com
// Without --url it uses the service that `npm start` runs.
import { readArguments } from "./arguments.ts";
import { askAsOperator, findTarget } from "./operator.ts";

const usage = "bootstrap -- --email <address> [--url <PUBLIC_URL of a deployment, with MASTER_KEYS set>]";
const { values } = readArguments({ usage, options: { email: { type: "string" }, url: { type: "string" } } });
try {
  if (!values.email) throw new Error("The option --email is missing.");
  const target = await findTarget(values.url);
  const request = { kind: "bootstrap", subject: values.email } as const;
  const { sign_in_url } = await askAsOperator<{ sign_in_url: string }>(target, "/auth/bootstrap", request);
  console.log(`The first account is ${values.email}. This link signs in once, within 15 minutes:\n\n${sign_in_url}`);
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}
