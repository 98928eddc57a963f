import { expect, it } from "vitest";
import { hashPassword, isPassword } from "../../../src/access/mailbox-sessions/password.ts";
import { StepRecorder } from "../../support/recorded-steps.ts";

it("passwords that are checked at once leave other requests their turn between two of them", async () => {
  const hash = await hashPassword("right");
  const recorder = new StepRecorder();
  const check = async (password: string) => {
    const result = await isPassword(password, hash);
    recorder.add("checked", 1, 0);
    return result;
  };
  const results = await recorder.during(() => Promise.all(["right", "wrong", "wrong", "right", "wrong"].map(check)));
  expect(results).toEqual([true, false, false, true, false]);
  expect(recorder.largest("checked").rows).toBe(1);
});
