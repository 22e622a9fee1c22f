/** The order of texts that is not the order of their octets: a column of its own holds the keys. */
export interface SortKey<Name extends string = string> {
  /**
   * The end of the column's name (`due_instant`) and of the SQL function's (`jmap_instant`).
   * Released migrations have it: it never changes.
   */
  readonly name: Name;
  /** The kind of its column. Keys of `string` compare by their octets. */
  readonly kind: 'string' | 'integer';
  /** Returns the key of a text; null of one that isn't legal. */
  readonly of: (text: string) => string | number | null;
  /** Whether texts with one key are equal in conditions. Otherwise equal texts alone are. */
  readonly isEquality: boolean;
}

/** A format as its file describes it. The engine, the generator and the pages read it. */
export interface FormatSource<
  Kind extends 'string' | 'date' = 'string' | 'date',
  Key extends string = string,
> {
  /** The kind of its column: `string` holds the text, `date` milliseconds since 1970. */
  readonly kind: Kind;
  /** Its name in the notation of RFC 8620 1.1. */
  readonly notation: string;
  /** Describes its texts, for editors and for the table in docs/reference/properties.md. */
  readonly description: string;
  /** Names in other schema languages, in lower case: messages answer them with the name here. */
  readonly otherNames: readonly string[];
  /** Tells of a wrong text. The name of the property stands in front of it. */
  readonly message: string;
  readonly isLegal: (text: string) => boolean;
  /** Returns the stored form of a legal text. Null: a text is stored as it comes. */
  readonly canonical: ((text: string) => string) | null;
  /**
   * The order of two texts in conditions and sorts. `none`: they are the same or not, and a sort
   * goes by their octets. `octets`: one comes before the other by its octets. A key: one comes
   * before the other by its key. Texts of kind `date` are in order by their column, without a key.
   */
  readonly order: 'none' | 'octets' | SortKey<Key>;
  /** Whether conditions look for pieces of its texts, too, as in a text without a format. */
  readonly isSearched?: boolean;
  /**
   * Octets that most texts have at most: tables and indexes are laid out by it. Null for a format
   * of longer texts, which `maxLength` bounds.
   */
  readonly length: number | null;
  /** Returns the text of a moment, given as a UTCDate; null for a format of no dates. */
  readonly present: ((utcDate: string) => string) | null;
  /** Texts that are legal; the first is the example on pages. */
  readonly legal: readonly [string, ...string[]];
  /** Texts that are not. */
  readonly illegal: readonly string[];
  /** Returns another legal text for each number, in its stored form; that of 0 is the least. */
  readonly numbered: (n: number) => string;
}

export interface Format<
  Kind extends 'string' | 'date' = 'string' | 'date',
  Key extends string = string,
> extends FormatSource<Kind, Key> {
  /** Returns whether a text is legal and in its stored form. Within a JSON value it has to be. */
  readonly isCanonical: (text: string) => boolean;
}

/** Returns a format, with the member that follows from the others. */
export function defineFormat<Kind extends 'string' | 'date', Key extends string = never>(
  source: FormatSource<Kind, Key>,
): Format<Kind, Key> {
  const { isLegal, canonical } = source;
  return Object.freeze({
    ...source,
    isCanonical:
      canonical === null ? isLegal : (text: string) => isLegal(text) && canonical(text) === text,
  });
}
