import type { JSONSchema7 } from 'json-schema';
import type { OAuthScopes } from '../../src/capability/capability-definition.js';
import { isWholePlace, referencesOf } from '../../src/capability/named-references.js';
import { placeText } from '../../src/capability/places.js';
import { didYouMean } from '../../src/descriptor/check/did-you-mean.js';
import { place } from '../../src/descriptor/check/rule.js';
import { buildModel } from '../../src/descriptor/model/index.js';
import type {
  Model,
  ModelAnswered,
  ModelCapability,
  ModelProperty,
  ModelType,
} from '../../src/descriptor/model.js';
import { EXIT, printError, printLine, UsageError } from '../cli.js';
import { readViews } from './breaking/read-model.js';
import { describeRules } from './emit/rule-words.js';
import { asUsageError } from './file-errors.js';
import { placed, readHistories } from './migrations/index.js';
import { counted, type Format, tellProblems } from './report/index.js';

/** Options of the command line. */
export interface DescribeOptions {
  /** Absolute. */
  readonly root: string;
  /** A type, a capability's base name or its URN; all types where not given. */
  readonly name: string | undefined;
  readonly format: Exclude<Format, 'github'>;
}

/** Runs the `describe` command; returns its exit code. */
export async function describeType({ root, name, format }: DescribeOptions): Promise<number> {
  const model = await loadModel(root, format);
  if (model === undefined) return EXIT.input;
  const chosen = chooseTypes(model, name);
  if (format === 'json') printLine(JSON.stringify(chosen, null, 2));
  else if (name === undefined) for (const entry of chosen) printLine(listType(entry));
  else printLine(chosen.map(composeType).join('\n\n'));
  return EXIT.fine;
}

/**
 * Returns the model of the project's descriptors. Prints errors and returns undefined if there are
 * any.
 */
async function loadModel(root: string, format: Format): Promise<Model | undefined> {
  try {
    const { views, errors } = await readViews(root);
    if (errors.length === 0) return placed(buildModel(views), readHistories(root));
    tellProblems(errors, { root, format, unfolded: 'all' });
    if (format === 'text') printError(`${counted(errors.length, 'error')}; correct them first.`);
    return undefined;
  } catch (error) {
    throw asUsageError(error, root);
  }
}

/** A type to describe, with the methods that its capability declares under the type's name. */
interface Entry {
  readonly capability: string;
  readonly oauthScopes?: OAuthScopes;
  readonly type: ModelType;
  readonly ownMethods: readonly { readonly name: string; readonly at: ModelType['at'] }[];
}

/**
 * Returns the types that a name means. Throws for an unknown name, with the nearest that there is.
 */
function chooseTypes({ capabilities }: Model, name: string | undefined): readonly Entry[] {
  const all = capabilities.flatMap((capability) =>
    capability.types.map((type) => ({ capability, type })),
  );
  const found = all.filter(
    ({ capability, type }) =>
      name === undefined || [type.name, capability.name, capability.urn].includes(name),
  );
  const known = [
    ...all.map(({ type }) => type.name),
    ...new Set(all.map(({ capability }) => capability.name)),
  ];
  if (name !== undefined && found.length === 0)
    throw new UsageError(
      `no type and no capability with types is named ${JSON.stringify(name)}.` +
        `${didYouMean(name, known)} There are: ${known.join(', ')}.`,
    );
  return found.map(({ capability, type }) => ({
    capability: capability.urn,
    ...(capability.oauthScopes && { oauthScopes: capability.oauthScopes }),
    type,
    ownMethods: listOwnMethods(capability, type),
  }));
}

/** Returns the own methods of the type's capability whose names begin with the type's. */
function listOwnMethods({ methods }: ModelCapability, { name }: ModelType): Entry['ownMethods'] {
  return methods
    .filter((method) => method.name.startsWith(`${name}/`))
    .map((method) => ({ name: method.name, at: method.at }));
}

/** Returns the line of a type in the list of all: name, URN and place, with tabs between. */
function listType({ capability, type }: Entry): string {
  return `${type.name}\t${capability}\t${place(type.at)}`;
}

