import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import { META_SCHEMA } from '../descriptor/meta-schema.js';
import { descend, type Located } from '../load/located.js';
import type { Location } from '../model.js';
import { didYouMeanWord } from './did-you-mean.js';
import { oneOf, type Report, type Rule } from './rule.js';

/** Keywords of JSON Schema that the language leaves out on purpose, with what to do instead. */
const REFUSED: Readonly<Record<string, string>> = {
  oneOf: 'a value has one shape; write the shape that covers all of them',
  anyOf: 'a value has one shape; write the shape that covers all of them',
  allOf: 'write all keys into the one schema',
  not: 'say what is allowed',
  if: 'a value has one shape',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'a value has one shape',
  else: 'a value has one shape',
  patternProperties: 'use additionalProperties with a schema',
  dependencies: 'properties are independent of each other',
  const: 'use enum with one value',
  nullable: "write type: [string, 'null']",
  '<<': 'YAML 1.2 has no merge; repeat the keys, or name a whole value with & and *',
};

/**
 * A word for what stands under a key, by the last part of its path: `unknown-type`, not just
 * `unknown-value`.
 */
const VALUE_CODES: Readonly<Record<string, string>> = {
  type: 'unknown-type',
  format: 'unknown-format',
  access: 'unknown-access',
  account: 'unknown-account-use',
  is: 'unknown-operator',
  filter: 'unknown-operator',
  standardMethods: 'unknown-standard-method',
  onDestroy: 'unknown-on-destroy',
};

/** Every run compiles it, so that what a test sees to (it is draft-07) is not looked at again. */
const validate = new Ajv({
  allErrors: true,
  verbose: true,
  strictTypes: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
}).compile(META_SCHEMA as AnySchemaObject);

/**
 * Every key is known, every value has the type that its key takes: the meta-schema, put into
 * words.
 */
export const structure: Rule = (views, report) => {
  for (const { root } of views) {
    if (validate(root.value)) continue;
    // All of them: the first thousand may be legal where the descriptor is used, and who takes them ends it.
    const errors = validate.errors ?? [];
    const choices = choicesOf(errors);
    for (const error of errors) tell(withBothTypes(error, choices), root, report);
  }
};

/**
 * Where a value has one of two types, the meta-schema asks for the one and else for the other:
 * the complaint about the other names both.
 */
function withBothTypes(
  error: ErrorObject,
  choices: ReadonlyMap<string, readonly ErrorObject[]>,
): ErrorObject {
  if (error.keyword !== 'type') return error;
  const choice = choices
    .get(error.instancePath)
    ?.find(({ parentSchema }) => parentSchema?.['else'] === error.parentSchema);
  const first: unknown = choice?.parentSchema?.['if']?.type;
  if (first === undefined) return error;
  return { ...error, params: { type: [first, error.params['type']].flat() } };
}

/** Where the other of two types was asked for, by place. */
function choicesOf(errors: readonly ErrorObject[]): ReadonlyMap<string, readonly ErrorObject[]> {
  const choices = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    if (error.keyword !== 'if' || error.params['failingKeyword'] !== 'else') continue;
    const there = choices.get(error.instancePath);
    if (there === undefined) choices.set(error.instancePath, [error]);
    else there.push(error);
  }
  return choices;
}

function tell(error: ErrorObject, root: Located, report: Report): void {
  const path = pathOf(error.instancePath);
  const node = descend(root, path);
  const key = keyOf(path);
  const what = key === undefined ? 'the descriptor' : `"${key}"`;
  switch (error.keyword) {
    case 'if':
      // Tells no more than the errors of its then and else.
      return;
    case 'additionalProperties':
      unknownKey(error, node, report);
      return;
    case 'required': {
      const missing = String(error.params['missingProperty']);
      report('missing-key', placeOf(root, path), `${what} needs the key "${missing}".`);
      return;
    }
    case 'type':
      report('wrong-type', node.at, `${what} must be ${withArticle(error.params['type'])}.`);
      return;
    case 'enum':
      unknownValue(error, path, node, report);
      return;
    case 'contains':
    case 'uniqueItems':
      report('unknown-type', node.at, "a list of types is one type and 'null': [string, 'null'].");
      return;
    case 'const':
      // Of `contains`, which tells it better.
      return;
    case 'maximum':
    case 'maxProperties':
      report('over-limit', node.at, `${what} ${error.message ?? 'is too large'}.`);
      return;
    case 'minProperties':
    case 'minItems':
      report('empty', node.at, `${what} must not be empty.`);
      return;
    default:
      report('out-of-range', node.at, `${what} ${error.message ?? 'is wrong'}.`);
  }
}

function unknownKey(error: ErrorObject, node: Located, report: Report): void {
  const key = String(error.params['additionalProperty']);
  const at = node.members?.get(key)?.nameAt ?? node.at;
  const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const refused = Object.hasOwn(REFUSED, key) ? REFUSED[key] : undefined;
  if (refused !== undefined) {
    report('refused-keyword', at, `"${key}" is not part of the descriptor language: ${refused}.`);
    return;
  }
  const guess = didYouMeanWord(key, known);
  report('unknown-key', at, `unknown key "${key}".${guess} Legal here: ${known.join(', ')}.`);
}

function unknownValue(error: ErrorObject, path: string[], node: Located, report: Report): void {
  const legal = (error.params['allowedValues'] as unknown[]).map(String);
  const value = node.value;
  const code = codeOf(path);
  if (value === null && legal.includes('null')) {
    report(code, node.at, "null as a type stands in quotes: 'null'.");
    return;
  }
  const guess = typeof value === 'string' ? didYouMeanWord(value, legal) : '';
  report(code, node.at, `${JSON.stringify(value)} is not ${oneOf(legal)}.${guess}`);
}

function codeOf(path: readonly string[]): string {
  const names = path.filter((step) => !/^\d+$/.test(step));
  const last = VALUE_CODES[names.at(-1) ?? ''];
  return last ?? VALUE_CODES[names.at(-2) ?? ''] ?? 'wrong-type';
}

/** A complaint about something missing points at the name of what it is missing from. */
function placeOf(root: Located, path: readonly string[]): Location {
  const parent = descend(root, path.slice(0, -1));
  return parent.members?.get(path.at(-1) ?? '')?.nameAt ?? descend(root, path).at;
}

function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function keyOf(path: readonly string[]): string | undefined {
  return path.findLast((step) => !/^\d+$/.test(step));
}

function withArticle(types: unknown): string {
  const words = [types].flat().map((type) => {
    if (type === 'array') return 'a list';
    return type === 'object' || type === 'integer' ? `an ${type}` : `a ${String(type)}`;
  });
  return oneOf(words);
}
