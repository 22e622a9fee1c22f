import { isDeepStrictEqual } from 'node:util';
import type { Json } from './rig.js';

/**
 * The rules of RFC 8620 5.3 for /set, told again as plainly as can be: objects in a Map, one entry
 * after the other, nothing remembered. For the type Widget, without its blobs.
 */

/** Defaults in the order in which the type declares its properties. */
const DEFAULTS: Record<string, Json> = {
  kind: 'small',
  rankNumber: 0,
  score: null,
  count: 0,
  due: null,
  tags: {},
  meta: {},
  list: [],
  blobId: null,
  iconId: null,
};
const SERVER_SET = new Set(['id', 'created', 'updated', 'count']);
const NAMES = new Set([...SERVER_SET, 'title', ...Object.keys(DEFAULTS)]);

const isObject = (value: Json): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const canonicalDate = (text: Json): string | null => {
  if (typeof text !== 'string') return null;
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.](\d+))?Z$/.exec(text);
  if (parts === null) return null;
  const fraction = (parts[2] ?? '').slice(0, 3).replace(/0+$/, '');
  return `${parts[1]}${fraction === '' ? '' : `.${fraction}`}Z`;
};

const RULES: Record<string, (value: Json) => boolean> = {
  title: (value) => typeof value === 'string' && [...value].length <= 20,
  kind: (value) => value === 'small' || value === 'large',
  rankNumber: (value) => Number.isInteger(value) && value >= -10 && value <= 10,
  score: (value) => value === null || typeof value === 'number',
  due: (value) => value === null || canonicalDate(value) !== null,
  tags: (value) => isObject(value) && Object.values(value).every((one) => one === true),
  meta: (value) => {
    if (!isObject(value)) return false;
    if (!Object.hasOwn(value, 'a')) return true;
    if (!isObject(value.a)) return false;
    return !Object.hasOwn(value.a, 'b') || Number.isInteger(value.a.b);
  },
  list: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

const isLegal = (name: string, value: Json): boolean =>
  Object.hasOwn(RULES, name) && RULES[name]?.(value) === true;

/** As it is stored. */
const stored = (name: string, value: Json): Json =>
  name === 'due' && value !== null ? (canonicalDate(value) ?? value) : value;

/** An error. */
const isInBoth = (object: Json): boolean =>
  Object.hasOwn(object, 'rank_number') && Object.hasOwn(object, 'rankNumber');

/** Names as declared. */
function spelled(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name === 'rank_number' ? 'rankNumber' : name,
      value,
    ]),
  );
}

export interface Outcome {
  /** Type of the SetError, and its properties in order of the alphabet. */
  readonly error?: string;
  readonly properties?: readonly string[];
  readonly report?: Json;
}

const refused = (names: Iterable<string>): Outcome => ({
  error: 'invalidProperties',
  properties: [...new Set(names)].sort(),
});

/** All that differs from what the client takes it to be. */
function reportOf(object: Json, known: (name: string) => Json): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => !isDeepStrictEqual(known(name), value)),
  );
}

/**
 * The value under a property once the pointers of a patch have been followed; null is no legal
 * patch.
 */
