import libmime from 'libmime';
import { tellForm, writeForm } from './build-forms.js';
import type { Given, Problems } from './build-problems.js';
import { type HeaderName, readHeaderName } from './forms.js';
import { MessageRefusal } from './refusal.js';

/** A header field of a message that is built. */
export interface Field {
  readonly name: string;
  /** The text behind the colon, with the space in front. The writer folds its lines. */
  readonly value: string;
  /** The property of the Email that it comes from, or null for one of the server. */
  readonly property: string | null;
  /** The client wrote its lines: they stay as they are. */
  readonly isRaw: boolean;
}

/** The header fields of a message or a part; no two properties stand for the same field. */
export class FieldSet {
  readonly fields: Field[] = [];
  readonly #problems: Problems;
  /** Where the object is, with a slash at the end: `bodyStructure/`. */
  readonly #path: string;
  readonly #names = new Map<string, string>();

  constructor(problems: Problems, path = '') {
    this.#problems = problems;
    this.#path = path;
  }

  has(name: string): boolean {
    return this.#names.has(name.toLowerCase());
  }

  /** Says that a property stands for a field, and whether it is the first one that does. */
  claim(name: string, property: string): boolean {
    const other = this.#names.get(name.toLowerCase());
    if (other === undefined) this.#names.set(name.toLowerCase(), property);
    if (other === undefined || other === property) return true;
    this.refuse(property, `${other} stands for the field ${name} already.`);
    return false;
  }

  refuse(property: string, why: string): void {
    this.#problems.add(this.#path + property, why);
  }

  /** Adds a field of one line. */
  add(name: string, value: string, property: string): void {
    const path = this.#path + property;
    this.fields.push({ name, value: ` ${value}`, property: path, isRaw: false });
  }

  /** Adds the fields that a header property has as its value, or notes what is wrong. */
  read(property: string, value: unknown, header = property): void {
    const name = this.#readName(property, header);
    if (name === null || !this.claim(name.field, property)) return;
    const { isAll } = name;
    const values = isAll ? value : [value];
    if (Array.isArray(values)) for (const each of values) this.#write(name, each, property);
    else this.refuse(property, 'the value of :all is a list.');
  }

  #write({ field, form }: HeaderName, value: unknown, property: string): void {
    const written = writeForm(form, value);
    const isRaw = form === 'asRaw';
    if (written === null) this.refuse(property, `the value is ${tellForm(form)}.`);
    // A list without an address is no field.
    else if (isRaw || written !== '') {
      const text = isRaw && /^[ \t]/.test(written) ? written : ` ${written}`;
      this.fields.push({ name: field, value: text, property: this.#path + property, isRaw });
    }
  }

  #readName(property: string, header: string): HeaderName | null {
    try {
      return readHeaderName(header);
    } catch (error) {
      if (!(error instanceof MessageRefusal)) throw error;
      this.refuse(property, error.message);
      return null;
    }
  }
}

/** Returns whether a property is one of a header field: `header:Subject:asText`. */
export function isHeaderProperty(property: string): boolean {
  return property.startsWith('header:');
}

/** Reads each header property of an object that a test allows. */
export function readHeaderProperties(
  given: Given,
  fields: FieldSet,
  why: (field: string) => string | null,
): void {
  for (const [property, value] of Object.entries(given)) {
    if (!isHeaderProperty(property)) continue;
    const refusal = why(property.slice('header:'.length).split(':')[0]?.toLowerCase() ?? '');
    if (refusal === null) fields.read(property, value);
    else fields.refuse(property, refusal);
  }
}

/** Returns the lines of a header. */
export function writeFields(fields: readonly Field[]): string {
  const lines = fields.map(({ name, value, isRaw }) => {
    const line = `${name}:${value}`;
    return isRaw ? `${line}\r\n` : `${libmime.foldLines(line)}\r\n`;
  });
  return lines.join('');
}
