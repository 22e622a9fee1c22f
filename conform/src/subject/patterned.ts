import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { StandIns } from '../client/stand-ins.js';
import { drawMatching } from './scalar-values.js';
import { listValues } from './values.js';

/** A pattern that allows fewer texts than this is no text that checks could write. */
const LEAST = 60;

/** Tells whether a pattern allows enough texts for the checks that write some. */
export const hasTexts = (property: ModelProperty): boolean =>
  drawTexts(property, LEAST).length === LEAST;

/** Draws texts that fit a property's pattern, each another. */
function drawTexts(property: ModelProperty, count: number): readonly string[] {
  const { pattern = '', minLength = 0, maxLength = 100 } = property.schema;
  const fits = (text: string): boolean => {
    const { length } = [...text];
    return text !== '' && length >= minLength && length <= maxLength;
  };
  return drawMatching(pattern, fits, count);
}

/** Texts that a property's pattern allows, each for one that a check gives. */
export class PatternTexts implements StandIns {
  readonly type: string;
  readonly property: string;
  readonly #property: ModelProperty;
  readonly #regex: RegExp;
  readonly #wire = new Map<string, string>();
  readonly #own = new Map<string, string>();
  #free: string[] = [];
  #drawn = 0;

  constructor(type: string, property: ModelProperty) {
    this.type = type;
    this.property = property.name;
    this.#property = property;
    this.#regex = new RegExp(property.schema.pattern ?? '', 'u');
  }

  /** Returns the text that is sent in place of a check's own, which need not fit the pattern. */
  toWire(text: string): string {
    if (this.#own.has(text) || (text !== '' && this.#regex.test(text))) return text;
    const known = this.#wire.get(text);
    if (known !== undefined) return known;
    const value = this.#drawText();
    this.#wire.set(text, value);
    this.#own.set(value, text);
    return value;
  }

  /** Returns the check's own text for one that was sent in its place. */
  fromWire(text: string): string {
    return this.#own.get(text) ?? text;
  }

  /**
   * Draws another text than those before, and than those that are tried as values of the property.
   */
  #drawText(): string {
    if (this.#free.length === 0) {
      const { good } = listValues(this.#property);
      const all = drawTexts(this.#property, this.#drawn * 2 + 200);
      this.#free = all.filter((one) => !this.#own.has(one) && !good.includes(one));
      this.#drawn = all.length;
    }
    const value = this.#free.shift();
    if (value === undefined)
      throw new Error(`The pattern of ${this.type}.${this.property} has no more texts.`);
    return value;
  }
}