/** Returns all that a type offers, each with the place that declares it. */
function composeType({ capability, oauthScopes, type, ownMethods }: Entry): string {
  const methods = type.methods.map(({ name, at }) => `  ${type.name}/${name}  ${place(at)}`);
  const limits = Object.entries(type.limits ?? {}).map(([name, value]) => `  ${name}: ${value}`);
  const filters = type.filters.map(
    ({ name, operator, column, columns = [column], indexed, at }) => {
      const isIndexed = indexed || type.indexes.some((index) => index.at === at);
      const named = `column${columns.length > 1 ? 's' : ''} ${columns.join(', ')}`;
      return `  ${name}: ${operator}, ${named}${isIndexed ? ', indexed' : ''}  ${place(at)}`;
    },
  );
  const lists = (all: readonly { properties: readonly ModelProperty[]; at: ModelType['at'] }[]) =>
    all.map(({ properties, at }) => `  ${properties.map((p) => p.name).join(', ')}  ${place(at)}`);
  // Those of conditions are told there.
  const indexes = type.indexes.filter(({ at }) => type.filters.every((each) => each.at !== at));
  const sorts = type.sorts.map(
    ({ name, property, by, indexed, at }) =>
      `  ${name}${name === property.name ? '' : `, reads ${property.name}`}` +
      `${by === undefined ? '' : `, ${by.operator} with ${by.argument}`}` +
      `${indexed ? ', indexed' : ''}  ${place(at)}`,
  );
  return [
    `${type.name}, of ${capability}${type.singleton ? ', a singleton' : ''}` +
      `${type.table === type.name ? '' : `, table ${type.table}`}  ${place(type.at)}`,
    ...(type.description === '' ? [] : [type.description]),
    ...writeSection(
      'scopes',
      Object.entries(oauthScopes ?? {}).map(([mode, scope]) => `  ${mode}: ${scope}`),
    ),
    ...writeSection('properties', type.properties.map(describeProperty)),
    ...writeSection('answered', (type.answered ?? []).map(describeAnswered)),
    ...writeSection('methods', [
      ...methods,
      ...ownMethods.map((m) => `  ${m.name}  ${place(m.at)}`),
    ]),
    ...writeSection('filters', filters),
    ...writeSection('sorts', sorts),
    ...writeSection('shapes', Object.entries(type.query ?? {}).map(describeShape)),
    ...writeSection('unique', lists(type.uniques)),
    ...writeSection('indexes', lists(indexes)),
    ...writeSection('limits', limits),
    ...writeSection(
      'rules',
      describeRules(type).map((line) => `  ${line.replaceAll('`', '')}`),
    ),
    ...writeSection(
      'errors',
      (type.errors ?? []).map(({ name, at }) => `  ${name}  ${place(at)}`),
    ),
  ].join('\n');
}

/** Returns a title and its lines; nothing without lines. */
function writeSection(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

/** Returns the facts of a property in one line. */
function describeProperty(property: ModelProperty): string {
  const { name, schema, access, required, at, role, column } = property;
  const facts = [
    writeType(schema),
    access,
    ...(required ? ['required'] : []),
    ...(property.optional ? ['optional'] : []),
    ...(property.defaultNow ? ['default now'] : []),
    ...(property.normalize === undefined ? [] : [`normalize ${property.normalize.join(', ')}`]),
    ...(property.default === undefined ? [] : [`default ${JSON.stringify(property.default)}`]),
    ...writeBounds(schema),
    ...referencesOf([property]).map((reference) => {
      const where = isWholePlace(reference.place) ? '' : ` at ${placeText(reference.place)}`;
      return `references ${reference.type}${where}, ${reference.onDestroy}`;
    }),
    ...(property.computed === undefined ? [] : ['computed']),
    ...property.blobs.map((place) =>
      place.length === 0 ? 'id of a blob' : `id of a blob at ${placeText(place)}`,
    ),
    ...(property.onRequest ? ['on request'] : []),
    ...(property.readable === undefined ? [] : [`readable by ${property.readable.join(', ')}`]),
    ...(property.perUser ? ['per user'] : []),
    ...(property.secret === undefined ? [] : [`stored: ${property.secret}`]),
    ...(property.deprecated === undefined ? [] : ['deprecated']),
    ...(column === name ? [] : [`column ${column}`]),
  ];
  const where = role === undefined ? place(at) : '(every type has it)';
  return `  ${name}: ${facts.join(', ')}  ${where}`;
}

/** Returns the facts of a property that is computed when it is read. */
function describeAnswered(answered: ModelAnswered): string {
  const { name, schema, sources, optional, onRequest, parts = [], at } = answered;
  const facts = [
    writeType(schema),
    ...(sources.length === 0 ? [] : [`follows ${sources.join(', ')}`]),
    ...(optional ? ['optional'] : []),
    ...(onRequest ? ['on request'] : []),
    ...parts.map((part) => `${part.key}${part.values ? ` ${part.values.join('|')}` : ''}`),
  ];
  return `  ${name}: ${facts.join(', ')}  ${place(at)}`;
}

/** Returns a shape of results with its property and its arguments. */
function describeShape([shape, { by, ...names }]: [string, { readonly by: string }]): string {
  return `  ${shape} by ${by}: ${Object.values(names).join(', ')}`;
}

/** Returns a schema's type and format in words, such as "string or null (utc-date)". */
function writeType({ type, format }: JSONSchema7): string {
  const words = [type ?? 'any'].flat().join(' or ');
  return format === undefined ? words : `${words} (${format})`;
}

/** The keys of a schema that bound its values, in the order of the output. */
const BOUND_KEYS = Object.freeze([
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'pattern',
  'enum',
] as const);

/** Returns the bounds of a schema, each with its key. */
function writeBounds(schema: JSONSchema7): readonly string[] {
  // A value of a format is shorter than any bound.
  const keys = BOUND_KEYS.filter((key) => key !== 'maxLength' || schema.format === undefined);
  return keys.flatMap((key) =>
    schema[key] === undefined ? [] : [`${key} ${JSON.stringify(schema[key])}`],
  );
}
