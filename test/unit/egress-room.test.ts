/** The part of the memory that emails of one receiver may have, and the waits of those that find no room. */
import { describe, expect, it } from "vitest";
import { Room } from "../../smtp-egress/room.ts";

const START = 1_800_000_000_000;
const SECOND_MS = 1_000;

/** Returns how many recipients a room takes. */
function capacity(room: Room, now: number): number {
  const before = room.places;
  while (room.isFree(now)) room.places += 1;
  const taken = room.places;
  room.places = before;
  return taken;
}

/** Returns a room after messages that each began and ended at these times, in s. */
function roomAfter(messages: [begin: number, end: number][], isAnswered = true): Room {
  const room = new Room();
  for (const [begin, end] of messages) {
    room.noteBegin(START + begin * SECOND_MS);
    room.noteEnd(isAnswered, START + end * SECOND_MS);
  }
  return room;
}

describe("a receiver", () => {
  it("of which nothing is known has 1,000 places", () => {
    expect(capacity(new Room(), START)).toBe(1_000);
  });

  it("has the places of a minute when it takes more than that", () => {
    const room = roomAfter(Array.from({ length: 500 }, (_, n) => [n / 50, n / 50 + 0.001]));
    expect(capacity(room, START + 10 * SECOND_MS)).toBeCloseTo(3_000, -1);
  });

  it("that ends nothing for ten seconds has 100, and what waits beyond these goes back", () => {
    const room = new Room();
    room.noteBegin(START);
    expect(room.kept(START + 10 * SECOND_MS)).toBe(Number.POSITIVE_INFINITY);
    expect(capacity(room, START + 10 * SECOND_MS + 1)).toBe(100);
    expect(room.kept(START + 10 * SECOND_MS + 1)).toBe(100);
    room.noteEnd(true, START + 11 * SECOND_MS);
    expect(capacity(room, START + 11 * SECOND_MS)).toBe(1_000);
  });

  it("that has been busy for half a minute has the places of a minute, but 100", () => {
    const room = new Room();
    room.noteBegin(START);
    for (let second = 3; second <= 60; second += 3) {
      room.noteBegin(START + second * SECOND_MS);
      room.noteEnd(true, START + second * SECOND_MS);
    }
    expect(capacity(room, START + 30 * SECOND_MS)).toBe(1_000);
    expect(capacity(room, START + 61 * SECOND_MS)).toBe(100);
  });

  it("that cannot be reached has 100, however fast its emails are deferred", () => {
    const room = roomAfter(
      Array.from({ length: 5_000 }, (_, n) => [n / 1_000, n / 1_000]),
      false,
    );
    expect(capacity(room, START + 5 * SECOND_MS)).toBe(100);
  });

  it("gives each email that finds no room a later time than the one before, by its rate, up to half an hour", () => {
    const room = roomAfter([[0, 60]], false);
    const now = START + 60 * SECOND_MS;
    room.places = 100;
    const waits = Array.from({ length: 5_000 }, () => room.wait(now));
    expect(waits.slice(0, 3)).toEqual([60_600, 61_200, 61_800]);
    expect(waits.at(-1)).toBe(1_800_000);
  });
});
