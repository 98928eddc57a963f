import { type Choice, DEFAULTS, LISTS, type Operation, type Send, type Until } from "./operations.ts";

/** A contact: `id` is a number that no other contact has, greater than those before it. */
interface Contact {
  id: number;
  person: number;
}

/** An email that waits, to a person as their address was when it was made. */
export interface WaitingEmail {
  person: number;
  topic: number | null;
  isCancelled: boolean;
}

const STAGES: readonly Until[] = ["started", "contacts", "emails", "end"];

/** Says who may get what, after each operation. */
export class Model {
  readonly #choices = new Map<string, Choice>();
  readonly #all = new Set<number>();
  readonly #lists: Contact[][] = LISTS.map(() => []);
  readonly #generations = LISTS.map(() => 0);
  /** False for a person and a topic, or none, when the unsubscribe link of the last email no longer works. */
  readonly #links = new Map<string, boolean>();
  readonly #running = new Map<number, Until>();
  readonly #waiting: WaitingEmail[] = [];
  /** Persons whose choices may be under keyed hashes, which counts before a send leave out. */
  readonly erased = new Set<number>();
  #made = 0;

  state(person: number, topic: number): Choice {
    return this.#choices.get(`${person} ${topic}`) ?? DEFAULTS[topic] ?? "unsubscribed";
  }

  may(person: number, topic: number | null): boolean {
    return !this.#all.has(person) && (topic === null || this.state(person, topic) === "subscribed");
  }

  contactsOf(list: number): readonly Contact[] {
    return this.#lists[list] ?? [];
  }

  /** Returns what tells a list from those that were deleted before it. */
  generation = (list: number) => this.#generations[list] ?? 0;
  lastContact = () => this.#made;

  /** Returns the contacts whom a send is for: each person once, as a contact of the first list that names them. */
  audienceOf({ lists }: Send, lastContact: number): { list: number; contact: Contact }[] {
    const persons = new Set<number>();
    return lists.flatMap((list) => {
      const contacts = this.contactsOf(list).filter(({ id, person }) => id <= lastContact && !persons.has(person));
      for (const { person } of contacts) persons.add(person);
      return contacts.map((contact) => ({ list, contact: { ...contact } }));
    });
  }

  wait(person: number, topic: number | null): WaitingEmail {
    const email = { person, topic, isCancelled: false };
    this.#waiting.push(email);
    return email;
  }

  leaves = ({ person, topic, isCancelled }: WaitingEmail) => !isCancelled && this.may(person, topic);

  apply(op: Operation): void {
    if (op.do === "choose") this.#choose(op.who.person, op.topic, op.choice);
    else if (op.do === "leave all") this.#all.add(op.who.person);
    else if (op.do === "remove all") this.#all.delete(op.who.person);
    else if (op.do === "leave by list") this.#choose(op.who.person, op.topic, "unsubscribed");
    else if (op.do === "remove by list") {
      if (this.#choices.get(`${op.who.person} ${op.topic}`) === "unsubscribed")
        this.#choose(op.who.person, op.topic, null);
    } else if (op.do === "one-click" || op.do === "save") this.#useLink(op);
    else if (op.do === "erase") this.#erase(op.who.person, op.until);
    else this.#changeContacts(op);
  }

  #choose(person: number, topic: number, choice: Choice | null): void {
    if (choice === null) this.#choices.delete(`${person} ${topic}`);
    else this.#choices.set(`${person} ${topic}`, choice);
  }

  #useLink(op: Operation & { do: "one-click" | "save" }): void {
    const link = `${op.person} ${op.topic}`;
    if (op.isNew || !this.#links.has(link)) this.#links.set(link, true);
    if (!this.#links.get(link)) return;
    if (op.do === "save") {
      // The public topics, the first and the last, were shown.
      for (const each of [0, 2])
        this.#choose(op.person, each, op.checked.includes(each) ? "subscribed" : "unsubscribed");
      if (op.checked.length > 0) this.#all.delete(op.person);
    } else if (op.topic === null) this.#all.add(op.person);
    else this.#choose(op.person, op.topic, "unsubscribed");
  }

  #changeContacts(op: Exclude<Operation, { do: "choose" | "leave all" | "remove all" | "erase" }>): void {
    if (op.do === "import") for (const { person } of op.people) this.#add(op.list, person);
    else if (op.do === "add" || op.do === "put") this.#add(op.list, op.who.person);
    else if (op.do === "merge") {
      const contact = this.#find(op.list, op.person);
      if (contact && !this.#find(op.list, op.into.person)) contact.person = op.into.person;
    } else if (op.do === "delete contact") this.#keep(op.list, ({ person }) => person !== op.person);
    else if (op.do === "delete list") {
      this.#keep(op.list, () => false);
      this.#generations[op.list] = this.generation(op.list) + 1;
    }
  }

  #find = (list: number, person: number) => this.#lists[list]?.find((contact) => contact.person === person);
  #add(list: number, person: number): void {
    if (!this.#find(list, person)) this.#lists[list]?.push({ id: ++this.#made, person });
  }
  #keep(list: number, isKept: (contact: Contact) => boolean): void {
    this.#lists[list] = this.contactsOf(list).filter(isKept);
  }

  // The restrictions are the same before, during and after an erasure: contacts, emails and their links end.
  #erase(person: number, until: Until): void {
    const done = STAGES.indexOf(this.#running.get(person) ?? "started");
    const isReached = (stage: Until) => STAGES.indexOf(stage) > done && STAGES.indexOf(stage) <= STAGES.indexOf(until);
    if (isReached("contacts")) for (const list of LISTS) this.#keep(list, (contact) => contact.person !== person);
    if (isReached("emails")) {
      for (const link of this.#links.keys()) if (link.startsWith(`${person} `)) this.#links.set(link, false);
      for (const email of this.#waiting) if (email.person === person) email.isCancelled = true;
    }
    this.erased.add(person);
    if (until === "end") this.#running.delete(person);
    else if (STAGES.indexOf(until) >= done) this.#running.set(person, until);
  }
}
