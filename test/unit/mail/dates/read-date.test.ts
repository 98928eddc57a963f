import { describe, expect, it } from "vitest";
import { readDate } from "../../../../src/mail/dates/read-date.ts";
import { parseMessage } from "../../../../src/mail/messages/parse.ts";

const isoOf = (value: string) => {
  const time = readDate(value);
  return time === null ? null : new Date(time).toISOString().replace(".000Z", "Z");
};

describe("a date of a header field", () => {
  it.each([
    ["RFC 5322 3.3", "Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"],
    ["without a weekday and seconds", "3 Nov 2025 10:00 +0100", "2025-11-03T09:00:00Z"],
    ["with comments and white space (4.3)", "Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T15:55:06Z"],
    ["with a comment within a comment", "Mon, 3 Nov 2025 (a (b) c) 10:00:00 +0000 (UTC)", "2025-11-03T10:00:00Z"],
    ["of a year of three digits", "Wed, 3 Nov 125 10:00:00 +0000", "2025-11-03T10:00:00Z"],
    ["of a year of two digits before 50", "3 Nov 25 10:00:00 +0000", "2025-11-03T10:00:00Z"],
    ["of a year of two digits from 50 on", "21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z"],
    ["with a leap second", "31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00Z"],
    ["in a zone by its name", "21 Nov 97 09:55:06 EST", "1997-11-21T14:55:06Z"],
    ["in a military zone, which counts as UTC", "21 Nov 97 09:55:06 A", "1997-11-21T09:55:06Z"],
    ["in an unknown zone", "Mon, 03 Nov 2025 10:00:00 -0000", "2025-11-03T10:00:00Z"],
    ["with a name before its offset", "Mon, 3 Nov 2025 10:00:00 GMT+0100", "2025-11-03T09:00:00Z"],
    ["without a zone", "Mon, 3 Nov 2025 10:00:00", "2025-11-03T10:00:00Z"],
    ["without a time", "3 November 2025", "2025-11-03T00:00:00Z"],
    ["with a comma before the time", "3 Nov 2025, 10:00", "2025-11-03T10:00:00Z"],
    ["with hyphens", "Monday, 03-Nov-25 10:00:00 GMT", "2025-11-03T10:00:00Z"],
    ["of ctime", "Mon Nov  3 10:00:00 2025", "2025-11-03T10:00:00Z"],
    ["of ctime with a zone", "Mon Nov  3 10:00:00 PST 2025", "2025-11-03T18:00:00Z"],
    ["of JavaScript", "Mon Nov 03 2025 10:00:00 GMT+0100 (CET)", "2025-11-03T09:00:00Z"],
    ["of ISO 8601", "2025-11-03T10:00:00.5+01:00", "2025-11-03T09:00:00Z"],
    ["of ISO 8601 with spaces", "2025-11-03 10:00:00 +0100", "2025-11-03T09:00:00Z"],
    ["of the last second that ISO 8601 has", "Fri, 31 Dec 9999 23:59:59 +0000", "9999-12-31T23:59:59Z"],
  ])("%s is read", (_, value, expected) => {
    expect(isoOf(value)).toBe(expected);
  });

  it.each([
    "12345",
    "",
    "yesterday",
    "Wed, 31 Jun 2025 10:00:00 +0000",
    "Mon, 3 Nox 2025 10:00:00 +0000",
    "Mon, 3 Nov 2025 25:00:00 +0000",
    "Mon, 3 Nov 12025 10:00:00 +0000",
    "3 Nov 0099 10:00:00 +0000",
    "31 Dec 1969 23:59:59 +0000",
    "Fri, 31 Dec 9999 23:59:59 -0100",
    "2025-13-03T10:00:00Z",
  ])("%j is none, so that no year before 1970 or after 9999 enters the API", (value) => {
    expect(isoOf(value)).toBeNull();
  });

  it("is that of the message, else null", () => {
    const dateOf = (value: string) => parseMessage(new TextEncoder().encode(`Date: ${value}\r\n\r\nx`)).date;
    expect(dateOf("Wed, 3 Nov 125 10:00:00 +0000")).toBe(Date.UTC(2025, 10, 3, 10));
    expect(dateOf("12345")).toBeNull();
  });
});
