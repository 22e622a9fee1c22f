import type { StandardMethodName } from '../../../../src/capability/definition.js';
import type { NamePart } from '../../../../src/capability/family-names.js';
import { isOfEngine } from '../../../../src/capability/stored-properties.js';
import { isShown } from '../../../../src/descriptor/model/access.js';
import {
  addedArguments,
  standardMethodsOf,
} from '../../../../src/descriptor/model/further-members.js';
import type {
  ModelCapability,
  ModelSort,
  ModelStandardMethod,
  ModelType,
} from '../../../../src/descriptor/model.js';
import type { JsonObject } from '../../../../src/protocol/json.js';
import { describeAccess } from '../access-words.js';
import { describeRules } from '../rule-words.js';
import { perUserWords, readersWords } from '../type-schemas.js';
import { type Example, exampleOf } from './examples.js';
import { code, escapeText, json, list, paragraphs, table } from './markdown.js';
import { memberTable } from './member-table.js';
import { typeWords, writeAccess, writeBounds, writeDefault } from './words.js';

const CORE = 'urn:ietf:params:jmap:core';

/** Returns a data type: its properties, filters, sorts and methods. */
export function typeSection(capability: ModelCapability, type: ModelType): readonly string[] {
  return [
    `## ${type.name}`,
    '',
    ...paragraphs(type.description),
    ...writeDeprecation(type.deprecated),
    ...describeManners(type),
    ...properties(type),
    ...answered(type),
    ...rules(type),
    ...access(type),
    ...errors(type),
    ...(type.methods.some(({ name }) => name === 'query') ? describeQueries(type) : []),
    ...standardMethods(capability, type),
  ];
}

/** The methods whose calls look the same for every type. */
const ALIKE: ReadonlySet<StandardMethodName> = new Set(['changes', 'copy', 'queryChanges']);

/**
 * Returns a section for each standard method, and names those in a line that the descriptor adds
 * nothing to and that look the same for every type.
 */
function standardMethods(capability: ModelCapability, type: ModelType): readonly string[] {
  const all = standardMethodsOf(type);
  const alike = all.filter(
    ({ row, method }) =>
      ALIKE.has(method.name) &&
      method.response === undefined &&
      addedArguments(type, { row, method }) === undefined,
  );
  const names = alike.map(({ row }) => `${code(`${type.name}/${row.verb}`)} (${row.section})`);
  return [
    ...(names.length === 0 ? [] : [`As in RFC 8620: ${list(names)}.`, '']),
    ...all
      .filter((each) => !alike.includes(each))
      .flatMap(({ row, method }) => [
        `### ${type.name}/${row.verb}`,
        '',
        `RFC 8620 section ${row.section}.`,
        '',
        ...memberTable('Further argument', addedArguments(type, { row, method })),
        ...memberTable('Further member of the response', method.response),
        ...call(capability, `${type.name}/${row.verb}`, exampleFor(type, method)),
      ]),
  ];
}

/** Returns an example without its answer if every type has the same: a /query finds ids. */
function exampleFor(type: ModelType, method: ModelStandardMethod): Partial<Example> {
  const { request, response } = exampleOf(type, method);
  return method.name === 'query' && method.response === undefined
    ? { request }
    : { request, response };
}

/** Returns the paragraph that says why something is deprecated; none for what isn't. */
export function writeDeprecation(words: string | undefined): readonly string[] {
  return words === undefined ? [] : [`**Deprecated:** ${escapeText(words)}`, ''];
}

/** Returns a whole request and the answer to its one call, if that is shown. */
export function call(
  capability: ModelCapability,
  name: string,
  { request = {}, response }: Partial<Example>,
): readonly string[] {
  return [
    'Request:',
    '',
    ...json({
      using: [...new Set([CORE, capability.urn])],
      methodCalls: [[name, request, 'c1']],
    }),
    ...(response === undefined
      ? []
      : ['Answer:', '', ...json([name, response, 'c1'] satisfies [string, JsonObject, string])]),
  ];
}

/** Returns sentences about a type as a whole: singletons, names in snake_case, limits. */
function describeManners(type: ModelType): readonly string[] {
  const { count, octets } = type.limits ?? {};
  const words = [
    ...(type.singleton
      ? ['There is always one object, with the id `singleton`: none is created or destroyed.']
      : []),
    ...(type.acceptSnakeCase ? ['Names may be given in snake_case too.'] : []),
    ...(count === undefined ? [] : [`An account holds at most ${count} objects (overQuota).`]),
    ...(octets === undefined ? [] : [`An object has at most ${octets} octets (tooLarge).`]),
  ];
  return words.length === 0 ? [] : [words.join(' '), ''];
}

