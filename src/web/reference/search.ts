import { type ApiDocument, type Contents, type Noun, type Operation, successOf } from "./document.ts";
import { pathOf, sectionsOf } from "./guides.ts";
import { type Field, toField, toFields } from "./schemas.ts";

/** A place of the reference that a search finds. */
export interface Place {
  title: string;
  href: string;
  /** Beside the title: the route of an operation, the operations with a field. */
  detail: string;
  /** The words that are searched, in lower case. */
  words: string;
}

/** The places of one kind that a search found. */
export interface Found {
  kind: "Guides and rules" | "Operations" | "Fields" | "Errors";
  /** The best first, at most `MAX_PLACES`. */
  places: readonly Place[];
  total: number;
}

/** Most places of a kind that a search shows. */
const MAX_PLACES = 12;

type Index = Record<Found["kind"], Place[]>;

/** The index of each document: about 2,000 places, made at the first search. */
const indexes = new WeakMap<ApiDocument, Index>();

/** Returns the places that have each word of `query`, in any case and with other endings; those with them in their title first. */
export function search(contents: Contents, query: string): Found[] {
  const index = indexes.get(contents.document) ?? makeIndex(contents);
  indexes.set(contents.document, index);
  const words = query.toLowerCase().slice(0, 200).split(/\s+/).filter(Boolean).map(stemOf);
  const kinds = Object.entries(index) as [Found["kind"], Place[]][];
  return kinds
    .map(([kind, all]) => {
      const found = all.filter((place) => words.every((word) => place.words.includes(word)));
      const inTitle = ({ title }: Place) => words.filter((word) => title.toLowerCase().includes(word)).length;
      const places = found.toSorted((a, b) => inTitle(b) - inTitle(a)).slice(0, MAX_PLACES);
      return { kind, places, total: found.length };
    })
    .filter(({ total }) => total > 0);
}

/** Returns what a word has in common with others of its kind: "idempotent" finds "idempotency", and "bounced" finds "bounces". */
const stemOf = (word: string) => (/^[a-z]{6,}$/.test(word) ? word.slice(0, -Math.ceil(word.length / 5)) : word);

function makeIndex({ document, nouns, guides }: Contents): Index {
  const all = nouns.flatMap((noun) => noun.operations.map((operation) => ({ noun, operation })));
  return {
    "Guides and rules": guides.flatMap(sectionsOf).map(({ guide, heading, id, text }) => ({
      title: heading === guide.title ? heading : `${guide.title}: ${heading}`,
      href: `${pathOf(guide)}${id === "" ? "" : `#${id}`}`,
      detail: guide.kind === "guides" ? "Guide" : "Rules",
      words: `${guide.title} ${heading} ${text}`.toLowerCase(),
    })),
    Operations: all.map(({ noun, operation }) => operationPlace(noun, operation)),
    Fields: joined(
      all.flatMap(({ noun, operation }) =>
        fieldsOf(document, operation).map(({ name, description }) => ({
          title: name,
          href: hrefOf(noun, operation),
          detail: operation.summary,
          words: `${name} ${description}`.toLowerCase(),
        })),
      ),
    ),
    Errors: joined(
      all.flatMap(({ noun, operation }) =>
        Object.entries(operation.responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([status, { description }]) => ({
            title: `${status} ${description}`,
            href: hrefOf(noun, operation),
            detail: operation.summary,
            words: `error ${status} ${description}`.toLowerCase(),
          })),
      ),
    ),
  };
}

const hrefOf = (noun: Noun, { operationId }: Operation) => `/docs/${noun.slug}#${operationId}`;

function operationPlace(noun: Noun, operation: Operation): Place {
  const { operationId, method, path, summary, description = "" } = operation;
  return {
    title: summary,
    href: hrefOf(noun, operation),
    detail: `${method} ${path}`,
    words: `${noun.name} ${operationId} ${method} ${path} ${summary} ${description}`.toLowerCase(),
  };
}

function fieldsOf(document: ApiDocument, operation: Operation): Field[] {
  const { parameters = [], requestBody } = operation;
  const success = successOf(operation)?.[1].content;
  const schemas = [requestBody?.content, success].flatMap((content) => Object.values(content ?? {})[0]?.schema ?? []);
  return [
    ...parameters.map(({ name, schema, description = "" }) =>
      toField(document, name, { description, ...schema }, false),
    ),
    ...schemas.flatMap((schema) => toFields(document, schema)),
  ];
}

/** Makes one place of those with the same words: it leads to the first, and says how many operations have it. */
function joined(places: readonly Place[]): Place[] {
  const byWords = Map.groupBy(places, ({ words }) => words);
  return [...byWords.values()].flatMap((same) => {
    const others = new Set(same.map(({ detail }) => detail)).size - 1;
    return same
      .slice(0, 1)
      .map((first) => (others < 1 ? first : { ...first, detail: `${first.detail} and ${others} more` }));
  });
}
