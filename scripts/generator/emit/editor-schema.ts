import type { JSONSchema7 } from 'json-schema';

/**
 * Returns the meta-schema as editors read it. They show examples that are lists or objects as
 * `[object Object]` and insert 'null' without its quotes. So these become snippets: a text as it
 * stands in a descriptor. Their annotation, `defaultSnippets`, is known to yaml-language-server and
 * VS Code.
 */
export function editorSchema(schema: JSONSchema7): object {
  return addSnippets(schema) as object;
}

/** Keys whose values are data and no schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'examples']);

/**
 * Returns a schema whose nested examples are snippets: editors offer no nested example otherwise.
 */
function addSnippets(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(addSnippets);
  if (typeof node !== 'object' || node === null) return node;
  const isList = 'type' in node && node.type === 'array';
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'examples' && isList) return [[key, scalarItems(value)]];
    if (key === 'examples' && isNested(value))
      return [['defaultSnippets', value.map((each) => ({ label: flow(each), body: flow(each) }))]];
    return [[key, DATA.has(key) ? value : addSnippets(value)]];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns those examples that are lists, without what is nested in them: editors write an example
 * of a list item by item.
 */
function scalarItems(examples: unknown): readonly unknown[] {
  const lists = Array.isArray(examples) ? examples.filter(Array.isArray) : [];
  return lists
    .map((list) => list.filter((item) => typeof item !== 'object'))
    .filter((list) => list.length > 0);
}

/** Returns whether one of the examples is an object or a list. */
function isNested(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((each) => typeof each === 'object');
}

/** Returns a value in YAML's flow style. It quotes only what YAML reads as another value. */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, each]) => `${key}: ${flow(each)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  return /^(?:|null|true|false|[#@].*)$/.test(value) ? `'${value}'` : value;
}
