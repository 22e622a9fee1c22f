import type { JSONSchema7 } from 'json-schema';
import { type Place, textsAt } from '../../../src/capability/places.js';
import { normalizationsOf } from '../../../src/descriptor/model/text-rules.js';
import type { ModelFilter, ModelProperty } from '../../../src/descriptor/model.js';
import { stepsFromSchema } from '../../../src/descriptor/schema-places.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { type Normalization, normalForm } from '../../../src/text/index.js';
import { type Json, same } from '../client/json.js';
import { listWritable } from './described.js';
import { wrapIds } from './links.js';
import type { Subject } from './subject.js';
import { listSchemaValues, toSchema } from './values.js';

/** Texts that a descriptor's `normalize` makes alike. */

/** A text in another form, and the form in which it is stored. */
export interface Formed<T extends Json = string> {
  readonly sent: T;
  readonly stored: T;
}

/** A place whose texts have a normal form: a property, or texts within its values. */
export interface NormalPlace {
  readonly property: ModelProperty;
  readonly place: Place;
  readonly texts: readonly Formed[];
}

/** Ways to give a text another form, each undone by the change of its name. */
const DISTORT: Readonly<Record<Normalization, (text: string) => string>> = Object.freeze({
  lowercase: (text) => text.toUpperCase(),
  nfc: (text) => text.normalize('NFD'),
  trim: (text) => ` ${text}\u00a0\n`,
});

const ALL_CHANGES = Object.freeze(['lowercase', 'nfc', 'trim'] as const);

/** Returns other forms of a stored text, the one that most changes undo first. */
function listForms(stored: string, changes: readonly Normalization[]): readonly string[] {
  const isOther = (text: string): boolean =>
    text !== stored && normalForm(text, changes) === stored;
  const useful = ALL_CHANGES.filter(
    (name) => changes.includes(name) && isOther(DISTORT[name](stored)),
  );
  const together = useful.reduce((text, name) => DISTORT[name](text), stored);
  return [together, ...useful.map((name) => DISTORT[name](stored))].filter(isOther);
}

/** Returns texts of a schema in other forms: first those that more changes undo. */
export function listFormed(schema: JSONSchema7): readonly Formed[] {
  const changes = normalizationsOf(schema);
  if (changes === undefined) return [];
  const { good } = listSchemaValues({ maxLength: 255, ...schema, type: 'string' });
  return good
    .filter((one) => typeof one === 'string' && one !== '' && [...one].length < 300)
    .map((one) => ({ stored: String(one), forms: listForms(String(one), changes) }))
    .toSorted((a, b) => b.forms.length - a.forms.length)
    .flatMap(({ stored, forms: [sent] }) => (sent === undefined ? [] : [{ sent, stored }]))
    .slice(0, 3);
}

/** Returns the schema of the texts at a place; an empty one where there is none. */
const schemaAt = (schema: JSONSchema7, place: Place): JSONSchema7 =>
  place.reduce<JSONSchema7>((inner, step) => {
    const found = stepsFromSchema(inner).find(([one]) => same(asJson(one), asJson(step)));
    return found === undefined ? {} : toSchema(found[1]);
  }, schema);

const asJson = (value: unknown): Json => value as Json;

/** Places of one property that are tried: a definition that contains itself has many. */
const MOST = 4;

/** Lists the places of a type's values that have texts with a normal form, and such texts. */
export const listNormalPlaces = (subject: Subject): readonly NormalPlace[] =>
  listWritable(subject.described).flatMap((property) => {
    if (subject.isSampled(property)) return [];
    const own = property.normalize === undefined ? [] : [[]];
    const places = [...own, ...property.texts.map(({ place }) => place)];
    return places
      .map((place) => ({ property, place, texts: listFormed(schemaAt(property.schema, place)) }))
      .filter((one) => one.texts.length > 0 && standsAlone(one))
      .slice(0, MOST);
  });

/** Tells whether a value with one text there holds neither references nor blobs. */
function standsAlone({ property, place }: NormalPlace): boolean {
  const held = [...property.blobs, ...property.references.map((one) => one.place)];
  const value = wrapIds({ property, place }, 'x') as JsonValue;
  return textsAt(held, value).size === 0;
}

/** Returns the least values of a property that hold a text in both forms. */
export const wrapFormed = (at: NormalPlace, { sent, stored }: Formed): Formed<Json> => ({
  sent: wrapIds(at, sent),
  stored: wrapIds(at, stored),
});

/** Operators that compare a whole text, and the step from the property to it. */
const COMPARED: Readonly<Partial<Record<ModelFilter['operator'], Place>>> = Object.freeze({
  equals: [],
  in: [],
  hasKey: [{ each: 'key' }],
  lacksKey: [{ each: 'key' }],
  hasItem: [{ each: 'item' }],
  lacksItem: [{ each: 'item' }],
});

/** Tells whether a filter, or a sort by a condition, compares the texts of a place. */
export function isComparing(
  { property: { name, within } }: Pick<ModelFilter, 'property'>,
  operator: ModelFilter['operator'] | undefined,
  { property, place }: NormalPlace,
): boolean {
  const step = operator === undefined ? undefined : COMPARED[operator];
  if (step === undefined || (within?.property ?? name) !== property.name) return false;
  return same(asJson([...(within?.place ?? []), ...step]), asJson(place));
}
