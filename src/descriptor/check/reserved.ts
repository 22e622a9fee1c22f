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
 * Names that every JavaScript object has by itself: a lookup of one would find what nobody stored.
 */
const INHERITED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
]);

/** A character that I-JSON lacks (RFC 7493 2.1). */
const NO_JSON = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

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

/** Returns why a property can't have the name, or undefined where it can. */
export function whyNoPropertyName(name: string): string | undefined {
  const { length } = [...name];
  if (length > BOUNDS.propertyName)
    return `it has ${length} characters, and at most ${BOUNDS.propertyName} are legal`;
  return whyNoMemberName(name);
}

/** Returns why a filter condition can't have the name, or undefined where it can. */
export function whyNoConditionName(name: string): string | undefined {
  return name === 'operator' || name === 'conditions'
    ? 'operator and conditions make a FilterOperator (RFC 8620 5.5)'
    : whyNoPropertyName(name);
}

/** Returns why a member of a nested object can't have the name, or undefined where it can. */
export function whyNoMemberName(name: string): string | undefined {
  if (name === '') return 'a name has at least one character';
  if (name.includes('\u0000')) return 'a name has no U+0000';
  if (NO_JSON.test(name)) return 'I-JSON has no surrogates and no noncharacters (RFC 7493 2.1)';
  return INHERITED.has(name) ? 'the name is reserved by the language' : undefined;
}

/** Returns the words of lists that are written with commas, in lower case. */
function toWords(lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.toLowerCase().split(', ')));
}
