// `npm run admin`: operates a running service by its admin API. `npm run admin -- --help` lists the commands.
//   npm run admin -- outbox list 0
//   MASTER_KEYS=<as deployed> npm run admin -- workspaces pause <id> --url https://mail.example.com --as you@example.com
import { runWords } from "./admin/run-words.ts";

try {
  console.log(await runWords(process.argv.slice(2)));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
