import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import type { ProblemCode } from '../codes/index.js';
import { descend, type Located } from '../located.js';
import { META_SCHEMA } from '../meta-schema.js';
import type { Location } from '../model.js';
import { didYouMeanWord, meantWord } from './did-you-mean.js';
import { changesMeaning, type Path, spoiledBy } from './follow-ons.js';
import { findMisplaced, isAtOrBelow } from './misplaced.js';
import { oneOf, type Report, type Rule } from './rule.js';
import { formatAdvice, REFUSED, SHAPES, typeAdvice } from './slips.js';

/**
 * A word for what stands under a key, by the last part of its path: `unknown-type`, not just
 * `unknown-value`.
 */
const VALUE_CODES: Readonly<Record<string, ProblemCode>> = {
  type: 'unknown-type',
  format: 'unknown-format',
  access: 'unknown-access',
  account: 'unknown-account-use',
  is: 'unknown-operator',
  filter: 'unknown-operator',
  standardMethods: 'unknown-standard-method',
  onDestroy: 'unknown-on-destroy',
};

/** Every run compiles it, and so leaves out what a test sees to: that it is draft-07. */
const validate = new Ajv({
  allErrors: true,
  verbose: true,
  strictTypes: false,
  meta: false,
  validateSchema: false,
  // Compiling costs less so: nothing is written twice, and nothing is made shorter.
  inlineRefs: false,
  code: { optimize: false },
}).compile(META_SCHEMA as AnySchemaObject);

/**
 * Refuses unknown keys and values of a wrong type: the meta-schema, put into words. It says what
 * follows from each error (rule.ts), so that other rules can leave that out.
 */
export const structure: Rule = (views, report) => {
  for (const { root } of views) {
    if (validate(root.value)) continue;
    // All of them: the first thousand may be legal where the descriptor is used, and who takes them
    // ends it.
    const errors = validate.errors ?? [];
    const choices = choicesOf(errors);
    const misplaced = findMisplaced(root, errors.map(pathOf), report);
    for (const error of errors) {
      const path = pathOf(error);
      if (misplaced.some((each) => isAtOrBelow(path, each)) || isExplained(error, errors)) continue;
      reportError(withBothTypes(error, choices), path, root, report);
    }
  }
};

/** Returns whether another error of the same value says what is wrong with it. */
function isExplained(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const { instancePath, keyword, params } = error;
  // A list of types that has a wrong word, or null, is not judged as a list.
  if (LIST_KEYWORDS.has(keyword) && instancePath.endsWith('/type'))
    return errors.some(
      (other) =>
        (other.keyword === 'enum' && other.instancePath.startsWith(`${instancePath}/`)) ||
        (other.instancePath === instancePath &&
          keyword !== 'contains' &&
          other.keyword === 'contains'),
    );
  // A key that is missing may be there under a wrong name.
  return (
    keyword === 'required' &&
    errors.some(
      (other) =>
        other.keyword === 'additionalProperties' &&
        other.instancePath === instancePath &&
        meantKey(other) === params['missingProperty'],
    )
  );
}

/** Keywords by which ajv judges a list of types. Another error of the same place says more. */
const LIST_KEYWORDS: ReadonlySet<string> = new Set([
  'contains',
  'minItems',
  'maxItems',
  'uniqueItems',
]);

/**
 * Returns an error about a type with both types where the value may have one of two. The
 * meta-schema asks for the first by `if` and for the other by `else`, so that ajv complains of the
 * other alone.
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

/**
 * Returns ajv's errors of an `if` whose `else` failed, by place: a value may have one of two types.
 */
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

