import { type SetError, setError } from '../../protocol/errors.js';
import { type Complaint, quoted, sentence } from '../issues.js';

/**
 * Everything that is wrong with one object of a /set: all of it is reported, not the first alone
 * (D13).
 */
export class Problems {
  readonly #texts: Map<string, string>;

  /** Begins with what others have found. */
  constructor(found?: Problems) {
    this.#texts = new Map(found === undefined ? [] : found.#texts);
  }

  get any(): boolean {
    return this.#texts.size > 0;
  }

  /**
   * `what` completes the sentence that the property's name begins. The first word about a property
   * stands.
   */
  add(property: string, what: string): void {
    if (!this.#texts.has(property)) this.#texts.set(property, `${quoted(property)} ${what}`);
  }

  has(property: string): boolean {
    return this.#texts.has(property);
  }

  /** What others have found beside. */
  addAll(found: Problems): void {
    for (const [property, text] of found.#texts) {
      if (!this.#texts.has(property)) this.#texts.set(property, text);
    }
  }

  addComplaints(complaints: readonly Complaint[]): void {
    for (const { member, text } of complaints) {
      if (!this.#texts.has(member)) this.#texts.set(member, text);
    }
  }

  toSetError(): SetError {
    return setError('invalidProperties', sentence(this.#texts.values()), {
      properties: [...this.#texts.keys()],
    });
  }
}
