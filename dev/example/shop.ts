import type { CallerCtx } from "../../src/access/caller.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import type { Past } from "./past.ts";

/** The example shop. It has a workspace of its own, so that removing it touches nothing else. */
export const SHOP = { name: "Lindqvist & Daughters", domain: "lindqvist.test" } as const;

/** The name of its workspace until everything is in it. */
export const UNFINISHED = `${SHOP.name} (being filled)`;

/** Days of its history. */
export const DAYS = 14;

/** The shop while it is filled. */
export interface Shop {
  past: Past;
  caller: CallerCtx;
  /** Begin and end of its history, in ms since 1970. The begin is midnight (UTC). */
  begin: number;
  end: number;
  /** Numbers from 0 to 1, the same in each run. */
  random: () => number;
  /** The mailboxes that it sends from, and answers in. */
  orders: { id: string; address: string };
  hello: { id: string; address: string };
}

/** Returns the time of an hour of a day of the history, 0 being the first, in ms since 1970. */
export const timeOf = ({ begin }: Pick<Shop, "begin">, day: number, hour: number) =>
  Math.round(begin + day * DAY_MS + hour * HOUR_MS);

/** Returns a source of numbers from 0 to 1 that is the same in each run (a linear congruential generator). */
export function newRandom(): () => number {
  let state = 20_261_129;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** The end of the HTML of bulk mail. */
export const UNSUBSCRIBE = '<p style="font-size:.85em"><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

const FONT = "font-family:Georgia,'Times New Roman',serif;color:#2b2320";

/** Returns the HTML of an email of the shop. */
export const toHtml = (title: string, body: string) =>
  `<div style="${FONT};max-width:34rem;margin:auto;padding:1.5rem"><p style="letter-spacing:.08em;color:#7a4b2a">LINDQVIST &amp; DAUGHTERS</p><h1 style="font-weight:400">${title}</h1>${body}<p style="color:#6b625c;font-size:.85em">Lindqvist &amp; Daughters, tea and coffee since 1987 · Hamngatan 12, Göteborg</p></div>`;
