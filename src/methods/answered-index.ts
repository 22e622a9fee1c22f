import type { AnsweredDefinition, PropertyDefinition } from '../capability/definition.js';
import {
  type FamilyName,
  type NameFamily,
  parseFamilyName,
  prefixOf,
} from '../capability/family-names.js';

/** Properties of a type that are computed when they are read. */
export interface AnsweredIndex {
  /** The properties that are no families, by name. */
  readonly plain: ReadonlyMap<string, AnsweredDefinition>;
  readonly families: readonly FamilyDefinition[];
  /** The properties that a /get without `properties` gives. */
  readonly always: readonly AnsweredDefinition[];
  /** The stored properties that any of them follows: the hook sees no others. */
  readonly sources: readonly PropertyDefinition[];
}

export type FamilyDefinition = AnsweredDefinition & NameFamily;

/** The properties that a /get asks of a hook. */
export interface AskedValues {
  readonly plain: readonly AnsweredDefinition[];
  readonly families: ReadonlyMap<FamilyDefinition, readonly FamilyName[]>;
}

/** Returns the index of a type's answered properties. */
export function indexAnswered(answered: readonly AnsweredDefinition[]): AnsweredIndex {
  const plain = answered.filter((each) => !isFamily(each));
  return Object.freeze({
    plain: new Map(plain.map((each) => [each.name, each])),
    families: answered.filter(isFamily),
    always: plain.filter(({ onRequest }) => onRequest !== true),
    sources: [...new Set(answered.flatMap(({ sources }) => sources))],
  });
}

function isFamily(definition: AnsweredDefinition): definition is FamilyDefinition {
  return definition.parts !== undefined;
}

/** Names of families in one call: each is a value of every object. */
const MAX_NAMES = 1000;

/** Gathers the answered properties among the names that a client gives. */
export class AskedNames {
  readonly #index: AnsweredIndex;
  readonly #plain = new Set<AnsweredDefinition>();
  readonly #families = new Map<FamilyDefinition, FamilyName[]>();
  #count = 0;

  constructor(index: AnsweredIndex) {
    this.#index = index;
  }

  /**
   * Notes a name, and the declared one that it may be in another spelling. Returns why there is no
   * such property; null where there is one.
   */
  add(name: string, declared: string): string | null {
    const { plain, families } = this.#index;
    const known = plain.get(declared);
    if (known !== undefined) {
      this.#plain.add(known);
      return null;
    }
    const family = families.find((each) => name.startsWith(prefixOf(each)));
    if (family === undefined) return '';
    const parsed = parseFamilyName(family, name);
    if (typeof parsed === 'string') return `of ${family.name}: ${parsed}`;
    this.#count += 1;
    if (this.#count > MAX_NAMES)
      return `of ${family.name}: ${MAX_NAMES} names are asked for already`;
    this.#families.set(family, [...(this.#families.get(family) ?? []), parsed]);
    return null;
  }

  /** Returns what is asked for; null for nothing. */
  get asked(): AskedValues | null {
    if (this.#plain.size === 0 && this.#families.size === 0) return null;
    return { plain: [...this.#plain], families: this.#families };
  }
}

/** Returns what a /get without `properties` asks for; null for nothing. */
export function askedAlways({ always }: AnsweredIndex): AskedValues | null {
  return always.length === 0 ? null : { plain: always, families: new Map() };
}
