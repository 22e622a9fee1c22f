import { canonicalJson } from '../../../src/protocol/canonical-json.js';

/** An answer of a server: JSON as it comes, judged by expectations and not by types. */
export type Json = null | boolean | number | string | Json[] | JsonMap;

export interface JsonMap {
  [name: string]: Json;
}

/** A record as /get lists it. */
export type Item = JsonMap & { id: string };

/** Tells whether a value is an object. */
export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the object that a value is; an empty one where it is none. */
export function asMap(value: Json | undefined): JsonMap {
  return isMap(value) ? value : {};
}

/** Parses a text. Returns null where it is no JSON. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Tells whether two values are equal as JSON: the order of members never counts. */
export const same = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);