/** Returns every property that clients see or give, the standard ones in a sentence. */
function properties(type: ModelType): readonly string[] {
  const visible = type.properties.filter(
    (property) => isShown(property) || property.access === 'secret',
  );
  const standard = visible.filter(isOfEngine);
  const names = standard.map(({ name, schema }) => `${code(name)} (${typeWords(schema)})`);
  const rows = visible
    .filter((property) => !standard.includes(property))
    .map((property) => [
      code(property.name),
      code(typeWords(property.schema)),
      writeAccess(property),
      writeDefault(property),
      writeBounds(property, type),
      [
        escapeText(property.description),
        ...(property.onRequest === true ? ['Only on request.'] : []),
        ...(property.readable === undefined ? [] : [readersWords(property)]),
        ...(property.perUser === true ? [perUserWords(property)] : []),
        ...(property.deprecated === undefined
          ? []
          : [`**Deprecated:** ${escapeText(property.deprecated)}`]),
      ]
        .join(' ')
        .trim(),
    ]);
  const head = ['Property', 'Type', 'Access', 'Default', 'Bounds', 'What it is'];
  return [`The server sets ${list(names)}.`, '', ...(rows.length === 0 ? [] : table(head, rows))];
}

/** Returns the properties that are computed when they are read. */
function answered({ answered: all }: ModelType): readonly string[] {
  if (all === undefined) return [];
  return table(
    ['Computed when it is read', 'Type', 'Given', 'What it is'],
    all.map(({ name, schema, onRequest, optional, parts, description }) => [
      code(name),
      code(typeWords(schema)),
      [
        onRequest === true ? 'on request' : 'always',
        ...(optional === true ? ['may be absent'] : []),
      ]
        .join(', ')
        .trim(),
      [escapeText(description), ...(parts ?? []).map(partWords)].join(' ').trim(),
    ]),
  );
}

/** Returns a part of a family's names in words. */
function partWords({ key, values, optional }: NamePart): string {
  const texts = values === undefined ? 'any text' : list(values.map((value) => code(value)));
  return `${escapeText(key)}${optional === true ? ' (optional)' : ''}: ${texts}.`;
}

/** Returns a list of the rules that depend on values. */
function rules(type: ModelType): readonly string[] {
  const lines = describeRules(type);
  if (lines.length === 0) return [];
  return ['Rules:', '', ...lines.map((line) => `- ${line}`), ''];
}

/** Returns a list of who may do what with the objects. */
function access(type: ModelType): readonly string[] {
  const lines = describeAccess(type);
  if (lines.length === 0) return [];
  return [
    'Access: the owner of the account may do everything. Other users:',
    '',
    ...lines.map((line) => `- ${line}`),
    '',
  ];
}

/** Returns the errors of the type's own, and what the server gives with each. */
function errors(type: ModelType): readonly string[] {
  if (type.errors === undefined) return [];
  return table(
    ['Error', 'When', 'Its members'],
    type.errors.map(({ name, description, members }) => [
      code(name),
      escapeText(description),
      Object.entries(members.properties ?? {})
        .map(([member, schema]) => `${code(member)} (${code(typeWords(schema))})`)
        .join(', '),
    ]),
  );
}

/** Returns the table of filters and the sentence about sorts. */
function describeQueries(type: ModelType): readonly string[] {
  const filters = table(
    ['Filter', 'Value', 'What it matches'],
    type.filters.map(({ name, schema, description }) => [
      code(name),
      code(typeWords(schema)),
      escapeText(description),
    ]),
  );
  return [
    ...(type.filters.length === 0 ? ['It has no filters.', ''] : filters),
    type.sorts.length === 0 ? 'It has no sorts.' : `Sorts: ${list(type.sorts.map(writeSort))}.`,
    '',
  ];
}

/** Returns a sort in words. */
function writeSort({ name, by, indexed }: ModelSort): string {
  const argument = by === undefined ? '' : ` (with ${code(by.argument)})`;
  return `${code(name)}${argument}${indexed ? ' (with an index)' : ''}`;
}
