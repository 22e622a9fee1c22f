import { MessageRefusal } from './refusal.js';

/** An object of a client, by property. */
export type Given = Readonly<Record<string, unknown>>;

/** Collects what is wrong with an Email: one refusal names all properties. */
export class Problems {
  /** Each wrong property and why, in the order of their discovery. */
  readonly #reasons = new Map<string, string>();

  /** Notes that a property is wrong, and why. */
  add(property: string, why: string): void {
    if (!this.#reasons.has(property)) this.#reasons.set(property, why);
  }

  /** Throws `invalidProperties` if anything is wrong. */
  throwAny(): void {
    const [first, ...others] = this.#reasons;
    if (first === undefined) return;
    const [property, why] = first;
    const more = others.length === 0 ? '' : ` And ${others.length} more.`;
    throw new MessageRefusal('invalidProperties', `"${property}": ${why}${more}`, {
      properties: [...this.#reasons.keys()],
    });
  }
}

/** Says whether a value is a JSON object. */
export function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object without the members that are null: in a create they mean nothing. */
export function dropNulls(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
