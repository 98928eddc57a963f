import type { Step } from "../../../src/audience/automations/definition.ts";

/**
 * A plain interpreter of automations: each run is a generator over the nested steps. It shares no code with the service, which compiles
 * steps to nodes and stores a position.
 */

/** A person as the model has it. */
export interface ModelPerson {
  /** Names of its lists. Empty: no contact is left. */
  lists: Set<string>;
  fields: Map<string, unknown>;
  topics: Map<string, boolean>;
  /** Subjects of its emails. */
  sent: string[];
  /** Notifications of the team about it. */
  notices: number;
}

export interface ModelEvent {
  person: string;
  name: string;
  data: Record<string, unknown>;
  /** Milliseconds since 1970. */
  at: number;
}

interface Wait {
  until: number;
  event?: { name: string; minimum: number | null };
}

/** The event that came, or null when the wait is over. */
type Resumed = ModelEvent | null;

export class ModelRun {
  status: "active" | "completed" | "exited" | "removed" = "active";
  readonly #steps: Generator<Wait, boolean, Resumed>;
  #wait: Wait | null = null;
  #waitsFrom = 0;
  #seen = 0;
  #isHeld = false;
  /** The last contact was removed before another step. */
  #hasLeft = false;
  readonly #person: ModelPerson;
  readonly #share: (path: string) => number;
  #now = 0;
  data: Record<string, unknown>;

  constructor(
    person: ModelPerson,
    steps: readonly Step[],
    data: Record<string, unknown>,
    share: (path: string) => number,
  ) {
    this.#person = person;
    this.#share = share;
    this.data = data;
    this.#steps = this.#walk(steps, "");
  }

  /**
   * Looks at the run at a time: `events` are those of the person, in the order in which they came. A run whose automation is paused is
   * held when it would move, and looked at when that is active again.
   */
  look(now: number, events: readonly ModelEvent[], { isPaused, exits }: { isPaused: boolean; exits: boolean }): void {
    this.#now = now;
    while (this.status === "active") {
      const wait = this.#wait;
      const came = wait === null ? null : this.#came(events);
      const isWoken =
        wait?.event !== undefined && events.slice(this.#seen).some(({ name }) => name === wait.event?.name);
      const isOver = wait === null || came !== null || now >= wait.until;
      if (!isOver && !isWoken && !this.#isHeld) return;
      this.#isHeld = isPaused;
      if (isPaused) return;
      this.#seen = events.length;
      if (exits || this.#person.lists.size === 0) this.status = "exited";
      else if (!isOver) return;
      else this.#move(came, events.length);
    }
  }

  #move(came: ModelEvent | null, seen: number): void {
    this.#waitsFrom = seen;
    const step = this.#steps.next(came);
    if (step.done) this.status = this.#person.lists.size === 0 && this.#hasLeft ? "exited" : "completed";
    else this.#wait = step.value;
  }

  #came(events: readonly ModelEvent[]): ModelEvent | null {
    const { event, until } = this.#wait ?? { until: 0 };
    if (event === undefined) return null;
    const later = events.slice(this.#waitsFrom).filter(({ name, at }) => name === event.name && at <= until);
    return later.find(({ data }) => event.minimum === null || Number(data.total ?? 0) > event.minimum) ?? null;
  }

  /** Returns false at an end of the whole run. */
  *#walk(steps: readonly Step[], prefix: string): Generator<Wait, boolean, Resumed> {
    for (const [index, step] of steps.entries()) {
      const path = `${prefix}${index}`;
      if (this.#person.lists.size === 0) {
        this.#hasLeft = true;
        return false;
      }
      const branch = yield* this.#step(step, path);
      if (branch === "end") return false;
      if (branch === null || !("then_steps" in step)) continue;
      const [inner, name] = branch ? [step.then_steps, "then_steps"] : [step.else_steps, "else_steps"];
      if (!(yield* this.#walk(inner, `${path}.${name}.`))) return false;
    }
    return true;
  }

  *#step(step: Step, path: string): Generator<Wait, boolean | "end" | null, Resumed> {
    const person = this.#person;
    switch (step.kind) {
      case "wait":
        yield { until: this.#now + Number(Object.values(step.for)[0]) * 60_000 };
        return null;
      case "wait_for_event": {
        const filter = step.filter as { value?: number } | undefined;
        const minimum = filter ? Number(filter.value) : null;
        const until = this.#now + Number(Object.values(step.limit)[0]) * 60_000;
        const came = yield { until, event: { name: step.event, minimum } };
        if (came) this.data = came.data;
        return came !== null;
      }
      case "branch": {
        const { field, event, value } = step.when as { field?: string; event?: string; value?: unknown };
        const actual = field === undefined ? this.data[event ?? ""] : person.fields.get(field);
        return actual === value;
      }
      case "split":
        return this.#share(path) < step.percent;
      case "set_field":
        if (step.value === null) person.fields.delete(step.field);
        else person.fields.set(step.field, step.value);
        return null;
      case "add_to_list":
        if (person.lists.size > 0) person.lists.add(step.list_id);
        return null;
      case "remove_from_list":
        person.lists.delete(step.list_id);
        return null;
      case "send_email":
        person.sent.push(step.subject ?? "");
        return null;
      case "change_topic":
        person.topics.set(step.topic_id, step.subscribed);
        return null;
      case "notify":
        person.notices += 1;
        return null;
      case "end":
        return "end";
      default:
        return null;
    }
  }
}
