/** The people around the example shop. All addresses are reserved for examples and tests (RFC 2606). */
export interface Person {
  name: string;
  email: string;
  city: string;
}

const FIRST = [
  ...["Astrid", "Björn", "Clara", "Daniel", "Elin", "Fredrik", "Greta", "Hugo", "Ingrid", "Jonas", "Karin", "Lars"],
  ...["Maja", "Nils", "Olivia", "Per", "Ronja", "Sven", "Tove", "Viktor", "Amina", "Chidi", "Mei", "Rafael", "Yuki"],
];
const LAST = [
  ...["Åberg", "Bergström", "Dahl", "Ekman", "Forsberg", "Gunnarsson", "Holm", "Isaksson", "Kjellberg", "Lund"],
  ...["Nyström", "Oxenstierna-Lagercrantz", "Palm", "Rosengren", "Sandgren", "Tanaka", "Okafor", "Vidal"],
];
const DOMAINS = ["post.test", "example.org", "inbox.test", "post.test", "example.net", "kontor.test", "post.test"];
const CITIES = ["Göteborg", "Malmö", "Stockholm", "København", "Oslo", "Uppsala", "Helsinki"];

/** Returns the address of a name: its letters without marks. */
function toAddress(name: string, domain: string): string {
  const local = name
    .normalize("NFKD")
    .replace(/[^A-Za-z -]/g, "")
    .toLowerCase()
    .replaceAll(" ", ".");
  return `${local}@${domain}`;
}

const toPerson = (index: number): Person => {
  const name = `${FIRST[index % FIRST.length]} ${LAST[(index * 7 + Math.floor(index / FIRST.length)) % LAST.length]}`;
  const domain = DOMAINS[index % DOMAINS.length] ?? "";
  return { name, email: toAddress(name, domain), city: CITIES[(index * 3) % CITIES.length] ?? "" };
};

/** The customers, who are in the list of the shop. */
export const customers: readonly Person[] = Array.from({ length: 120 }, (_, index) => toPerson(index));

/** Customers whose mailboxes are gone: the first email to them bounces. */
export const gone: readonly Person[] = customers.filter((_, index) => index % 47 === 17);

/** People who subscribe to the tea letter in these two weeks. */
export const subscribers: readonly Person[] = Array.from({ length: 14 }, (_, index) => toPerson(200 + index));
