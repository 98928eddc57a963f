import path from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { readSettings } from "../../src/settings.ts";

const { workerOptions } = unstable_getMiniflareWorkerOptions(path.resolve("wrangler.toml"));
const variables = workerOptions.bindings as Record<string, string>;
const MASTER_KEYS = `1:${Buffer.alloc(32).toString("base64")}`;

describe("the variables in wrangler.toml", () => {
  it("have the values that the service takes without them", () => {
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(["PUBLIC_URL", "SIGN_UP", "SYSTEM_MAILBOX"]));
    expect(readSettings({ ...variables, MASTER_KEYS })).toEqual(readSettings({ MASTER_KEYS }));
  });

  it("contain no secret", () => {
    expect(Object.keys(variables).filter((name) => /SECRET|KEYS|PASSWORD|TOKEN$/.test(name))).toEqual([]);
    expect(variables).not.toHaveProperty("EGRESS_URL");
  });
});
