import { canonicalJson } from '../../protocol/canonical-json.js';
import { BOUNDS } from '../bounds.js';
import { typeOf } from '../kinds.js';
import { flag, isRepeated, type Located, member, text } from '../located.js';
import {
  isTypeName,
  type PropertyView,
  type ReferenceView,
  referenceTarget,
} from '../property-view.js';
import type { TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import type { Report, Rule } from './rule.js';
import { type SchemaView, schemasOf } from './schemas.js';
import { findType, typesOf } from './types.js';

/** Refuses references to no type, and those that can't do what their keys ask of them. */
export const references: Rule = (views, report) => {
  const types = typesOf(views);
  for (const schema of views.flatMap(schemasOf)) {
    judgeSetKeys(schema, [...types.keys()], report);
    judgeWords(schema, types, report);
  }
  for (const type of views.flatMap((view) => view.types)) {
    for (const property of type.properties) {
      judgeOnce(property, report);
      for (const reference of property.references) {
        judgeName(property, reference, report);
        if (![...reference.above, reference.node].some(isRepeated))
          judgeReference(type, property, reference, report);
      }
    }
  }
};

type Types = ReadonlyMap<string, TypeView>;

/** Judges the words of a schema and of its names: a definition is judged once, used or not. */
function judgeWords({ label, node, use }: SchemaView, types: Types, report: Report): void {
  judgeOwnWords({ label, node, use }, types, report);
  const names = member(node, 'propertyNames');
  if (names !== undefined)
    judgeOwnWords({ label: `${label}/keys`, node: names, use }, types, report);
}

/**
 * Reports a target that is unknown or a singleton, a list whose items are no strings, and
 * `onDestroy` and `acyclic` at a schema that refers to nothing.
 */
function judgeOwnWords(
  { label, node, use }: Pick<SchemaView, 'label' | 'node' | 'use'>,
  types: Types,
  report: Report,
): void {
  const target = referenceTarget(node);
  const isStored = target !== undefined && use === 'property';
  for (const key of isStored ? [] : ['onDestroy', 'acyclic']) {
    const stray = node.members?.get(key);
    if (stray !== undefined) report('misplaced-key', stray.nameAt, whyStray(key, label, use));
  }
  if (target === undefined) return;
  if (findType(types, target, report)?.singleton === true)
    report(
      'bad-reference',
      member(node, 'references')?.at ?? target.at,
      `${target.name} is a singleton: its one object is always there and needs no reference.`,
    );
  const both = member(node, 'references');
  if (both !== undefined && member(node, 'setOf') !== undefined)
    report(
      'misplaced-key',
      both.at,
      `"references" does not go with "setOf": write setOf: ${text(both) ?? 'Type'}.`,
    );
  const items = both === undefined ? undefined : member(node, 'items');
  if (items !== undefined && text(member(items, 'type')) !== 'string')
    report(
      'bad-reference',
      items.at,
      `the items of "${label}" are ids, since it refers to objects: items: { type: string }.`,
    );
}

function whyStray(key: string, label: string, use: SchemaView['use']): string {
  if (use === 'message')
    return `"${key}" is about what is stored, and "${label}" is sent: leave it out.`;
  return (
    `"${key}" goes with references, and "${label}" is no reference: add references: Type or ` +
    'setOf: Type.'
  );
}

/** Reports a place that names both a blob and an object, or objects by two words. */
function judgeOnce({ name, nameAt, node, blobs, references }: PropertyView, report: Report): void {
  const known = new Set(blobs.map(canonicalJson));
  for (const reference of references) {
    const key = canonicalJson(reference.place);
    const isTwice = references.some(
      (other) => other !== reference && canonicalJson(other.place) === key,
    );
    const at = member(reference.node, 'blob')?.at ?? member(node, 'blob')?.at ?? nameAt;
    if (known.has(key))
      report(
        'bad-reference',
        at,
        `"${reference.name}" can't refer to a blob and to objects; drop one.`,
      );
    else if (
      isTwice &&
      references.findLast((one) => canonicalJson(one.place) === key) === reference
    )
      report(
        'bad-reference',
        reference.target.at,
        `the items of "${name}" say what they refer to already; drop one of the two words.`,
      );
  }
}

/** Reports a place so deep that its name is too long. */
function judgeName(
  { nameAt, node: whole }: PropertyView,
  { name, node, target }: ReferenceView,
  report: Report,
): void {
  if (name.length <= BOUNDS.referenceName) return;
  report(
    'bad-reference',
    member(node, 'references')?.at ?? (node === whole ? nameAt : target.at),
    `the names on the way to "${name.slice(0, 60)}…" have more than ${BOUNDS.referenceName} ` +
      'letters together: shorten them.',
  );
}

/** Reports what a reference can't be at its place, and the effects that it can't have there. */
function judgeReference(
  type: TypeView,
  { access, nameAt, node: whole }: PropertyView,
  reference: ReferenceView,
  report: Report,
): void {
  const { target, name, node, onDestroy, acyclic } = reference;
  const isWhole = node === whole;
  const complain = (key: string, why: string): void =>
    report('bad-reference', member(node, key)?.at ?? (isWhole ? nameAt : target.at), why);
  if (access === 'secret')
    report(
      'bad-reference',
      member(whole, 'access')?.at ?? nameAt,
      `"${name}" is a reference, which has to be read: it can't be secret.`,
    );
  if (acyclic && target.name !== type.name)
    complain(
      'acyclic',
      `"acyclic" is about objects of one type: "${name}" of ${type.name} leads to ` +
        `${target.name}, from where it can't come back by itself.`,
    );
  if (acyclic && onDestroy === 'keep')
    complain(
      'acyclic',
      `"acyclic" needs records of who refers to whom, and "${name}" keeps none: say restrict, ` +
        'cascade or setNull.',
    );
  if (onDestroy !== 'setNull') return;
  if (access === 'immutable')
    complain(
      'onDestroy',
      `"${name}" is immutable: setNull would change it. Legal are restrict, cascade, keep.`,
    );
  judgeSetNull(reference, complain);
}

/** Reports a value that `setNull` can't change as it has to. */
function judgeSetNull(
  { name, node, above, place, removable }: ReferenceView,
  complain: (key: string, why: string) => void,
): void {
  const step = place.at(-1);
  // A list or a set names its own entries; other words stand at the entry itself.
  const schemas = isOfEntries(node) ? [...above, node] : above;
  if (step === undefined) {
    if (!typeOf(node).nullable && !flag(member(node, 'optional'), false))
      complain(
        'onDestroy',
        "setNull needs a property that may be null or absent. Write type: [string, 'null'], or " +
          'optional: true, or onDestroy: restrict, cascade or keep.',
      );
  } else if ('member' in step) {
    if (removable) judgeCounts(name, schemas.at(-1), complain);
    else if (!typeOf(node).nullable)
      complain(
        'onDestroy',
        "setNull needs a member that may be null or absent. Write type: [string, 'null'], or " +
          'take it out of required, or write onDestroy: restrict, cascade or keep.',
      );
  } else judgeCounts(name, schemas.at(-1), complain);
  const outer = 'member' in (step ?? { member: '' }) ? schemas : schemas.slice(0, -1);
  if (outer.some((each) => member(each, 'uniqueItems')?.value === true))
    complain(
      'onDestroy',
      `setNull at "${name}" may make two items equal, and the list has uniqueItems: say restrict ` +
        'or cascade, or drop uniqueItems.',
    );
}

function judgeCounts(
  name: string,
  container: Located | undefined,
  complain: (key: string, why: string) => void,
): void {
  for (const key of ['minItems', 'minProperties']) {
    const least = member(container, key)?.value;
    if (typeof least === 'number' && least > 0)
      complain(key, `setNull takes entries out, so "${name}" can't have ${key} ${least}.`);
  }
}

/** Returns whether the words at a schema are about its entries: a set, or a list's `references`. */
function isOfEntries(node: Located): boolean {
  return member(node, 'setOf') !== undefined || member(node, 'items') !== undefined;
}

/** Reports a `setOf` other than `string`, `blob`, a type's name or the schema of a string. */
function judgeSetKeys({ label, node }: SchemaView, types: readonly string[], report: Report): void {
  const keys = member(node, 'setOf');
  if (keys === undefined) return;
  const word = text(keys);
  if (word !== undefined && word !== 'string' && word !== 'blob' && !isTypeName(word))
    report(
      'unknown-target',
      keys.at,
      `"${label}" can't be a set of "${word}".${didYouMean(word, ['string', 'blob', ...types])} ` +
        'Legal are string, blob, a schema of a string, or the name of a type.',
    );
  if (keys.members !== undefined && text(member(keys, 'type')) !== 'string')
    report(
      'bad-set',
      keys.at,
      `the keys of the set "${label}" are strings: setOf: { type: string }.`,
    );
}