/** Reports one error of ajv in the words of the descriptor language, with a code and a place. */
function reportError(error: ErrorObject, path: Path, root: Located, report: Report): void {
  const node = descend(root, path);
  const key = keyOf(path);
  const what = key === undefined ? 'the descriptor' : `"${key}"`;
  const details = { spoils: spoiledBy(root, path) };
  switch (error.keyword) {
    case 'if':
    case 'const':
      // Other errors of the same value say more.
      return;
    case 'additionalProperties':
      reportKey(error, path, root, report);
      return;
    case 'required': {
      const missing = String(error.params['missingProperty']);
      report('missing-key', placeOf(root, path), `${what} needs the key "${missing}".`, {
        spoils: missing === 'properties' ? details.spoils : [],
      });
      return;
    }
    case 'type':
      report('wrong-type', node.at, describeType(error, path, node), details);
      return;
    case 'enum':
      report(codeOf(path), node.at, describeValue(error, path, node), details);
      return;
    case 'contains':
    case 'uniqueItems':
      report('unknown-type', node.at, LIST_OF_TYPES, details);
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

const LIST_OF_TYPES = "a list of types must be one type and 'null', for instance [string, 'null'].";

/** Returns the message for a value of the wrong type, with an example of the right one. */
function describeType(error: ErrorObject, path: Path, { value }: Located): string {
  const [key, parent] = [path.at(-1), path.at(-2)];
  // JSON Schema of the third draft, and most forms, say it at the property.
  if (key === 'required' && typeof value === 'boolean' && path.length === 5)
    return (
      `"required" is a list beside "properties", not a key of a property: ` +
      `${value ? `required: [${parent}]` : 'leave it out here'}.`
    );
  const named = keyOf(path) === undefined ? 'the descriptor' : `"${keyOf(path)}"`;
  const must = `${named} must be ${withArticle(error.params['type'])}`;
  if (parent === 'properties' && typeof value === 'string')
    return `${must}, for instance ${key}: { type: string }.`;
  const shape = key !== undefined && Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
  return `${must}${shape === undefined ? '' : `, for instance ${shape}`}.`;
}

/** Returns the key that the unknown one of the error probably means. */
function meantKey({ params, parentSchema }: ErrorObject): string | undefined {
  return meantWord(String(params['additionalProperty']), keysOf(parentSchema));
}

/** Returns the keys that the meta-schema knows at a place. */
function keysOf(schema: ErrorObject['parentSchema']): readonly string[] {
  return Object.keys((schema?.['properties'] as object | undefined) ?? {});
}

/** Reports a key that the language doesn't have, with the nearest legal one or all of them. */
function reportKey(error: ErrorObject, path: Path, root: Located, report: Report): void {
  const node = descend(root, path);
  const key = String(error.params['additionalProperty']);
  const at = node.members?.get(key)?.nameAt ?? node.at;
  if (Object.hasOwn(REFUSED, key)) {
    const why = `"${key}" is not part of the descriptor language: ${refusal(key, node)}.`;
    report('refused-keyword', at, why, { spoils: spoiledBy(root, path) });
    return;
  }
  const known = keysOf(error.parentSchema);
  const meant = meantKey(error);
  const more =
    meant === undefined ? ` Legal here: ${known.join(', ')}.` : didYouMeanWord(key, known);
  const spoils = changesMeaning(path, meant) ? spoiledBy(root, path) : [];
  report('unknown-key', at, `unknown key "${key}".${more}`, { spoils });
}

/** Returns the advice with the type that stands there: `nullable` beside `type: integer`. */
function refusal(key: string, { members }: Located): string {
  const type: unknown = members?.get('type')?.node.value;
  const words = REFUSED[key] ?? '';
  return typeof type === 'string' ? words.replace('[string,', `[${type},`) : words;
}

/**
 * Returns the message for a value that is none of the legal ones, with advice where there is some.
 */
function describeValue(error: ErrorObject, path: Path, { value }: Located): string {
  const legal = (error.params['allowedValues'] as unknown[]).map(String);
  if (value === null && legal.includes('null')) return "write the type null in quotes: 'null'.";
  if (legal.length === 1 && keyOf(path) !== undefined)
    return `"${keyOf(path)}" must be ${oneOf(legal)}, not ${JSON.stringify(value)}.`;
  const word = typeof value === 'string' ? value : '';
  const advice = adviceOn(codeOf(path), word);
  const more = advice === undefined ? didYouMeanWord(word, legal) : ` ${advice}`;
  return `${JSON.stringify(value)} is not ${oneOf(legal)}.${more}`;
}

/** Returns the advice for a word of another language behind `type` or `format`. */
function adviceOn(code: string, word: string): string | undefined {
  if (code === 'unknown-type') return typeAdvice(word);
  return code === 'unknown-format' ? formatAdvice(word) : undefined;
}

/** Returns the code for a wrong value, by its own key or the one above it. */
function codeOf(path: readonly string[]): ProblemCode {
  const names = path.filter((step) => !/^\d+$/.test(step));
  const last = VALUE_CODES[names.at(-1) ?? ''];
  return last ?? VALUE_CODES[names.at(-2) ?? ''] ?? 'wrong-type';
}

/**
 * Returns the place of a complaint about something missing: the name of what it is missing from.
 */
function placeOf(root: Located, path: readonly string[]): Location {
  const parent = descend(root, path.slice(0, -1));
  return parent.members?.get(path.at(-1) ?? '')?.nameAt ?? descend(root, path).at;
}

/** Returns the steps of an error's JSON Pointer, unescaped. */
function pathOf({ instancePath }: ErrorObject): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the last step of a path that is no index of a list. */
function keyOf(path: readonly string[]): string | undefined {
  return path.findLast((step) => !/^\d+$/.test(step));
}

/** Returns names of types in words, such as "a list or an object". */
function withArticle(types: unknown): string {
  const words = [types].flat().map((type) => {
    if (type === 'array') return 'a list';
    return type === 'object' || type === 'integer' ? `an ${type}` : `a ${String(type)}`;
  });
  return oneOf(words);
}
