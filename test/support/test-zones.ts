/** Zones of the stand-in of the DNS API that belong to one test file each. The API refuses more records than `maxRecords`. */
export const TEST_ZONES = [
  { name: "full-zone.test", id: "33333333333333333333333333333333", maxRecords: 2 },
  { name: "late-zone.test", id: "44444444444444444444444444444444", maxRecords: 200 },
  { name: "slow-zone.test", id: "55555555555555555555555555555555", maxRecords: 200 },
  { name: "policy-zone.test", id: "66666666666666666666666666666666", maxRecords: 200 },
  { name: "health-zone.test", id: "88888888888888888888888888888888", maxRecords: 200 },
  { name: "move-zone.test", id: "77777777777777777777777777777777", maxRecords: 200 },
  { name: "sts-zone.test", id: "99999999999999999999999999999999", maxRecords: 200 },
  { name: "sandbox-zone.test", id: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", maxRecords: 3_500 },
] as const;

/** Returns the variables of a deployment that has one of these zones alone, with as many records as it says that it has. */
export function settingsOfZone(zone: (typeof TEST_ZONES)[number]["name"], records = 200) {
  const { id } = TEST_ZONES.find(({ name }) => name === zone) ?? TEST_ZONES[0];
  return { DELEGATED_ZONES: `${zone}=${id}:${records}` };
}
