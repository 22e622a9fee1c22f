import { UNKNOWN_BOUNDS } from '../capability/unknown-properties.js';

/**
 * Bounds that hold where a descriptor gives none (docs/reference/descriptors.md), and how far it
 * may go.
 */
export const BOUNDS = Object.freeze({
  /** Code points of a string without `maxLength`. */
  stringLength: 65_535,
  maxStringLength: 10_000_000,
  /** Items of a list without `maxItems`. */
  items: 1_000,
  maxItems: 100_000,
  /** Members of an open map without `maxProperties`. */
  properties: 1_000,
  maxProperties: 100_000,
  /** Code points of a key in an open map. */
  keyLength: 255,
  /** Code points of a string that is unique or indexed: PostgreSQL indexes at most 2,704 octets. */
  indexedLength: 500,
  /** Code points that a filter or a sort may read of every object without a warning. */
  scannedLength: 1_000,
  /** Characters of a descriptor's text. */
  descriptorLength: 4_000_000,
  /** Characters of a `pattern`: V8 ends the process for some that nest further than this can. */
  patternLength: 1_000,
  /**
   * Octets of all values of an entry: what is left beside the ids of the account and the object.
   */
  indexedOctets: 2_500,
  /** RFC 8620 1.3: an Int. */
  minInteger: -Number.MAX_SAFE_INTEGER,
  maxInteger: Number.MAX_SAFE_INTEGER,
  /** Properties of a type: with two shadow columns each they fit PostgreSQL's 1,600 columns. */
  typeProperties: 500,
  /** Levels of objects and lists within a property, itself included. */
  depth: 10,
  /** Values of a definition that contains itself that lie within each other. */
  nesting: 8,
  maxNesting: 30,
  /** Schemas within a property, definitions written out wherever they are used. */
  schemas: 5_000,
  /** Access rules of a type: each may add a row to the index of who sees an object. */
  accessRules: 8,
  /** Characters of a type's name: tables and indexes fit PostgreSQL's 63 octets. */
  typeName: 40,
  /** Characters of the name of a property or a condition. */
  propertyName: 128,
  /** Characters of a nested reference's name: it is in a key that PostgreSQL indexes. */
  referenceName: 500,
});

/** A bound as docs/reference/descriptors.md tells it. */
interface BoundRow {
  readonly what: string;
  /** The bound where a descriptor gives none; absent where there is no such bound. */
  readonly fallback?: number;
  readonly most: number;
}

/** The bounds that the authors of descriptors meet. */
export const BOUND_ROWS: readonly BoundRow[] = Object.freeze([
  {
    what: '`maxLength` of a string, in code points',
    fallback: BOUNDS.stringLength,
    most: BOUNDS.maxStringLength,
  },
  { what: '`maxItems` of a list', fallback: BOUNDS.items, most: BOUNDS.maxItems },
  {
    what: '`maxProperties` of a set or a map',
    fallback: BOUNDS.properties,
    most: BOUNDS.maxProperties,
  },
  { what: 'code points of a key in a map', fallback: BOUNDS.keyLength, most: BOUNDS.keyLength },
  {
    what: '`maximum` of an integer; `minimum` is its negative (RFC 8620 1.3)',
    fallback: BOUNDS.maxInteger,
    most: BOUNDS.maxInteger,
  },
  { what: 'code points of a string that is unique or indexed', most: BOUNDS.indexedLength },
  {
    what:
      'bytes of all values that are unique or indexed together: 4 for each code point, 64 for ' +
      'each id, and 8 more for each value',
    most: BOUNDS.indexedOctets,
  },
  {
    what: 'code points of a text that a filter or sort without an index reads without a warning',
    most: BOUNDS.scannedLength,
  },
  { what: 'properties of a type', most: BOUNDS.typeProperties },
  { what: 'access rules of a type', most: BOUNDS.accessRules },
  { what: 'letters of the name of a type', most: BOUNDS.typeName },
  { what: 'characters of the name of a property or a condition', most: BOUNDS.propertyName },
  { what: 'undeclared properties of an object', most: UNKNOWN_BOUNDS.count },
  { what: 'octets of the JSON of all of them together', most: UNKNOWN_BOUNDS.octets },
  { what: 'levels of lists and objects in a property', most: BOUNDS.depth },
  {
    what: '`maxDepth`: values of a recursive definition that lie within each other',
    fallback: BOUNDS.nesting,
    most: BOUNDS.maxNesting,
  },
  { what: 'letters of the names on the way to a nested reference', most: BOUNDS.referenceName },
  {
    what: 'schemas in a property, each definition counted wherever it is used',
    most: BOUNDS.schemas,
  },
  { what: 'characters of a `pattern`', most: BOUNDS.patternLength },
  { what: 'characters of a descriptor', most: BOUNDS.descriptorLength },
]);
