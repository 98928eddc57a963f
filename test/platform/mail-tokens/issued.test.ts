import { describe, expect, it } from "vitest";
import type { MailReference } from "../../../src/platform/mail-tokens/codec.ts";
import { readReturnPath, readUnsubscribeAddress } from "../../../src/platform/mail-tokens/return-path.ts";
import { readClickToken, readOpenToken } from "../../../src/platform/mail-tokens/tracking.ts";

const ROOTS = [{ version: 1, key: btoa("\u0001".repeat(32)) }];
const ONE: MailReference = { workspace: 42, emailId: "01989a3e-5c1f-7000-8000-000000000001", recipient: 3 };
const ALL: MailReference = {
  workspace: 2 ** 48 - 1,
  emailId: "ffffffff-ffff-4fff-bfff-fffffffffffe",
  recipient: "all",
};
const TARGET = "https://shop.example/a%2Fb?x=1&y=ü#z";

/** Issued before return paths and tracking tokens shared one codec. Delivered mail contains such tokens for years. */
const ISSUED = [
  {
    reference: ONE,
    returnPath: "baaaaaaaafiazrgr6lqpxaaeaaaaaaaaaaaaqaaadehfbsx2fyvtcc4oi@bounces.mail.test",
    unsubscribe: "uaaaaaaaafiazrgr6lqpxaaeaaaaaaaaaaaaqaaadkp3mkhjhrvwp4sqy@bounces.mail.test",
    open: "AAAAAAAqAZiaPlwfcACAAAAAAAAAAQOoHj6KI91my_sf",
    click: "AAAAAAAqAZiaPlwfcACAAAAAAAAAAQOdHrFzbCoiwSJUaHR0cHM6Ly9zaG9wLmV4YW1wbGUvYSUyRmI_eD0xJnk9w7wjeg",
  },
  {
    reference: ALL,
    returnPath: "b7777777777777777777u775777777777777p77777fh4cbfevq3p34hw@bounces.mail.test",
    unsubscribe: "u7777777777777777777u775777777777777p7777klv2jeddz22eww2e@bounces.mail.test",
    open: "________________T_-__________v8Ar2Vyo3WNLEjb",
    click: "________________T_-__________v-wt8K2a1la4ilWaHR0cHM6Ly9zaG9wLmV4YW1wbGUvYSUyRmI_eD0xJnk9w7wjeg",
  },
];

describe("a token that was issued earlier", () => {
  it.each(ISSUED)("still refers to recipient $reference.recipient of its email", async (issued) => {
    const { reference } = issued;
    expect(await readReturnPath(ROOTS, issued.returnPath)).toEqual(reference);
    expect(await readUnsubscribeAddress(ROOTS, issued.unsubscribe)).toEqual(reference);
    expect(await readOpenToken(ROOTS, issued.open)).toEqual(reference);
    expect(await readClickToken(ROOTS, issued.click)).toEqual({ ...reference, url: TARGET });
  });
});
