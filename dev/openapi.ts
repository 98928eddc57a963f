// `npm run openapi`: prints the OpenAPI document to standard output.
import { app } from "../src/app.ts";

const response = await app.request("/openapi.json", {}, {});
if (!response.ok) {
  console.error(`/openapi.json answered ${response.status}: ${await response.text()}`);
  process.exit(1);
}
process.stdout.write(`${JSON.stringify(await response.json(), null, 2)}\n`);
