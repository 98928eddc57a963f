import { describe, expect, it } from "vitest";
import { readTicket, type Ticket, writeTicket } from "../../../src/mail/egress-tickets/ticket.ts";

const ticket: Ticket = {
  shard: 3,
  row: "01a208f8-7df5-708f-b4fc-f38adeeaf562",
  token: "01a20901-b5c7-7039-bd31-e9225ea91a58",
  email: "01a208f4-363a-72c0-8caa-1b2be975b2b0",
  n: 41_000_123,
  attempt: 2,
  isRepeated: true,
  isOther: true,
};

describe("a ticket", () => {
  it("is read as it was written", () => {
    expect(readTicket(writeTicket(ticket))).toEqual(ticket);
    const other = { ...ticket, shard: 0, n: 1, attempt: 1, isRepeated: false, isOther: false };
    expect(readTicket(writeTicket(other))).toEqual(other);
  });

  it("fits into ENVID with the greatest numbers, and needs no escape there", () => {
    const longest = writeTicket({ ...ticket, shard: 999, n: 36 ** 9 - 1, attempt: 999 });
    expect(longest.length).toBeLessThanOrEqual(100);
    expect(longest).toMatch(/^[\w.-]+$/);
  });

  const good = writeTicket(ticket);
  const bad = [
    "",
    "a",
    good.slice(1),
    `${good}x`,
    good.replace(".", ""),
    `${good}\r\n`,
    good.replace(/2ro$/, "0"),
    // Of version 0.2.0, with the end of the lease.
    "3.AaII-H31cI-0_POK3ur1Yg.AaIJAbXHcDm9MekiXqkaWA.mwte6w00.AaII9DY6csCMqhsr6XWysA.oerwb.2ro",
    "é",
    "\0",
  ];
  for (const text of bad)
    it(`is not read from ${JSON.stringify(text)}`, () => {
      expect(readTicket(text)).toBeNull();
    });
});
