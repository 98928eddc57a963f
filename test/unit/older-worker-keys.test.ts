/** The keys of a Worker of a version before POST /auth/master-keys, which a deploy of this version asks by a step of the rotation. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkKeys } from "../../dev/rotation/check-keys.ts";
import { verifyAccessToken } from "../../src/access/sessions/access-token.ts";
import { readSettings } from "../../src/platform/settings/settings.ts";

const newKey = (version: number) => `${version}:${randomBytes(32).toString("base64")}`;
const [old, fresh, other] = [newKey(1), newKey(2), newKey(2)];
let deployed = "";
let url = "";

/** Responds as version 0.1.0 does: it knows one endpoint of rotations, and tells the version of its newest key. */
const server = createServer(async (request, response) => {
  const settings = readSettings({ MASTER_KEYS: deployed, PUBLIC_URL: url });
  const token = (request.headers.authorization ?? "").replace("Bearer ", "");
  const isKnown = request.url === "/auth/rotate-secrets";
  const claims = await verifyAccessToken({ settings, now: Date.now }, "rotation", token);
  response.statusCode = !isKnown ? 404 : claims ? 200 : 401;
  response.end(JSON.stringify({ version: settings.masterKeys.at(-1)?.version, detail: "Not found" }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it.each([
  ["the same keys", [old], [old], null],
  ["a newer key in the file, not in use", [old], [fresh, old], null],
  ["the same keys after a rotation", [old, fresh], [old, fresh], null],
  ["a file from before the rotation", [old, fresh], [old], "the Worker uses key 2"],
  ["a file of another rotation", [old, fresh], [old, other], "its key 2 is another one"],
  ["a file of another deployment", [fresh], [old], "knows none of its keys"],
] as const)("%s is recognized by what the older version responses", async (_, worker, file, reason) => {
  deployed = worker.join(",");
  const refusal = await checkKeys({ url, masterKeys: file.join(",") }, "the Worker", "the file");
  if (reason === null) expect(refusal).toBeNull();
  else expect(refusal).toMatch(new RegExp(reason));
});

it("a service that returns something else is no response", async () => {
  const target = { url: `${url}/elsewhere`, masterKeys: old };
  await expect(checkKeys(target, "the Worker", "the file")).rejects.toThrow("the Worker cannot be asked");
});
