import { BOUNDS } from '../bounds.js';

/**
 * Type names that would clash with what the emitted code, Prisma's client or the language itself
 * calls by them. Compared without letter case: file systems and SQL don't see it.
 */
const TYPE_NAMES: ReadonlySet<string> = toWords([
  // JavaScript and TypeScript
  'Array, Boolean, Buffer, Date, Error, Exclude, Extract, Function, Iterator, JSON, Map, Math',
  'NonNullable, Number, Object, Omit, Parameters, Partial, Pick, Promise, Proxy, Readonly',
  'Record, Reflect, RegExp, Required, ReturnType, Set, String, Symbol, Undefined, Null',
  'WeakMap, WeakSet, Uint8Array, Global, GlobalThis',
  // Prisma
  'BigInt, Bytes, DateTime, Decimal, Float, Int, Prisma, PrismaClient, Unsupported',
  // SQLite keeps names that begin with sqlite_, which those of indexes would.
  'Sqlite',
  // generated/<capability>/methods.types.ts
  'Methods',
]);

/**
 * Property names that objects have by themselves, that databases keep for themselves, or that the
 * engine writes.
 */
const PROPERTY_NAMES: ReadonlySet<string> = toWords([
  'accountId, constructor, prototype, hasOwnProperty, isPrototypeOf, propertyIsEnumerable',
  'toJSON, toLocaleString, toString, valueOf, then',
  'cmax, cmin, ctid, oid, rowid, tableoid, xmax, xmin',
  // SQLite reads TRUE and FALSE as a column where there is one of that name.
  'true, false',
]);

/**
 * Properties that every type has by itself: a second one of that name could not be told from it.
 */
const STANDARD_PROPERTIES: ReadonlySet<string> = new Set(['id', 'created', 'updated']);

/** Member names within nested objects and messages that would read or write a prototype. */
const MEMBER_NAMES: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'prototype',
  'toLocaleString',
  'toString',
  'valueOf',
]);

/** Returns why a data type can't have the name, or undefined where it can. */
export function whyNoTypeName(name: string): string | undefined {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
    return 'a type is named in PascalCase, letters and digits only, for instance InvoiceLine';
  if (name.length > BOUNDS.typeName) return `a type's name has at most ${BOUNDS.typeName} letters`;
  if (/^jmap/i.test(name)) return "names that begin with Jmap are the engine's";
  return TYPE_NAMES.has(name.toLowerCase())
    ? 'the name has a meaning in TypeScript, Prisma or a database; a longer one is free'
    : undefined;
}

/** Returns whether the name, in exactly this spelling, is one that every type has by itself. */
export function isStandard(name: string): boolean {
  return STANDARD_PROPERTIES.has(name);
}

/** Returns why a property can't have the name, or undefined where it can. */
export function whyNoPropertyName(name: string): string | undefined {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name))
    return 'a property is named in camelCase, letters and digits only, for instance dueDate';
  if (name.length > BOUNDS.propertyName)
    return `a property's name has at most ${BOUNDS.propertyName} letters`;
  if (STANDARD_PROPERTIES.has(name.toLowerCase()))
    return 'every type has id, created and updated by itself';
  return PROPERTY_NAMES.has(name.toLowerCase())
    ? 'the name is reserved by the engine, the language or a database'
    : undefined;
}

/** Returns why a filter condition can't have the name, or undefined where it can. */
export function whyNoConditionName(name: string): string | undefined {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name))
    return 'a condition is named in camelCase, letters and digits only, for instance dueBefore';
  if (name === 'operator' || name === 'conditions')
    return 'operator and conditions make a FilterOperator (RFC 8620 5.5)';
  return MEMBER_NAMES.has(name) ? 'the name is reserved by the language' : undefined;
}

/** Returns why a member of a nested object can't have the name, or undefined where it can. */
export function whyNoMemberName(name: string): string | undefined {
  if (name === '') return 'a name has at least one character';
  if (name.includes('\u0000')) return 'a name has no U+0000';
  return MEMBER_NAMES.has(name) ? 'the name is reserved by the language' : undefined;
}

/** Returns the words of lists that are written with commas, in lower case. */
function toWords(lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.toLowerCase().split(', ')));
}
