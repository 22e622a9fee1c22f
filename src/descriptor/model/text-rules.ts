import type { JSONSchema7 } from 'json-schema';
import { type FormatName, formatNamed } from '../../capability/formats/index.js';
import type { TextForm, TextRule } from '../../capability/text-rule.js';
import type { Normalization } from '../../text/index.js';
import { stepsFromSchema } from '../schema-places.js';

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
  return stepsFromSchema(schema).flatMap(([step, inner]) => {
    if (typeof inner !== 'object') return [];
    const form = formOf(inner);
    const own: readonly TextRule[] = form === undefined ? [] : [{ place: [step], ...form }];
    const further = textRulesIn(inner).map((rule) => ({ ...rule, place: [step, ...rule.place] }));
    return [...own, ...further];
  });
}
