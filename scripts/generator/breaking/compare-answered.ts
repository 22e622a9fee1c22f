import type { NamePart } from '../../../src/capability/family-names.js';
import type { ModelAnswered, ModelType } from '../../../src/descriptor/model.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import { narrowed } from '../migrations/narrowed.js';
import { compareNames, type NameChanges } from './compare-names.js';
import type { Tell } from './model-change.js';

/**
 * Compares what /get computes, and what it gives only on request. Nothing of it is stored.
 * `renamed` gives old names of properties by the new.
 */
export function compareAnswered(
  before: ModelType,
  after: ModelType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const was = new Map((before.answered ?? []).map((each) => [each.name, each]));
  for (const now of after.answered ?? []) {
    const where = `${after.name}.${now.name}`;
    const old = was.get(now.name);
    was.delete(now.name);
    if (old === undefined) tell('wire', false, where, 'answered property added');
    else {
      compareOne(old, now, where, tell);
      compareSources(compareNames(old.sources, now.sources, renamed), where, tell);
    }
  }
  for (const name of was.keys())
    tell('wire', true, `${after.name}.${name}`, 'answered property removed');
  const stored = new Map(before.properties.map((each) => [each.name, each]));
  for (const now of after.properties) {
    const old = stored.get(now.name) ?? stored.get(renamed.get(now.name) ?? '');
    if (old !== undefined) compareRequest(old, now, `${after.name}.${now.name}`, tell);
  }
}

/** Tells which changes of an object change the property too, as `updatedProperties` has it. */
function compareSources({ removed, added }: NameChanges, where: string, tell: Tell): void {
  if (removed.length > 0) tell('sync', false, where, `changes with ${removed.join(', ')} no more`);
  if (added.length > 0) tell('sync', false, where, `changes with ${added.join(', ')} too`);
}

function compareOne(old: ModelAnswered, now: ModelAnswered, where: string, tell: Tell): void {
  compareRequest(old, now, where, tell);
  if (old.optional !== now.optional) {
    const isLeftOut = now.optional === true;
    tell('wire', isLeftOut, where, isLeftOut ? 'may be absent now' : 'is never absent any more');
  }
  if (canonicalJson(old.schema) !== canonicalJson(now.schema)) {
    // A client reads values that it did not expect.
    const why = narrowed(now.schema, old.schema, '');
    const more = why === undefined ? '' : `: ${why}`;
    tell('wire', why !== undefined, where, `its values changed${more}`);
  }
  const [parts = [], others = []] = [old.parts, now.parts];
  if (canonicalJson(parts) === canonicalJson(others)) return;
  const isWider =
    parts.every((part, index) => isCovered(part, others[index])) &&
    others.slice(parts.length).every(({ optional }) => optional === true);
  tell('wire', !isWider, where, `its names changed${isWider ? ': all old ones are left' : ''}`);
}

/** Returns whether each name with the one part may have the other in its place. */
function isCovered(part: NamePart, other: NamePart | undefined): boolean {
  if (other === undefined || (part.optional === true && other.optional !== true)) return false;
  if (other.values === undefined) return true;
  return part.values?.every((value) => other.values?.includes(value)) ?? false;
}

/** Tells whether a /get without `properties` gives a property that it did not give, or no more. */
function compareRequest(
  old: { readonly onRequest?: true },
  now: { readonly onRequest?: true },
  where: string,
  tell: Tell,
): void {
  if (old.onRequest === now.onRequest) return;
  const isOnRequest = now.onRequest === true;
  const what = isOnRequest ? 'is given only on request now' : 'is given without a request, too';
  tell('wire', isOnRequest, where, what);
}
