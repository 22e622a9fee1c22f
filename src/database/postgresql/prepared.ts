import pg from 'pg';

const { builtins } = pg.types;

/** Reads one column of a row. */
export type Parser = (text: string) => unknown;

const asIs: Parser = (text) => text;

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [builtins.BOOL, (text) => text === 't'],
  [builtins.INT2, Number],
  [builtins.INT4, Number],
  // The engine writes only integers that a double holds exactly.
  [builtins.INT8, Number],
  [builtins.FLOAT8, Number],
]);

/** Returns how the engine reads a type's columns: numbers and Booleans as such, others as text. */
export function parserOf(oid: number): Parser {
  return PARSERS.get(oid) ?? asIs;
}

/** A text that is asked for again. `fixed` texts are few; `recurring` ones come from clients. */
export type Lifetime = 'fixed' | 'recurring';

/** A statement as its connection knows it. */
export interface Known {
  /** Empty where it is planned each time. */
  readonly name: string;
  /** How its columns are read; null until it has been answered by this name. */
  parsers: readonly Parser[] | null;
}

/** Fixed texts that are prepared, at most: those of a large project's types fit. */
const FIXED = 2000;
/** The last recurring texts that are prepared, and the last ones seen once. */
const RECURRING = 64;
const SEEN = 128;

/** The statements that one connection has prepared, by their texts. */
export class Prepared {
  readonly #fixed = new Map<string, Known>();
  /** In order of last use. */
  readonly #recurring = new Map<string, Known>();
  readonly #seen = new Set<string>();
  #names = 0;

  /**
   * Returns how to ask for a text. A recurring one is prepared from its second use on; `forget`
   * gets the name that makes room for it.
   */
  use(text: string, lifetime: Lifetime | undefined, forget: (name: string) => void): Known {
    if (lifetime === 'fixed') return this.#fixed.get(text) ?? this.#fix(text);
    if (lifetime === undefined) return unnamed();
    let known = this.#recurring.get(text);
    if (known === undefined && !this.#seen.has(text)) {
      this.#seen.add(text);
      if (this.#seen.size > SEEN) this.#seen.delete(first(this.#seen));
      return unnamed();
    }
    known ??= this.#createKnown('jmapsmith_passing');
    this.#recurring.delete(text);
    this.#recurring.set(text, known);
    if (this.#recurring.size > RECURRING) {
      const oldest = first(this.#recurring.keys());
      forget(this.#recurring.get(oldest)?.name ?? '');
      this.#recurring.delete(oldest);
    }
    return known;
  }

  #fix(text: string): Known {
    if (this.#fixed.size >= FIXED) return unnamed();
    const known = this.#createKnown('jmapsmith');
    this.#fixed.set(text, known);
    return known;
  }

  #createKnown(prefix: string): Known {
    this.#names += 1;
    return { name: `${prefix}_${this.#names}`, parsers: null };
  }
}

function unnamed(): Known {
  return { name: '', parsers: null };
}

function first(texts: Iterable<string>): string {
  for (const text of texts) return text;
  return '';
}
