import { member, text } from '../located.js';
import type { PropertyView, ReferenceView } from '../property-view.js';
import { isTypeName } from '../property-view.js';
import type { TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import type { Report, Rule } from './rule.js';
import { type SchemaView, schemasOf } from './schemas.js';
import { findType, typesOf } from './types.js';

/** Refuses references to no type, and those that can't do what their keys ask of them. */
export const references: Rule = (views, report) => {
  const types = typesOf(views);
  for (const schema of views.flatMap(schemasOf)) judgeSetKeys(schema, [...types.keys()], report);
  for (const type of views.flatMap((view) => view.types)) {
    for (const property of type.properties) {
      if (property.reference === undefined) rejectStrayKeys(property, report);
      else judgeReference(type, { ...property, reference: property.reference }, types, report);
    }
  }
};

/** Reports a target that is unknown or a singleton, and keys that a reference can't have. */
function judgeReference(
  type: TypeView,
  property: PropertyView & { readonly reference: ReferenceView },
  types: ReadonlyMap<string, TypeView>,
  report: Report,
): void {
  const { target, form, onDestroy, acyclic } = property.reference;
  const { name, node, nameAt, blobs, access, nullable, optional } = property;
  const complain = (key: string, why: string): void =>
    report('bad-reference', member(node, key)?.at ?? nameAt, why);
  if (findType(types, target, report)?.singleton === true)
    complain(
      'references',
      `${target.name} is a singleton: its one object is always there and needs no reference.`,
    );
  if (blobs.length > 0)
    complain('blob', `"${name}" can't refer to a blob and to objects; drop one.`);
  if (access === 'secret')
    complain('access', `"${name}" is a reference, which has to be read: it can't be secret.`);
  const both = member(node, 'references');
  if (both !== undefined && member(node, 'setOf') !== undefined)
    report(
      'misplaced-key',
      both.at,
      `"references" does not go with "setOf": write setOf: ${text(both) ?? 'Type'}.`,
    );
  if (form === 'list') judgeItems(property, report);
  if (acyclic && target.name !== type.name)
    complain(
      'acyclic',
      `"acyclic" is about objects of one type: "${name}" of ${type.name} leads to ` +
        `${target.name}, from where it can't come back by itself.`,
    );
  if (onDestroy !== 'setNull') return;
  if (access === 'immutable')
    complain(
      'onDestroy',
      `"${name}" is immutable: setNull would change it. Legal are restrict, cascade.`,
    );
  if (form === 'single' && !nullable && !optional)
    complain(
      'onDestroy',
      `setNull needs a property that may be null: type: [string, 'null'], or optional: true; or ` +
        'say restrict or cascade.',
    );
  for (const key of ['minItems', 'minProperties']) {
    const least = member(node, key)?.value;
    if (typeof least === 'number' && least > 0)
      complain(key, `setNull takes entries out, so "${name}" can't have ${key} ${least}.`);
  }
}

/** Reports a list of references whose items are no strings. */
function judgeItems({ name, node }: PropertyView, report: Report): void {
  const items = member(node, 'items');
  if (items === undefined || text(member(items, 'type')) === 'string') return;
  report(
    'bad-reference',
    items.at,
    `the items of "${name}" are ids, since it refers to objects: items: { type: string }.`,
  );
}

/** Reports `onDestroy` and `acyclic` at a property that refers to nothing. */
function rejectStrayKeys({ name, node }: PropertyView, report: Report): void {
  for (const key of ['onDestroy', 'acyclic']) {
    const stray = node.members?.get(key);
    if (stray !== undefined)
      report(
        'misplaced-key',
        stray.nameAt,
        `"${key}" goes with references, and "${name}" is no reference: add references: Type or ` +
          'setOf: Type.',
      );
  }
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
