/** The kinds of property whose values are texts on the wire. */
export type FormatKind = 'string' | 'date';

/** A format as its file describes it. The engine, the generator and the pages read the file. */
export interface FormatSource<Kind extends FormatKind = FormatKind> {
  /** The kind of its column: `string` holds the text, `date` milliseconds since 1970. */
  readonly kind: Kind;
  /** Its name in the notation of RFC 8620 1.1. */
  readonly notation: string;
  /** Describes its texts, for editors and for the table in docs/descriptors.md. */
  readonly description: string;
  /** Names in other schema languages, in lower case: messages answer them with the name here. */
  readonly otherNames: readonly string[];
  /** Tells of a wrong text. The name of the property stands in front of it. */
  readonly message: string;
  readonly isLegal: (text: string) => boolean;
  /** Returns the stored form of a legal text. Absent: a text is stored as it comes. */
  readonly canonical?: (text: string) => string;
  /**
   * The comparison of two texts in conditions and sorts. `identity`: they are the same or not, and
   * a sort goes by their octets. `octets`: one comes before the other by its octets. `instant`: one
   * comes before the other by the moment that it names as a Date (RFC 8620 1.4).
   */
  readonly compares: 'identity' | 'octets' | 'instant';
  /** Characters that most texts have at most: tables and indexes are laid out by it. */
  readonly length: number;
  /** Texts that are legal; the first is the example on pages. */
  readonly legal: readonly [string, ...string[]];
  /** Texts that are not. */
  readonly illegal: readonly string[];
  /** Returns another legal text for each number; that of 0 is the least. */
  readonly numbered: (n: number) => string;
}

export interface Format<Kind extends FormatKind = FormatKind> extends FormatSource<Kind> {
  /** Returns whether a text is legal and in its stored form. Within a JSON value it has to be. */
  readonly isCanonical: (text: string) => boolean;
}

/** Returns a format, with the members that follow from the others. */
export function defineFormat<Kind extends FormatKind>(source: FormatSource<Kind>): Format<Kind> {
  const { isLegal, canonical } = source;
  return Object.freeze({
    ...source,
    isCanonical:
      canonical === undefined
        ? isLegal
        : (text: string) => isLegal(text) && canonical(text) === text,
  });
}
