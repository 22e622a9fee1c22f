import { type SetError, setError } from '../../protocol/errors.js';
import { type Complaint, quoted, sentence, sentenceOf } from '../issues.js';

/** Problems whose texts are told each once; of more, two texts are hardly ever the same. */
const FEW = 20;

/**
 * Everything that is wrong with one object of a /set: all of it is reported, not the first alone
 * (D13).
 */
export class Problems {
  /** By property. Most objects have none: the map is made for the first. */
  #found: Map<string, string> | null = null;
  /** The properties whose text is a whole sentence; all other texts follow the property's name. */
  #whole: Set<string> | null = null;

  /** Begins with what others have found. */
  constructor(found?: Problems) {
    if (found !== undefined) this.addAll(found);
  }

  get any(): boolean {
    return this.#found !== null;
  }

  /**
   * `what` completes the sentence that the property's name begins. The first word about a property
   * stands.
   */
  add(property: string, what: string): void {
    this.#put(property, what, false);
  }

  has(property: string): boolean {
    return this.#found?.has(property) === true;
  }

  /** What others have found beside. */
  addAll(found: Problems): void {
    for (const [property, text] of found.#found ?? []) {
      this.#put(property, text, found.#whole?.has(property) === true);
    }
  }

  addComplaints(complaints: readonly Complaint[]): void {
    for (const { member, text } of complaints) this.#put(member, text, true);
  }

  toSetError(): SetError {
    const found = this.#found ?? new Map<string, string>();
    const texts = this.#texts();
    const why = found.size > FEW ? sentenceOf(texts, found.size) : sentence(texts);
    return setError('invalidProperties', why, { properties: [...found.keys()] });
  }

  /** One by one: a hostile number of them is never written out. */
  *#texts(): Iterable<string> {
    for (const [property, text] of this.#found ?? []) {
      yield this.#whole?.has(property) === true ? text : `${quoted(property)} ${text}`;
    }
  }

  #put(property: string, text: string, isWhole: boolean): void {
    this.#found ??= new Map();
    if (this.#found.has(property)) return;
    this.#found.set(property, text);
    if (!isWhole) return;
    this.#whole ??= new Set();
    this.#whole.add(property);
  }
}
