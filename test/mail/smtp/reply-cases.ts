/** The effect of one reply on every recipient, and whether the connection stays usable. */

import type { TransactionScript } from "../../support/smtp-script.ts";

interface Row {
  name: string;
  steps: TransactionScript;
  /** Kind, phase and code of each result. */
  each: string;
  usable: boolean;
}

export const REPLY_CASES: Row[] = [
  {
    name: "5xx to MAIL refuses the message",
    steps: { mail: "550 5.7.1 no" },
    each: "message-refused mail 550",
    usable: true,
  },
  { name: "4xx to MAIL defers it", steps: { mail: "451 4.3.0 no" }, each: "deferred mail 451", usable: true },
  { name: "5xx to DATA refuses it", steps: { data: "554 5.7.1 no" }, each: "message-refused data 554", usable: true },
  { name: "4xx to DATA defers it", steps: { data: "451 4.3.0 no" }, each: "deferred data 451", usable: true },
  {
    name: "5xx after the dot refuses it",
    steps: { dot: "550 5.6.0 spam" },
    each: "message-refused final-dot 550",
    usable: true,
  },
  {
    name: "4xx after the dot defers it",
    steps: { dot: "451 4.3.0 no" },
    each: "deferred final-dot 451",
    usable: true,
  },
  {
    name: "421 to MAIL defers it and disconnects",
    steps: { mail: "421 4.3.2 bye" },
    each: "deferred mail 421",
    usable: false,
  },
  {
    name: "421 to DATA defers it and disconnects",
    steps: { data: "421 4.3.2 bye" },
    each: "deferred data 421",
    usable: false,
  },
  {
    name: "421 after the dot defers it and disconnects",
    steps: { dot: "421 4.3.2 bye" },
    each: "deferred final-dot 421",
    usable: false,
  },
  { name: "a break at MAIL defers it", steps: { mail: { drop: true } }, each: "deferred mail", usable: false },
  { name: "a break at DATA defers it", steps: { data: { drop: true } }, each: "deferred data", usable: false },
  {
    name: "a break after the dot is ambiguous",
    steps: { dot: { drop: true } },
    each: "ambiguous final-dot",
    usable: false,
  },
  { name: "250 to DATA defers it and disconnects", steps: { data: "250 ok?" }, each: "deferred data", usable: false },
  { name: "354 to MAIL defers it and disconnects", steps: { mail: "354 go?" }, each: "deferred mail", usable: false },
  {
    name: "garbage for MAIL defers it and disconnects",
    steps: { mail: { raw: "HTTP/1.1 400 Bad\r\n" } },
    each: "deferred mail",
    usable: false,
  },
  {
    name: "garbage for DATA defers it and disconnects",
    steps: { data: { raw: "\x00\xff\r\n" } },
    each: "deferred data",
    usable: false,
  },
  {
    name: "garbage after the dot is ambiguous",
    steps: { dot: { raw: "thanks!\r\n" } },
    each: "ambiguous final-dot",
    usable: false,
  },
  { name: "354 after the dot is ambiguous", steps: { dot: "354 go on" }, each: "ambiguous final-dot", usable: false },
  {
    name: "a reply without end defers it",
    steps: { mail: { raw: "250-more\r\n".repeat(5_000) } },
    each: "deferred mail",
    usable: false,
  },
  {
    name: "a line without end defers it",
    steps: { mail: { raw: "250 ".padEnd(100_000, "x") } },
    each: "deferred mail",
    usable: false,
  },
];
