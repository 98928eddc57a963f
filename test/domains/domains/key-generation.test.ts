import { describe, expect, it } from "vitest";
import { generateDkimKeys } from "../../../src/domains/domains/index.ts";
import type { DkimAlgorithm } from "../../../src/mail/dkim/keys.ts";
import { StepRecorder } from "../../support/recorded-steps.ts";
import { testContext } from "../../support/workspace.ts";

const KEYS = 5;

describe("the generation of DKIM keys", () => {
  it("lets other requests get their turn between two domains that are registered at once", async () => {
    const recorder = new StepRecorder();
    const generate = async (algorithm: DkimAlgorithm) => {
      if (algorithm === "rsa-sha256") recorder.add("generate", 1, 0);
      return { publicKey: "key", pkcs8: new Uint8Array(1) };
    };
    const generated = await recorder.during(() =>
      Promise.all(Array.from({ length: KEYS }, () => generateDkimKeys(testContext(), crypto.randomUUID(), generate))),
    );
    expect(generated.map((keys) => keys.length)).toEqual(Array.from({ length: KEYS }, () => 2));
    expect(recorder.largest("generate").rows).toBe(1);
  });

  it("goes on after one that failed", async () => {
    const failing = () => Promise.reject(new Error("no entropy"));
    await expect(generateDkimKeys(testContext(), crypto.randomUUID(), failing)).rejects.toThrow("no entropy");
    const generate = async () => ({ publicKey: "key", pkcs8: new Uint8Array(1) });
    expect(await generateDkimKeys(testContext(), crypto.randomUUID(), generate)).toHaveLength(2);
  });
});
