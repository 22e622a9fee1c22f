import type { JsonValue } from '../protocol/json.js';
import { finish, type Steps } from '../runtime/paused-work.js';
import { normalForm } from '../text/index.js';
import type { PropertyDefinition } from './definition.js';
import { formatNamed, formatOf, type SortKey } from './formats/index.js';
import { replaceSteps } from './places.js';
import type { TextForm } from './text-rule.js';

type Texts = Pick<PropertyDefinition, 'kind' | 'format' | 'normalize' | 'texts'>;

/** Returns a text in its form. A text that its format doesn't allow is in normal form alone. */
export function formedText({ normalize, format }: TextForm, text: string): string {
  const normal = normalize === undefined ? text : normalForm(text, normalize);
  const known = formatNamed(format);
  if (known === undefined || known.canonical === null) return normal;
  return known.isLegal(normal) ? known.canonical(normal) : normal;
}

/** Returns the form of a property's own text; undefined where it stays as it comes. */
export function ownForm(property: Texts): TextForm | undefined {
  const { normalize, kind, format } = property;
  const named = kind === 'date' ? 'utc-date' : format;
  const isFormed = normalize !== undefined || (formatOf(property)?.canonical ?? null) !== null;
  if (!isFormed) return undefined;
  return {
    ...(normalize === undefined ? {} : { normalize }),
    ...(named === undefined ? {} : { format: named }),
  };
}

/** Returns the form of the items of a list, the keys or the values of a map; undefined for none. */
export function innerForm(
  { texts = [] }: Texts,
  each: 'item' | 'key' | 'value',
): TextForm | undefined {
  return texts.find(({ place: [step, ...further] }) => {
    return step !== undefined && 'each' in step && step.each === each && further.length === 0;
  });
}

/**
 * Returns the key by which conditions compare the items of a list; undefined where they compare the
 * items themselves. A column beside the list's own holds the keys.
 */
export function itemKeyOf(list: Texts): SortKey | undefined {
  const order = formatNamed(innerForm(list, 'item')?.format)?.order ?? 'none';
  return typeof order === 'object' && order.isEquality ? order : undefined;
}

/** Returns a value with the texts within it in their forms, with pauses. */
export function* formedSteps({ texts }: Pick<Texts, 'texts'>, value: JsonValue): Steps<JsonValue> {
  let formed = value;
  for (const rule of texts ?? [])
    formed = yield* replaceSteps([rule.place], formed, (text) => formedText(rule, text));
  return formed;
}

/** Returns a stored value of the property in its form. */
export function formedValue(property: Texts, value: JsonValue): JsonValue {
  if (typeof value !== 'string') return finish(formedSteps(property, value));
  const form = ownForm(property);
  return form === undefined ? value : formedText(form, value);
}
