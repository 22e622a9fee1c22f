import { MethodError } from './errors.js';
import { excerpt } from './excerpt.js';
import { isJsonObject, type JsonValue } from './json.js';
import { arrayIndex, parsePointer } from './json-pointer.js';

/** One entry of `methodResponses` so far: what a result reference can point into. */
export interface EarlierResponse {
  readonly name: string;
  readonly args: unknown;
  readonly callId: string;
}

/** How many values references may still visit: shared by all references of a request. */
export interface ReferenceBudget {
  remaining: number;
}

/**
 * Returns the value of a ResultReference (RFC 8620 3.7). It shares structure with the response:
 * JSON is immutable here. The time is linear in the response; a `budget` bounds what many
 * references visit together. Throws MethodError `invalidResultReference`, or `requestTooLarge`
 * where the budget is used up.
 */
export function resolveReference(
  reference: JsonValue,
  earlier: readonly EarlierResponse[],
  budget: ReferenceBudget = { remaining: Number.POSITIVE_INFINITY },
): JsonValue {
  if (!isJsonObject(reference)) fail('A result reference must be an object.');
  const resultOf = stringMember(reference, 'resultOf');
  const name = stringMember(reference, 'name');
  const path = stringMember(reference, 'path');
  // 3.7 step 1: the first response with the call id counts, whatever its name.
  const response = earlier.find((candidate) => candidate.callId === resultOf);
  if (response === undefined) fail(`No earlier call has the id "${excerpt(resultOf)}".`);
  if (response.name !== name) {
    fail(`The response of "${excerpt(resultOf)}" is ${response.name}, not "${excerpt(name)}".`);
  }
  const tokens = parsePointer(path);
  if (tokens === null) fail(`The path "${excerpt(path)}" is no JSON Pointer.`);
  return new Evaluation(tokens, path, budget).run(response.args);
}

/** One path being applied. */
class Evaluation {
  readonly #tokens: readonly string[];
  readonly #path: string;
  readonly #budget: ReferenceBudget;

  constructor(tokens: readonly string[], path: string, budget: ReferenceBudget) {
    this.#tokens = tokens;
    this.#path = path;
    this.#budget = budget;
  }

  run(root: unknown): JsonValue {
    const reached = this.#descend(root, 0);
    if (reached.next === this.#tokens.length) return reached.value as JsonValue;
    const results: unknown[] = [];
    this.#map(reached.value as readonly unknown[], reached.next, results);
    return results as JsonValue[];
  }

  /** Follows tokens up to the end or to a `*` on an array. */
  #descend(from: unknown, start: number): { readonly value: unknown; readonly next: number } {
    let value = from;
    for (let next = start; next < this.#tokens.length; next += 1) {
      this.#spend(1);
      const token = this.#tokens[next] ?? '';
      if (token === '*' && Array.isArray(value)) return { value, next };
      value = this.#member(value, token);
    }
    return { value, next: this.#tokens.length };
  }

  /**
   * 3.7 step 3: the rest of the path applied to each item, results that are arrays put in flat. The
   * result of an inner `*` is an array and always put in flat, so it goes to the same list at once:
   * no copies of copies.
   */
  #map(items: readonly unknown[], star: number, results: unknown[]): void {
    this.#spend(items.length);
    for (const item of items) {
      const { value, next } = this.#descend(item, star + 1);
      if (next < this.#tokens.length) {
        this.#map(value as readonly unknown[], next, results);
      } else if (Array.isArray(value)) {
        this.#spend(value.length);
        for (const inner of value) results.push(inner);
      } else {
        results.push(value);
      }
    }
  }

  #member(value: unknown, token: string): unknown {
    let found: unknown;
    if (Array.isArray(value)) {
      const index = arrayIndex(token);
      found = index === null ? undefined : value[index];
    } else if (isJsonObject(value) && Object.hasOwn(value, token)) {
      found = value[token];
    }
    if (found === undefined) {
      fail(`The path "${excerpt(this.#path)}" leads nowhere at "${excerpt(token)}".`);
    }
    return found;
  }

  #spend(visits: number): void {
    this.#budget.remaining -= visits;
    if (this.#budget.remaining < 0) {
      throw new MethodError('requestTooLarge', 'The result references visit too many values.');
    }
  }
}

function stringMember(reference: Readonly<Record<string, JsonValue>>, name: string): string {
  const value = Object.hasOwn(reference, name) ? reference[name] : undefined;
  if (typeof value !== 'string') fail(`A result reference needs the string "${name}".`);
  return value;
}

function fail(description: string): never {
  throw new MethodError('invalidResultReference', description);
}
