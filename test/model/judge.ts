import type { ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import { defaults, equal, property, type Stored, shown } from './account.js';
import { isKeyAt, mapBlobs, mapPlaces } from './places.js';
import { canonicalDate, fits, isMap } from './schema.js';

/** The result of an entry of /set or /copy by itself. */
export interface Judged {
  readonly after: Stored;
  readonly view: Stored;
  /** Names of properties at fault. */
  readonly bad: readonly string[];
  readonly isPatchWrong?: boolean;
}

/**
 * The id that a creation id stands for, that of an object of the type if there is one; undefined
 * where it stands for none. For a blob the type is null: an earlier call created it.
 */
export type Resolve = (creationId: string, type?: string | null) => string | undefined;

/** A value as it is stored: creation ids replaced, dates in their canonical form. */
function asStored(property: ModelProperty, value: Json, resolve: Resolve): Json {
  const { references, kind, blobs } = property;
  const meant = (type: string | null) => (id: string) =>
    id.startsWith('#') ? (resolve(id.slice(1), type) ?? id) : id;
  if (references.length + blobs.length > 0)
    return references.reduce(
      (now, { place, type }) => mapPlaces([place], now, meant(type)),
      mapBlobs(property, value, meant(null)),
    );
  return kind === 'date' && typeof value === 'string' ? canonicalDate(value) : value;
}

/** The token of a path that a client means: undefined for a creation id that is nobody's. */
function idMeant(
  one: ModelProperty | undefined,
  tokens: readonly string[],
  at: number,
  resolve: Resolve,
): string | undefined {
  const token = tokens[at] ?? '';
  if (!token.startsWith('#')) return token;
  const link = one?.references.find(({ place }) => isKeyAt(place, tokens, at));
  const isBlob = one?.blobs.some((place) => isKeyAt(place, tokens, at)) === true;
  if (link === undefined && !isBlob) return token;
  return resolve(token.slice(1), link?.type ?? null);
}

const isWritable = (one: ModelProperty | undefined): one is ModelProperty =>
  one !== undefined && (one.access === 'mutable' || one.access === 'immutable');

/** 5.3: unknown and server-set properties, wrong values, and those missing that are required. */
export function judgeCreate(type: ModelType, sent: Json, resolve: Resolve): Judged {
  const after = defaults(type);
  if (!isMap(sent)) return { after, view: {}, bad: [], isPatchWrong: true };
  const bad = shown(type).flatMap(({ name, required }) =>
    required && !Object.hasOwn(sent, name) ? [name] : [],
  );
  for (const [name, value] of Object.entries(sent)) {
    const known = property(type, name);
    const stored = known === undefined ? null : asStored(known, value, resolve);
    if (!isWritable(known) || !fits(known, stored)) bad.push(name);
    else after[name] = stored;
  }
  return { after, view: sent, bad };
}

const NOT_THERE = Symbol('not there');

/** RFC 6901 with an implicit leading slash; undefined where an escape is wrong. */
function tokensOf(pointer: string): readonly string[] | undefined {
  if (/~(?![01])/.test(pointer)) return undefined;
  return pointer.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isPrefix(one: readonly string[], other: readonly string[]): boolean {
  return one.length <= other.length && one.every((token, n) => token === other[n]);
}

/**
 * `value` with what a pointer leads to replaced; null takes it out. The way there must be of
 * objects.
 */
function patched(value: Json, tokens: readonly string[], leaf: Json): Json | typeof NOT_THERE {
  const [token = '', ...rest] = tokens;
  if (!isMap(value)) return NOT_THERE;
  if (rest.length === 0) {
    const { [token]: _, ...others } = value;
    return leaf === null ? others : { ...others, [token]: leaf };
  }
  if (!Object.hasOwn(value, token)) return NOT_THERE;
  const inner = patched(value[token] ?? null, rest, leaf);
  return inner === NOT_THERE ? NOT_THERE : { ...value, [token]: inner };
}

/** 5.3, PatchObject. */
export function judgeUpdate(
  type: ModelType,
  before: Stored,
  patch: Json,
  resolve: Resolve,
): Judged {
  const wrong: Judged = { after: before, view: before, bad: [], isPatchWrong: true };
  if (!isMap(patch)) return wrong;
  const parts = Object.entries(patch).map(([pointer, value]) => ({
    tokens: tokensOf(pointer),
    value,
  }));
  const view: JsonMap = { ...before };
  const proposed = new Map<string, Json>();
  const bad: string[] = [];
  for (const { tokens, value } of parts) {
    if (tokens === undefined) return wrong;
    const clash = parts.some((o) => o.tokens !== tokens && isPrefix(o.tokens ?? [''], tokens));
    if (clash) return wrong;
    const [name = '', ...rest] = tokens;
    const known = property(type, name);
    if (rest.length > 0) {
      const there = known === undefined ? null : (view[name] ?? null);
      const ids = rest.map((_, at) => idMeant(known, rest, at, resolve));
      // A creation id that is nobody's is refused where it is taken out, too, rather than passed
      // over.
      if (ids.at(-1) === undefined && value === null && isMap(there)) bad.push(name);
      const isPassed = (at: number) => at < rest.length - 1 || value === null;
      const path = rest.map((token, at) => (isPassed(at) ? (ids[at] ?? token) : token));
      const next = patched(there, path, value);
      if (next === NOT_THERE || known === undefined) return wrong;
      view[name] = next;
    } else if (known === undefined) bad.push(name);
    else view[name] = value;
    if (known !== undefined) proposed.set(name, view[name] ?? null);
  }
  const after: JsonMap = { ...before };
  for (const [name, value] of proposed) {
    const known = property(type, name);
    if (known === undefined) continue;
    const restored = value === null ? ((known.default as Json | undefined) ?? null) : value;
    const stored = asStored(known, restored, resolve);
    if (equal(stored, before[name])) continue;
    if (known.access !== 'mutable' || !fits(known, stored)) bad.push(name);
    else after[name] = stored;
  }
  return { after, view, bad };
}
