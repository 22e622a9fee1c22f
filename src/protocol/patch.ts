import type { Steps } from '../runtime/paused-work.js';
import { excerpt } from './excerpt.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { parsePointer } from './json-pointer.js';

/** The result of applying a PatchObject (RFC 8620 5.3) to an object. */
export type PatchResult =
  | {
      readonly kind: 'patched';
      /**
       * Each top-level property that the patch names, with its new whole value; undefined where the
       * property itself is patched with null, which restores its default.
       */
      readonly touched: ReadonlyMap<string, JsonValue | undefined>;
    }
  | { readonly kind: 'invalidPatch'; readonly description: string };

/** Patches by reference token: either the value to set here, or what is patched further in. */
type Patches = Map<string, PatchNode>;
type PatchNode = { readonly value: JsonValue } | { readonly inner: Patches };

/**
 * Applies a patch without changing `current`: values on the way to a patched member are copied, all
 * others shared. Property names are not judged: an unknown one is in `touched` for the caller to
 * refuse.
 */
export function* patchSteps(current: JsonObject, patch: JsonObject): Steps<PatchResult> {
  const pointers = Object.keys(patch);
  // Most patches name whole properties: nothing to be taken apart, and no two can be in conflict.
  if (!pointers.some(isPath)) {
    const whole = new Map<string, JsonValue | undefined>();
    for (const name of pointers) whole.set(name, patch[name] ?? undefined);
    return { kind: 'patched', touched: whole };
  }
  const patches: Patches = new Map();
  for (const [index, pointer] of pointers.entries()) {
    if (index % STRIDE === STRIDE - 1) yield;
    const tokens = parsePointer(`/${pointer}`);
    const problem =
      tokens === null
        ? 'it has a "~" that starts no escape'
        : (checkParents(current, tokens) ?? insert(patches, tokens, patch[pointer] ?? null));
    if (problem !== null) {
      return { kind: 'invalidPatch', description: `The patch "${excerpt(pointer)}": ${problem}.` };
    }
  }
  const touched = new Map<string, JsonValue | undefined>();
  for (const [property, node] of patches) {
    if ('inner' in node) touched.set(property, yield* patched(current[property], node.inner));
    else touched.set(property, node.value ?? undefined);
  }
  return { kind: 'patched', touched };
}

/** Pointers between two pauses. */
const STRIDE = 4096;

function isPath(pointer: string): boolean {
  return pointer.includes('/') || pointer.includes('~');
}

/**
 * 5.3: all parts before the last must exist already, for a removal too, and none may lie inside an
 * array.
 */
function checkParents(current: JsonObject, tokens: readonly string[]): string | null {
  let parent: JsonObject = current;
  for (let index = 0; index < tokens.length - 1; index += 1) {
    const token = tokens[index] ?? '';
    if (!Object.hasOwn(parent, token)) return `"${excerpt(token)}" does not exist`;
    const value = parent[token];
    if (Array.isArray(value)) return `"${excerpt(token)}" is an array, to be replaced as a whole`;
    if (!isJsonObject(value)) return `"${excerpt(token)}" is no object`;
    parent = value;
  }
  return null;
}

/** 5.3: no pointer may be the prefix of another, token by token. */
function insert(patches: Patches, tokens: readonly string[], value: JsonValue): string | null {
  const conflict = 'another patch of this object points to a part of the same value';
  let level = patches;
  for (let index = 0; index < tokens.length - 1; index += 1) {
    const token = tokens[index] ?? '';
    let node = level.get(token);
    if (node === undefined) {
      node = { inner: new Map() };
      level.set(token, node);
    }
    if (!('inner' in node)) return conflict;
    level = node.inner;
  }
  const last = tokens.at(-1) ?? '';
  if (level.has(last)) return conflict;
  level.set(last, { value });
  return null;
}

/**
 * Returns a copy of an object with patches put in. It has no prototype: `__proto__` is a member
 * like any other.
 */
function* patched(value: JsonValue | undefined, patches: Patches): Steps<JsonValue> {
  const copy = emptyObject();
  let index = 0;
  if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      copy[name] = value[name] ?? null;
      index += 1;
      if (index % STRIDE === 0) yield;
    }
  }
  for (const [name, node] of patches) {
    if ('inner' in node) copy[name] = yield* patched(copy[name], node.inner);
    else if (node.value === null) delete copy[name];
    else copy[name] = node.value;
    index += 1;
    if (index % STRIDE === 0) yield;
  }
  return copy;
}