function followed(current: Json, patch: Json): Map<string, Json> | null {
  const pointers = Object.keys(patch).map((text) => text.split('/'));
  const paths = pointers.map((path) => path.map((token) => token.replace('~1', '/')));
  const touched = new Map<string, Json>();
  for (const [at, path] of paths.entries()) {
    const isPrefix = (other: string[]): boolean => path.every((token, i) => other[i] === token);
    if (paths.some((other, index) => index !== at && isPrefix(other))) return null;
    let parent = current;
    for (const token of path.slice(0, -1)) {
      if (!isObject(parent) || !Object.hasOwn(parent, token)) return null;
      parent = parent[token];
    }
    if (!isObject(parent)) return null;
  }
  for (const [at, path] of paths.entries()) {
    const value = Object.values<Json>(patch)[at];
    const [name = '', ...inner] = path;
    if (inner.length === 0) {
      touched.set(name, value);
      continue;
    }
    const whole = structuredClone(touched.get(name) ?? current[name]);
    let parent = whole;
    for (const token of inner.slice(0, -1)) parent = parent[token];
    const last = inner.at(-1) ?? '';
    if (value === null) delete parent[last];
    else Object.defineProperty(parent, last, { value, ...PLAIN });
    touched.set(name, whole);
  }
  return touched;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

export class WidgetModel {
  readonly objects = new Map<string, Json>();
  /** Ids and kinds of change records; the first has the number 1. */
  readonly records: { readonly id: string; readonly kind: string }[] = [];

  get state(): string {
    return String(this.records.length);
  }

  /** `id` and `time` are the server's to choose. */
  create(given: Json, id: string, time: string): Outcome {
    if (!isObject(given)) return refused([]);
    const named = spelled(given);
    const wrong = this.#wrong(given);
    if (!Object.hasOwn(given, 'title')) wrong.push('title');
    if (isInBoth(given)) wrong.push('rankNumber');
    if (wrong.length > 0) return refused(wrong);
    const object: Json = { id, created: time, updated: time };
    for (const name of ['title', ...Object.keys(DEFAULTS)]) {
      object[name] = Object.hasOwn(named, name) ? stored(name, named[name]) : DEFAULTS[name];
    }
    this.objects.set(id, object);
    this.records.push({ id, kind: 'created' });
    return { report: reportOf(object, (name) => named[name]) };
  }

  #wrong(given: Json): string[] {
    const named = Object.entries<Json>(given);
    return named
      .map(([name, value]) => [name === 'rank_number' ? 'rankNumber' : name, value] as const)
      .filter(([name, value]) => SERVER_SET.has(name) || !isLegal(name, value))
      .map(([name]) => name);
  }

  update(id: string, given: Json, now: string): Outcome {
    const current = this.objects.get(id);
    if (current === undefined) return { error: 'notFound' };
    if (!isObject(given)) return { error: 'invalidPatch' };
    const patch = spelled(given);
    const touched = followed(current, patch);
    const wrong = isInBoth(given) ? ['rankNumber'] : [];
    if (touched === null) return wrong.length > 0 ? refused(wrong) : { error: 'invalidPatch' };
    const after = { ...current };
    for (const [name, value] of touched) {
      if (!NAMES.has(name)) {
        wrong.push(name);
        continue;
      }
      const isReset = value === null;
      if (isReset && !Object.hasOwn(DEFAULTS, name)) {
        wrong.push(name);
        continue;
      }
      const next = isReset ? DEFAULTS[name] : stored(name, value);
      const isDate = name === 'created' || name === 'updated';
      if (isDate && canonicalDate(value) === null) wrong.push(name);
      if (isDeepStrictEqual(isDate ? canonicalDate(next) : next, current[name])) continue;
      if (SERVER_SET.has(name) || name === 'kind') wrong.push(name);
      else if (!isReset && !isLegal(name, value)) wrong.push(name);
      else after[name] = next;
    }
    if (wrong.length > 0) return refused(wrong);
    if (isDeepStrictEqual(after, current)) return { report: null };
    after.updated = Date.parse(now) > Date.parse(current.updated) ? now : current.updated;
    this.objects.set(id, after);
    const differs = reportOf(after, (name) =>
      touched.has(name) ? touched.get(name) : current[name],
    );
    return { report: { ...differs, updated: after.updated } };
  }

  destroy(id: string): Outcome {
    if (!this.objects.delete(id)) return { error: 'notFound' };
    this.records.push({ id, kind: 'destroyed' });
    return {};
  }

  /** RFC 8620 5.2, of all since a state. */
  changesSince(state: string): Record<'created' | 'updated' | 'destroyed', string[]> {
    const kinds = new Map<string, string[]>();
    for (const { id, kind } of this.records.slice(Number(state))) {
      kinds.set(id, [...(kinds.get(id) ?? []), kind]);
    }
    const lists = { created: [] as string[], updated: [] as string[], destroyed: [] as string[] };
    for (const [id, list] of kinds) {
      const isNew = list.includes('created');
      if (list.includes('destroyed')) {
        if (!isNew) lists.destroyed.push(id);
      } else if (isNew) lists.created.push(id);
      else lists.updated.push(id);
    }
    return lists;
  }
}
