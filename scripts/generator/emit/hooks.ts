import { markOf, mayHaveHooks, ownMethodsOf, writtenFor } from '../hooks/written-for.js';
import { fromProperties, onProperties } from '../model/computed.js';
import { hasFurther, methodTypeName, standardMethodsOf } from '../model/further-members.js';
import type { EmittedFiles, Model, ModelCapability, ModelProperty, ModelType } from '../model.js';
import { RUNTIME_MODULE } from '../validation/keywords.js';
import { quoted } from './code.js';
import { constant, namedImports, namespaceImport, printModule } from './module.js';
import { methodStem } from './own-methods.js';
import type { ImportStructure } from './structures.js';
import { sourceOf } from './type-validators.js';

/** The types that `capabilities/NAME.hooks.ts` is written against: a schema change breaks its build. */
export function emitHooks(model: Model): EmittedFiles {
  return new Map(
    model.capabilities
      .filter(mayHaveHooks)
      .map((capability) => [
        `generated/${capability.name}/hooks.ts`,
        hooksModule(capability, model),
      ]),
  );
}

function hooksModule(capability: ModelCapability, model: Model): string {
  const { types } = capability;
  const own = ownMethodsOf(capability);
  const hash = writtenFor(capability);
  return printModule(sourceOf(capability), [
    namespaceImport('jmap', RUNTIME_MODULE, true),
    ...(own.length === 0 ? [] : [namespaceImport('methods', './methods.types.js', true)]),
    ...shapeImports(capability, model),
    ...types
      .filter((type) => furtherTypes(type).length > 0)
      .map(({ name }) => namespaceImport(`wire${name}`, `./${name}.types.js`, true)),
    constant({
      name: 'WRITTEN_FOR',
      type: 'string',
      value: hash,
      words:
        'What a hook file of this capability sees of the descriptor. Its first line says for which\n' +
        `it was written: \`${markOf(capability, hash)}\``,
    }),
    ...types.map(typeHooks),
    hooksInterface(capability),
  ]);
}

/** Shapes of the capability's own types, and of those that its computed properties follow. */
function shapeImports(capability: ModelCapability, model: Model): readonly ImportStructure[] {
  const names = new Set(capability.types.map(({ name }) => name));
  for (const type of capability.types) {
    for (const source of onProperties(type).flatMap(sourcesOf)) names.add(source);
  }
  return [...names].sort().flatMap((name) => {
    const home = model.capabilities.find(({ types }) => types.some((type) => type.name === name));
    if (home === undefined) return [];
    const folder = home.name === capability.name ? '.' : `../${home.name}`;
    return [
      { ...namedImports([`${name}Shape`], `${folder}/${name}.definition.js`), isTypeOnly: true },
    ];
  });
}

function storedName(type: string): string {
  return `jmap.StoredOf<${type}Shape>`;
}

function typeHooks(type: ModelType): string {
  const stored = storedName(type.name);
  const set = furtherTypes(type).find(({ verb, args }) => verb === 'set' && args !== null);
  // A write of another type, or a tx.set, that reaches these hooks has other arguments or none.
  const args = set === undefined ? '' : `, Partial<${set.args}>`;
  const lines = [
    `\n/** Hooks of ${type.name}. */`,
    `export interface ${type.name}Hooks<Database = unknown>`,
    `  extends jmap.TypeHooks<${stored}, Database${args}> {`,
    ...block(
      'compute',
      fromProperties(type).map(({ name }) => [
        `readonly ${key(name)}: (object: ${stored}) => ${stored}[${quoted(name)}];`,
      ]),
    ),
    ...block(
      'computeOn',
      onProperties(type).map((property) => onFunction(type, property)),
    ),
    ...extensions(type),
    '}',
  ];
  return lines.join('\n');
}

function onFunction(type: ModelType, property: ModelProperty): readonly string[] {
  return [
    `readonly ${key(property.name)}: (`,
    '  changes: {',
    ...sourcesOf(property).map(
      (source) => `    readonly ${source}?: jmap.Changes<${storedName(source)}>;`,
    ),
    '  },',
    '  call: jmap.HookCall,',
    '  reader: jmap.HookReader<Database>,',
    `) => Promise<ReadonlyMap<string, ${storedName(type.name)}[${quoted(property.name)}]>>;`,
  ];
}

/** A required member: without it the hook file does not compile. */
function block(name: string, members: readonly (readonly string[])[]): readonly string[] {
  if (members.length === 0) return [];
  const lines = members.flatMap((member) => member.map((line) => `    ${line}`));
  return [`  readonly ${name}: {`, ...lines, '  };'];
}

function extensions(type: ModelType): readonly string[] {
  const further = furtherTypes(type);
  if (further.length === 0) return [];
  return [
    '  readonly methods?: {',
    ...further.map(({ verb, args, response }) => {
      const parameters = `Database, ${args ?? 'jmap.JsonObject'}, ${response ?? 'jmap.JsonObject'}`;
      return `    readonly ${verb}?: jmap.MethodExtension<${parameters}>;`;
    }),
    '  };',
  ];
}

function hooksInterface(capability: ModelCapability): string {
  const own = ownMethodsOf(capability);
  const { types } = capability;
  const needsTypes = types.some(needsHooks);
  const lines = [
    `\n/** What \`hooks\` of capabilities/${capability.name}.hooks.ts must be. */`,
    'export interface Hooks<Database = unknown> {',
  ];
  if (types.length > 0) {
    lines.push(
      `  readonly types${needsTypes ? '' : '?'}: {`,
      ...types.map(
        (type) =>
          `    readonly ${type.name}${needsHooks(type) ? '' : '?'}: ${type.name}Hooks<Database>;`,
      ),
      '  };',
    );
  }
  if (own.length > 0) {
    lines.push(
      '  readonly methods: {',
      ...own.flatMap((method) => [
        `    readonly ${quoted(method.name)}: jmap.OwnMethod<`,
        `      methods.${methodStem(method)}Arguments,`,
        `      methods.${methodStem(method)}Response,`,
        '      Database',
        '    >;',
      ]),
      '  };',
    );
  }
  return [...lines, '}'].join('\n');
}

function needsHooks(type: ModelType): boolean {
  return fromProperties(type).length + onProperties(type).length > 0;
}

function sourcesOf({ computed }: ModelProperty): readonly string[] {
  if (computed?.kind !== 'on') return [];
  return [...new Set(computed.sources.map(({ type }) => type))].sort();
}

interface Further {
  readonly verb: string;
  readonly args: string | null;
  readonly response: string | null;
}

function furtherTypes(type: ModelType): readonly Further[] {
  return standardMethodsOf(type).flatMap(({ row, method }) => {
    const nameOf = (part: 'Arguments' | 'Response'): string | null =>
      hasFurther(part === 'Arguments' ? method.arguments : method.response)
        ? `wire${type.name}.${methodTypeName(type, row, part)}`
        : null;
    const args = nameOf('Arguments');
    const response = nameOf('Response');
    return args === null && response === null ? [] : [{ verb: row.verb, args, response }];
  });
}

/** A member's name as TypeScript has it. */
function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}
