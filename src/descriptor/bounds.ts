/** Bounds that hold where a descriptor gives none (docs/descriptors.md), and how far it may go. */
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
  /** Octets of all values of an entry: what is left beside the ids of the account and the object. */
  indexedOctets: 2_500,
  /** RFC 8620 1.3: an Int. */
  minInteger: -Number.MAX_SAFE_INTEGER,
  maxInteger: Number.MAX_SAFE_INTEGER,
  /** Properties of a type: with two shadow columns each they fit PostgreSQL's 1,600 columns. */
  typeProperties: 500,
  /** Levels of objects and lists within a property, itself included. */
  depth: 10,
  /** Schemas within a property, definitions written out wherever they are used. */
  schemas: 5_000,
  /** Characters of names: `Type_property_casemap` has to fit PostgreSQL's 63 octets. */
  typeName: 40,
  propertyName: 40,
});
