import { type SetError, setError } from '../../protocol/errors.js';
import { type Complaint, quoted, sentence } from '../issues.js';

/**
 * Everything that is wrong with one object of a /set: all of it is reported, not the first alone
 * (D13).
 */
export class Problems {
  /** Most objects have none: the map is made for the first. */
  #texts: Map<string, string> | null = null;

  /** Begins with what others have found. */
  constructor(found?: Problems) {
    if (found !== undefined) this.addAll(found);
  }

  get any(): boolean {
    return this.#texts !== null;
  }

  /**
   * `what` completes the sentence that the property's name begins. The first word about a property
   * stands.
   */
  add(property: string, what: string): void {
    if (!this.has(property)) this.#put(property, `${quoted(property)} ${what}`);
  }

  has(property: string): boolean {
    return this.#texts?.has(property) === true;
  }

  /** What others have found beside. */
  addAll(found: Problems): void {
    for (const [property, text] of found.#texts ?? []) this.#put(property, text);
  }

  addComplaints(complaints: readonly Complaint[]): void {
    for (const { member, text } of complaints) this.#put(member, text);
  }

  toSetError(): SetError {
    const texts = this.#texts ?? new Map<string, string>();
    return setError('invalidProperties', sentence(texts.values()), {
      properties: [...texts.keys()],
    });
  }

  #put(property: string, text: string): void {
    this.#texts ??= new Map();
    if (!this.#texts.has(property)) this.#texts.set(property, text);
  }
}
