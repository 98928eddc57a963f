import { expect, it } from "vitest";
import { endOfQuietHours, nextLocalTime, zoneOf } from "../../../../src/audience/automations/times.ts";
import type { Person } from "../../../../src/audience/conditions/index.ts";

const endOf = (at: string, from: string, to: string, zone: string) => {
  const end = endOfQuietHours(Date.parse(at), { from, to }, zone);
  return end === null ? null : new Date(end).toISOString();
};

it.each([
  ["Europe/Berlin", "2027-10-31T01:15:00Z", "22:00", "02:30", "2027-10-31T01:30:00.000Z"],
  ["America/New_York", "2027-11-07T06:15:00Z", "22:00", "01:30", "2027-11-07T06:30:00.000Z"],
  ["America/Havana", "2027-11-07T05:30:00Z", "22:00", "00:45", "2027-11-07T05:45:00.000Z"],
  ["Australia/Lord_Howe", "2027-04-03T15:15:00Z", "22:00", "01:50", "2027-04-03T15:20:00.000Z"],
])("quiet hours that end in the second pass of an hour end there: %s", (zone, at, from, to, end) => {
  expect(endOf(at, from, to, zone)).toBe(end);
});

it("quiet hours end when the clock shows their end, on days with and without a change of the clock", () => {
  const ends = [
    // The first pass of the hour, and the evening before it.
    ["2027-10-31T00:15:20Z", "02:30", "2027-10-31T00:30:00.000Z"],
    ["2027-10-30T20:10:00Z", "02:30", "2027-10-31T00:30:00.000Z"],
    ["2027-10-30T20:10:00Z", "08:00", "2027-10-31T07:00:00.000Z"],
    // Clocks go forward over the end.
    ["2027-03-28T00:15:00Z", "02:30", "2027-03-28T01:30:00.000Z"],
    ["2027-03-27T21:30:59Z", "08:00", "2027-03-28T06:00:00.000Z"],
    ["2027-06-01T20:00:00Z", "08:00", "2027-06-02T06:00:00.000Z"],
  ] as const;
  for (const [at, to, end] of ends) expect(endOf(at, "22:00", to, "Europe/Berlin"), at).toBe(end);
  expect(endOf("2027-10-31T01:30:00Z", "22:00", "02:30", "Europe/Berlin")).toBeNull();
});

it("a time of day comes once a day, in the first pass of an hour that comes twice", () => {
  const after = Date.parse("2027-10-31T01:15:00Z");
  const next = new Date(nextLocalTime(after, "02:30", [], "Europe/Berlin")).toISOString();
  expect(next).toBe("2027-11-01T01:30:00.000Z");
});

it.each([
  ["Europe/Kiev", "Europe/Kiev"],
  ["europe/berlin", "europe/berlin"],
  ["US/Eastern", "US/Eastern"],
  ["GMT+2", "Asia/Tokyo"],
  ["+02:00", "Asia/Tokyo"],
  [" Europe/Berlin", "Europe/Berlin"],
  ["Europe/Berlin\t ", "Europe/Berlin"],
  ["W. Europe Standard Time", "Asia/Tokyo"],
  ["", "Asia/Tokyo"],
])("the zone of a person with %j is %s", (timezone, zone) => {
  const person = { contacts: [{ metadata: { timezone } }] } as unknown as Person;
  expect(zoneOf(person, "Asia/Tokyo")).toBe(zone);
});
