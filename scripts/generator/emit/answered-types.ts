import type { JSONSchema7 } from 'json-schema';
import { prefixOf } from '../../../src/capability/family-names.js';
import { isFamily } from '../../../src/descriptor/model/answered-model.js';
import type { ModelAnswered, ModelType } from '../../../src/descriptor/model.js';
import { filled, literal } from './code.js';
import { deprecatedWords, type GeneratedModule, memberName } from './generated-module.js';
import type { NamedSchema } from './wire-types.js';

/**
 * The types of properties that are computed when they are read: `EmailKept` has what is stored,
 * `EmailAnswered` what hooks compute, and `Email` both. `EmailRights` has what the engine computes
 * of a shared type.
 */

/** The suffixes of the types of answered properties. */
export const ANSWERED_SUFFIXES: readonly string[] = [
  ...['Kept', 'Answered', 'AnsweredProperties', 'Families', 'Rights'],
];

/** Returns the name of the type of what /get shows of a stored object. */
export function keptName(type: ModelType): string {
  return isWhollyKept(type) ? type.name : `${type.name}Kept`;
}

/** Returns whether /get shows nothing but what is stored. */
export function isWhollyKept({ answered, share }: ModelType): boolean {
  return answered === undefined && share === undefined;
}

/** Returns the properties that are no families. */
export function listPlainAnswered({ answered = [] }: ModelType): readonly ModelAnswered[] {
  return answered.filter((each) => !isFamily(each));
}

export function listFamilies({ answered = [] }: ModelType): readonly ModelAnswered[] {
  return answered.filter(isFamily);
}

/** Returns the interface of answered properties; none of most types. */
export function answeredTypes(type: ModelType): readonly NamedSchema[] {
  if (type.answered === undefined) return [];
  const plain = listPlainAnswered(type);
  const suffix = listFamilies(type).length === 0 ? 'Answered' : 'AnsweredProperties';
  return [
    [
      `${type.name}${suffix}`,
      {
        type: 'object',
        description: `The properties of ${type.name} that are computed when they are read.`,
        properties: Object.fromEntries(plain.map((each) => [each.name, describeAnswered(each)])),
        required: plain.filter(({ optional }) => optional !== true).map(({ name }) => name),
        additionalProperties: false,
      },
    ],
    ...familyTypes(type),
  ];
}

/** Returns the types of the values of families. */
export function familyTypes(type: ModelType): readonly NamedSchema[] {
  return listFamilies(type)
    .filter(hasSchema)
    .map((family): NamedSchema => [valueName(type, family), describeAnswered(family)]);
}

/** Adds `Email`, of what is stored and what is computed, and the types of families. */
export function addAnswered(module: GeneratedModule, type: ModelType): void {
  const { name } = type;
  if (isWhollyKept(type)) return;
  const families = listFamilies(type);
  if (families.length > 0) {
    module.addTypeAlias(
      `${name}Answered`,
      filled(
        [`${name}AnsweredProperties`, ...families.map((each) => indexOf(type, each))].join(' & '),
        `export type ${name}Answered = `.length,
      ),
      `The properties of ${name} that are computed when they are read, families too.`,
    );
    module.addInterface({
      name: `${name}Families`,
      words: `The names of families of ${name}, in their parts.`,
      members: families.map((each) => ({ name: each.name, type: parsedType(each) })),
    });
  }
  const parts = [
    `${name}Kept`,
    ...(type.answered === undefined ? [] : [`${name}Answered`]),
    ...(type.share === undefined ? [] : [`${name}Rights`]),
  ];
  module.addTypeAlias(
    name,
    filled(parts.join(' & '), `export type ${name} = `.length),
    deprecatedWords(type.description, type.deprecated),
  );
}

/** Returns the schema of an answered property with its comment. */
export function describeAnswered({
  schema,
  description,
  deprecated,
  onRequest,
}: ModelAnswered): JSONSchema7 {
  const words = [description, 'Computed when it is read.'];
  if (onRequest === true) words.push('Only on request.');
  const text = words.filter((part) => part !== '').join(' ');
  return { ...schema, description: deprecatedWords(text, deprecated) };
}

/** Returns whether the values of a family have a type of their own: any JSON is unknown. */
function hasSchema({ schema }: ModelAnswered): boolean {
  return Object.keys(schema).length > 0;
}

/** Returns the name of the type of a family's values: `EmailAnswered1`. */
export function valueName(type: ModelType, family: ModelAnswered): string {
  if (!hasSchema(family)) return 'unknown';
  return `${type.name}Answered${listFamilies(type).indexOf(family) + 1}`;
}

function indexOf(type: ModelType, family: ModelAnswered): string {
  return `{ readonly [name: ${familyNames(family)}]: ${valueName(type, family)} }`;
}

/** Returns the type of a family's names: `header:${string}` in back quotes. */
export function familyNames(family: ModelAnswered): string {
  return `\`${prefixOf(family).replace(/[\\`$]/g, '\\$&')}\${string}\``;
}

function parsedType(family: ModelAnswered): string {
  const parts = (family.parts ?? []).map(({ key, values, optional }) => {
    const type = values === undefined ? 'string' : values.map((one) => literal(one)).join(' | ');
    return `readonly ${memberName(key)}${optional === true ? '?' : ''}: ${type}`;
  });
  return `{ ${[`readonly name: ${familyNames(family)}`, ...parts].join('; ')} }`;
}
