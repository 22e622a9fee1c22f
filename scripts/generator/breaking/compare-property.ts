import { isAggregate } from '../../../src/capability/aggregates.js';
import { type Place, placeText } from '../../../src/capability/places.js';
import { isShown } from '../../../src/descriptor/model/access.js';
import { mayHaveText, placesBeside } from '../../../src/descriptor/schema-places.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import { formsOf } from '../migrations/effects.js';
import { narrowed } from '../migrations/narrowed.js';
import type { SnapshotProperty } from '../migrations/snapshot.js';
import { compareReferences } from './compare-references.js';
import type { Tell } from './model-change.js';

/**
 * Returns a `tell` that is silent about the wire where one of the properties isn't on it: clients
 * compare nothing with what they never see.
 */
export function withoutInternal(tell: Tell, ...properties: readonly SnapshotProperty[]): Tell {
  if (properties.every(isOnWire)) return tell;
  return (layer, breaking, where, what) => {
    if (layer !== 'wire') tell(layer, breaking, where, what);
  };
}

/** Returns a `tell` that is silent about columns: values of each user have none. */
function withoutColumns(tell: Tell): Tell {
  return (layer, breaking, where, what) => {
    if (layer !== 'storage') tell(layer, breaking, where, what);
  };
}

/** Compares two states of a property. Returns whether clients would see other values. */
export function compareProperty(
  before: SnapshotProperty,
  after: SnapshotProperty,
  where: string,
  tellAll: Tell,
): boolean {
  compareOwners(before, after, where, tellAll);
  const tell = after.perUser === true ? withoutColumns(tellAll) : tellAll;
  compareAccess(before, after, where, tell);
  const tellSeen = withoutInternal(tell, before, after);
  if (before.kind !== after.kind) {
    tellSeen('wire', true, where, `values were ${before.kind} and are ${after.kind}`);
    tell('storage', true, where, 'column of another type: its values go');
    if (after.perUser === true) tellAll('storage', true, where, 'its values go');
    return isShown(before) || isShown(after);
  }
  if (before.nullable !== after.nullable) {
    tellSeen('wire', true, where, after.nullable ? 'null is possible now' : 'null is refused now');
    tell('storage', !after.nullable, where, after.nullable ? 'column nullable' : 'null is filled');
  }
  if (before.optional !== after.optional) {
    const isNow = after.optional === true;
    tellSeen('wire', isNow, where, isNow ? 'may be absent now' : 'is always there now');
    tell(
      'storage',
      !isNow && !after.nullable,
      where,
      isNow ? 'column nullable' : 'what is absent is filled',
    );
  }
  const less = narrowed(before.schema, after.schema, '');
  const more = narrowed(after.schema, before.schema, '');
  if (less !== undefined) {
    tellSeen('wire', true, where, `takes less: it ${less}`);
    tellAll('storage', false, where, 'values that do not fit stay, and are readable');
  } else if (more !== undefined) tellSeen('wire', false, where, 'takes and gives more than it did');
  if (formsOf(before.schema) !== formsOf(after.schema)) {
    tellSeen('wire', false, where, 'its texts are stored in another form: /set tells it');
    tell('storage', false, where, 'the texts that exist get that form');
  }
  compareReaders(before, after, where, tellSeen);
  if (defaultWords(before) !== defaultWords(after))
    tellSeen('wire', false, where, 'its default changed');
  if (before.secret !== after.secret)
    tell('storage', true, where, 'sealed otherwise: its values go');
  if (before.principal !== after.principal) {
    const what = after.principal === true ? 'holds ids of users now' : 'holds no ids of users now';
    tellSeen('wire', false, where, what);
  }
  const retargeted = compareReferences(before, after, where, { tell, tellSeen });
  const gained = placesBeside(after.blobs, before.blobs);
  const lost = placesBeside(before.blobs, after.blobs);
  const within = (place: Place): string => (place.length === 0 ? '' : ` at ${placeText(place)}`);
  for (const place of gained)
    tellSeen('wire', mayHaveText(before.schema, place), where, `holds a blob now${within(place)}`);
  for (const place of lost)
    tellSeen('wire', false, where, `holds no blob any more${within(place)}`);
  if (gained.length + lost.length > 0)
    tell('storage', false, where, 'its blob records are made anew');
  const recomputed =
    canonicalJson(before.computed ?? null) !== canonicalJson(after.computed ?? null);
  if (recomputed && isAggregate(before.computed) && isAggregate(after.computed))
    tellSeen('wire', true, where, 'is made of other values now');
  if (recomputed && after.computed !== undefined)
    tell('storage', true, where, 'is computed for the objects that exist: its values go');
  return (
    before.perUser !== after.perUser ||
    isShown(before) !== isShown(after) ||
    (before.nullable && !after.nullable) ||
    (before.optional === true && after.optional !== true) ||
    (retargeted && isShown(after)) ||
    (recomputed && after.computed !== undefined && isShown(after))
  );
}

/** Tells whether all users share a value that each had of its own, or the reverse. */
function compareOwners(
  before: SnapshotProperty,
  after: SnapshotProperty,
  where: string,
  tell: Tell,
): void {
  if (before.perUser === after.perUser) return;
  const isOwn = after.perUser === true;
  const what = isOwn ? 'each user has a value of its own now' : 'all users share its value now';
  tell('wire', true, where, what);
  tell('storage', true, where, 'the values that it had go');
}

/** Tells what clients may do with the property, and what they must do now. */
function compareAccess(
  before: SnapshotProperty,
  after: SnapshotProperty,
  where: string,
  tell: Tell,
): void {
  if (before.access !== after.access)
    tell('wire', takesAway(before, after), where, `access: ${before.access} -> ${after.access}`);
  if (!isOnWire(after)) return;
  const wasRequired = before.required && isOnWire(before);
  if (!wasRequired && after.required) tell('wire', true, where, 'a create must give it now');
  if (wasRequired && !after.required) tell('wire', false, where, 'a create may leave it out');
}

/** Tells which users get the property, and which don't any more. */
function compareReaders(
  { readable: was }: SnapshotProperty,
  { readable: is }: SnapshotProperty,
  where: string,
  tell: Tell,
): void {
  const takes =
    is !== undefined && (was ?? [null]).some((one) => one === null || !is.includes(one));
  if (takes) tell('wire', true, where, 'fewer users may read it');
  else if (canonicalJson(was ?? null) !== canonicalJson(is ?? null))
    tell('wire', false, where, 'more users may read it');
}

function defaultWords({ default: value = null, defaultNow }: SnapshotProperty): string {
  return defaultNow === true ? 'now' : canonicalJson(value);
}

/** Returns whether clients can do less with the property than they could. */
function takesAway(before: SnapshotProperty, after: SnapshotProperty): boolean {
  const [was, is] = [ABILITIES[before.access], ABILITIES[after.access]];
  return [...was].some((ability) => !is.includes(ability));
}

/** r: read, c: give at create, w: write later. */
const ABILITIES: Readonly<Record<SnapshotProperty['access'], string>> = Object.freeze({
  mutable: 'rcw',
  immutable: 'rc',
  serverSet: 'r',
  secret: 'cw',
  internal: '',
});

function isOnWire({ access }: SnapshotProperty): boolean {
  return access !== 'internal';
}
