import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import { type FormatName, formatNamed } from '../../capability/formats/index.js';
import type { PlaceStep } from '../../capability/places.js';
import type { TextForm, TextRule } from '../../capability/text-rule.js';
import type { Normalization } from '../../text/index.js';
import { branchesIn } from '../branches.js';
import { byCodeUnit } from '../order.js';

/** Returns the changes that a schema's texts go through; undefined for none. */
export function normalizationsOf(schema: JSONSchema7): readonly Normalization[] | undefined {
  return (schema as { readonly normalize?: readonly Normalization[] }).normalize;
}

/** Returns the form in which a schema's texts are stored; undefined if they stay as they come. */
export function formOf(schema: JSONSchema7): TextForm | undefined {
  const normalize = normalizationsOf(schema);
  const hasForm = (formatNamed(schema.format)?.canonical ?? null) !== null;
  if (normalize === undefined && !hasForm) return undefined;
  return {
    ...(normalize === undefined ? {} : { normalize }),
    ...(hasForm ? { format: schema.format as FormatName } : {}),
  };
}

/** Returns the texts within a schema's values that have one stored form each, outer ones first. */
export function textRulesIn(schema: JSONSchema7): readonly TextRule[] {
  return stepsFrom(schema).flatMap(([step, inner]) => {
    if (typeof inner !== 'object') return [];
    const form = formOf(inner);
    const own: readonly TextRule[] = form === undefined ? [] : [{ place: [step], ...form }];
    const further = textRulesIn(inner).map((rule) => ({ ...rule, place: [step, ...rule.place] }));
    return [...own, ...further];
  });
}

type Step = readonly [step: PlaceStep, schema: JSONSchema7Definition];

/** Returns the schemas one step below a schema, in order of names: definitions are in hashes. */
function stepsFrom(schema: JSONSchema7): readonly Step[] {
  const { properties = {}, items, propertyNames, additionalProperties } = schema;
  const names = Object.keys(properties).sort(byCodeUnit);
  const except = names.length === 0 ? {} : { except: names };
  return [
    ...names.map((name): Step => [{ member: name }, properties[name] ?? true]),
    ...branchesIn(schema).map((branch): Step => [branch.step, branch.schema]),
    ...(items === undefined || Array.isArray(items) ? [] : [[{ each: 'item' }, items] as const]),
    ...(propertyNames === undefined ? [] : [[{ each: 'key', ...except }, propertyNames] as const]),
    ...(additionalProperties === undefined
      ? []
      : [[{ each: 'value', ...except }, additionalProperties] as const]),
  ];
}
