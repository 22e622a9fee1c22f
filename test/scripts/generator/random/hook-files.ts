import fc from 'fast-check';
import type { RandomDescriptor, RandomProject, RandomType } from './descriptors.js';
import { type Definitions, type Json, type Schema, valuesOf } from './values.js';

/** The hook files of a random project, and what their functions are to give. */

/** A value of the schema: the same one whenever it is asked for. */
export function madeOf(schema: Schema, definitions: Definitions): Json {
  const [value = null] = fc.sample(valuesOf(schema, definitions), { seed: 1, numRuns: 1 });
  return value;
}

/** The further member that a type's `/get` answers, where its descriptor declares one. */
export function furtherOf({ standardMethods }: RandomType): Schema | undefined {
  const methods = standardMethods as { get?: { response?: { properties: { made: Schema } } } };
  return methods?.get?.response?.properties.made;
}

export function hookFiles(project: RandomProject): Record<string, string> {
  const homes = new Map(
    Object.entries(project).flatMap(([base, each]) =>
      Object.keys(each.types).map((type) => [type, base] as const),
    ),
  );
  return Object.fromEntries(
    Object.entries(project).map(([base, each]) => [
      `${base}.hooks.ts`,
      hookFile(base, each, homes),
    ]),
  );
}

function hookFile(
  base: string,
  { types, methods = {}, $defs = {} }: RandomDescriptor,
  homes: ReadonlyMap<string, string>,
): string {
  const hooks = Object.entries(types).flatMap(([name, type]) => typeHooks(name, type, $defs));
  const bodies = Object.entries(methods).map(
    ([name, { response }]) =>
      `    ${quoted(name)}: (args) => ({ given: args, made: ` +
      `${literal(madeOf(response.properties.made, $defs))} }),`,
  );
  const body = [
    'export const hooks = {',
    ...(hooks.length === 0 ? [] : ['  types: {', ...hooks, '  },']),
    ...(bodies.length === 0 ? [] : ['  methods: {', ...bodies, '  },']),
    '} satisfies Hooks;',
  ].join('\n');
  const read = [...homes].filter(([type]) => body.includes(`(${constantOf(type)}, null)`));
  const imports = read.map(
    ([type, home]) =>
      `import { ${constantOf(type)} } from '../generated/${home}/${type}.definition.js';`,
  );
  return [`import type { Hooks } from '../generated/${base}/hooks.js';`, ...imports, body, ''].join(
    '\n',
  );
}

function typeHooks(name: string, type: RandomType, definitions: Definitions): readonly string[] {
  const computed = Object.entries(type.properties);
  const compute = computed.flatMap(([property, schema]) => {
    const from = fromOf(schema);
    return from === undefined ? [] : [`        ${property}: ${functionOf(property, from)},`];
  });
  const computeOn = computed.flatMap(([property, schema]) => {
    const followed = followedOf(schema);
    if (followed === undefined) return [];
    return [
      `        async ${property}(_changes, _call, reader) {`,
      `          const own = await reader.get(${constantOf(name)}, null);`,
      `          const others = await reader.get(${constantOf(followed)}, null);`,
      schema.type === 'integer'
        ? '          const value = others.length;'
        : '          const value = others.map(({ id }) => id).sort();',
      '          return new Map(own.map(({ id }) => [id, value]));',
      '        },',
    ];
  });
  const made = furtherOf(type);
  const after =
    made === undefined
      ? []
      : [
          `      methods: { get: { after: () => ({ made: ${literal(madeOf(made, definitions))} ` +
            '}) } },',
        ];
  const lines = [...block('compute', compute), ...block('computeOn', computeOn), ...after];
  return lines.length === 0 ? [] : [`    ${name}: {`, ...lines, '    },'];
}

function block(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`      ${name}: {`, ...lines, '      },'];
}

function functionOf(property: string, from: readonly string[]): string {
  const values = from.map((source) => `object[${quoted(source)}]`);
  if (property === 'measured') return `(object) => JSON.stringify([${values.join(', ')}]).length`;
  return property === 'chained'
    ? `(object) => 'x'.repeat(${values[0]} % 50)`
    : `(object) => ${values[0]}`;
}

/**
 * Returns the value of a computed property for an object; undefined for any other property.
 */
export function computedOf(
  property: string,
  { [property]: schema }: RandomType['properties'],
  read: (source: string) => unknown,
): { readonly value: unknown } | undefined {
  const from = schema === undefined ? undefined : fromOf(schema);
  if (from === undefined) return undefined;
  const values = from.map(read);
  if (property === 'measured') return { value: JSON.stringify(values).length };
  return { value: property === 'chained' ? 'x'.repeat(Number(values[0]) % 50) : values[0] };
}

function fromOf({ computed }: Schema): readonly string[] | undefined {
  return (computed as { from?: readonly string[] } | undefined)?.from;
}

/** The type that the property follows: the second of its sources. */
export function followedOf({ computed }: Schema): string | undefined {
  const { on } = (computed ?? {}) as { on?: readonly string[] };
  const source = on?.find((each, index) => index > 0 && each.endsWith('.created')) ?? on?.[0];
  return source?.slice(0, source.indexOf('.'));
}

function constantOf(type: string): string {
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}Type`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Names that TypeScript takes for those of Object, whatever the signature of an index says. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype).join('|');
const WIDENED = new RegExp(`"(?:${INHERITED})":(?:true|false|"(?:[^"\\\\]|\\\\.)*")`, 'g');

/** `"__proto__": x` in a literal would be the prototype; `toString: true` would be any boolean. */
function literal(value: Json): string {
  return JSON.stringify(value)
    .replaceAll(WIDENED, '$& as const')
    .replaceAll('"__proto__":', '["__proto__"]:')
    .replace(/[\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`);
}
