import { didYouMean } from '../../descriptor/check/did-you-mean.js';
import { oneOf } from '../../descriptor/check/rule.js';
import type { Located } from '../../descriptor/located.js';
import type { Location } from '../../descriptor/model.js';
import type { JsonValue } from '../../protocol/json.js';

/** Takes a complaint. It goes on from the place, and repeats no value that may be a secret. */
export type Complain = (at: Location, message: string) => void;

/** Characters of a text, and items of a list. */
const MAX_TEXT = 1000;
const MAX_ITEMS = 100;

/** An object of the file, by its keys. What is wrong is complained of, and counts as missing. */
export class FileFields {
  /** The object's own place. */
  readonly at: Location;
  /** The object in messages. */
  readonly #name: string;
  readonly #node: Located;
  readonly #complain: Complain;

  /** Complains of what is no object, and of keys that it doesn't have. */
  constructor(node: Located, name: string, keys: readonly string[], complain: Complain) {
    this.at = node.at;
    this.#node = node;
    this.#name = name;
    this.#complain = complain;
    if (node.members === undefined) complain(node.at, `${name} must be an object.`);
    for (const { name: key, nameAt } of node.members?.values() ?? []) {
      if (keys.includes(key)) continue;
      const meant = didYouMean(key, keys);
      complain(nameAt, `unknown key "${key}".${meant || ` Legal here: ${keys.join(', ')}.`}`);
    }
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  value(key: string): JsonValue | undefined {
    return this.#find(key)?.value;
  }

  /** Returns the place of a value; that of the object where it is missing. */
  placeOf(key: string): Location {
    return this.#find(key)?.at ?? this.at;
  }

  /** Complains where the key is missing. */
  require(...keys: readonly string[]): void {
    if (this.#node.members === undefined) return;
    for (const key of keys)
      if (!this.has(key)) this.#complain(this.at, `${this.#name} needs the key "${key}".`);
  }

  complain(key: string, message: string): null {
    this.#complain(this.placeOf(key), `"${key}" ${message}`);
    return null;
  }

  text(key: string): string | null {
    const node = this.#find(key);
    return node === undefined ? null : this.#judgeText(key, node);
  }

  /** Reads a list of different texts, or one text. */
  texts(key: string): readonly string[] | null {
    const node = this.#find(key);
    if (node === undefined) return null;
    if (typeof node.value === 'string') return this.#gather(key, [node]);
    return node.items === undefined
      ? this.complain(key, 'must be a list of texts.')
      : this.#gather(key, node.items);
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.value(key) ?? fallback;
    if (typeof value === 'boolean') return value;
    this.complain(key, 'must be true or false.');
    return fallback;
  }

  choice<Word extends string>(key: string, words: readonly Word[]): Word | null {
    const text = this.text(key);
    const word = words.find((one) => one === text) ?? null;
    if (text === null || word !== null) return word;
    return this.complain(key, `must be ${oneOf(words)}.${didYouMean(text, words)}`);
  }

  object(key: string, keys: readonly string[]): FileFields | null {
    const node = this.#find(key);
    return node === undefined ? null : new FileFields(node, `"${key}"`, keys, this.#complain);
  }

  /** Reads a list of objects; `name` is one of them in messages. */
  objects(key: string, name: string, keys: readonly string[]): readonly FileFields[] {
    const node = this.#find(key);
    if (node === undefined) return [];
    if (node.items === undefined) this.complain(key, 'must be a list.');
    const items = this.#boundItems(key, node.items ?? []);
    return items.map((item) => new FileFields(item, name, keys, this.#complain));
  }

  #find(key: string): Located | undefined {
    return this.#node.members?.get(key)?.node;
  }

  #gather(key: string, nodes: readonly Located[]): readonly string[] | null {
    if (nodes.length === 0) return this.complain(key, 'must not be empty.');
    const texts = new Set<string>();
    for (const node of this.#boundItems(key, nodes)) {
      const text = this.#judgeText(key, node);
      if (text !== null && texts.has(text)) this.#complain(node.at, `"${text}" is listed twice.`);
      if (text !== null) texts.add(text);
    }
    return [...texts];
  }

  #boundItems(key: string, nodes: readonly Located[]): readonly Located[] {
    if (nodes.length > MAX_ITEMS) this.complain(key, `has at most ${MAX_ITEMS} items.`);
    return nodes.slice(0, MAX_ITEMS);
  }

  #judgeText(key: string, { value, at }: Located): string | null {
    const problem = problemOf(value);
    if (problem === null) return value as string;
    this.#complain(at, `"${key}" ${problem}`);
    return null;
  }
}

function problemOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean')
    return 'must be a text: put it in quotes.';
  if (typeof value !== 'string') return 'must be a text.';
  if (value === '') return 'must not be empty.';
  if (value.length > MAX_TEXT) return `has at most ${MAX_TEXT} characters.`;
  return /\p{Cc}/u.test(value) ? 'must have no control character.' : null;
}
