import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelCapability } from '../../../src/descriptor/model.js';
import { type OwnMethod, ownMethodsByName } from './client-methods.js';
import { CLIENT, clientSource, moduleNameOf } from './client-source.js';
import { groupValue, tableName } from './client-table.js';
import { Code } from './code.js';
import { deprecatedWords, type GeneratedModule, type Member } from './generated-module.js';

/** Adds what an application imports: all types, `schema`, and `connect`. */
export function addIndex(
  index: GeneratedModule,
  model: Model,
  modules: ReadonlyMap<string, GeneratedModule>,
): void {
  const project = projectName(model);
  const all = index.value(CLIENT, 'connect');
  index.addInterface({
    name: 'Methods',
    words: 'The methods of each type, and of groups of methods, by their names.',
    typeParameters: [`M extends ${index.type(CLIENT, 'Mode')}`],
    members: methodMembers(index, model),
  });
  index.addInterface({
    name: project,
    words: 'The types of the project where a method is called alone, and within a batch.',
    members: ['alone', 'batch'].map((mode) => ({ name: mode, type: `Methods<'${mode}'>` })),
  });
  index.addConstant({
    name: 'schema',
    type: `${index.type(CLIENT, 'Schema')}<${project}>`,
    value: {
      types: typesIn(model).map(
        ({ name }) => new Code(index.value(clientSource(moduleNameOf(name)), tableName(name))),
      ),
      groups: listGroups(model).map(({ name, capability, own }) =>
        groupValue(name, capability.urn, own),
      ),
    },
    words: 'The tables by which a client that runs knows the project.',
  });
  index.addFunction({
    name: 'connect',
    words: 'Connects to a server with the types of this project.',
    typeParameters: [`Options extends ${index.type(CLIENT, 'ConnectOptions')}`],
    parameters: [{ name: 'options', type: 'Options' }],
    returns: `Promise<${index.type(CLIENT, 'ClientOf')}<${project}, Options>>`,
    body: `return ${all}(schema, options);`,
  });
  addExports(index, modules);
}

/** Returns the name of the type of the project; a type of the project may be called so itself. */
function projectName(model: Model): string {
  return typesIn(model).some(({ name }) => name === 'Project') ? 'JmapProject' : 'Project';
}

/** Returns a member for each type that has methods, and for each group that is no type. */
function methodMembers(index: GeneratedModule, model: Model): readonly Member[] {
  const own = ownMethodsByName(model);
  const types = typesIn(model);
  const named = new Set(types.map(({ name }) => name));
  const member = (name: string, words: string): Member => ({
    name,
    type: `${index.type(clientSource(moduleNameOf(name)), `${name}Methods`)}<M>`,
    words,
  });
  return [
    ...types
      .filter(({ name, methods }) => methods.length > 0 || own.has(name))
      .map(({ name, description, deprecated }) =>
        member(name, deprecatedWords(description, deprecated)),
      ),
    ...[...own.keys()].filter((name) => !named.has(name)).map((name) => member(name, '')),
  ];
}

/** Methods of one capability that are of none of its types. */
interface Group {
  readonly name: string;
  readonly capability: ModelCapability;
  readonly own: readonly OwnMethod[];
}

function listGroups(model: Model): readonly Group[] {
  return [...ownMethodsByName(model)].flatMap(([name, all]) =>
    model.capabilities.flatMap((capability) => {
      if (capability.types.some((type) => type.name === name)) return [];
      const own = all.filter((each) => each.capability === capability);
      return own.length === 0 ? [] : [{ name, capability, own }];
    }),
  );
}

/**
 * Exports the types of all modules. Where two modules have a type of one name, the module that is
 * called so has it; the others have it under the names of both.
 */
function addExports(index: GeneratedModule, modules: ReadonlyMap<string, GeneratedModule>): void {
  const own = new Set(index.exportedTypes);
  const count = new Map<string, number>();
  for (const { exportedTypes } of modules.values())
    for (const name of exportedTypes) count.set(name, (count.get(name) ?? 0) + 1);
  const isFree = (name: string): boolean => count.get(name) === 1 && !own.has(name);
  const exports = [...modules].map(([file, { exportedTypes }]) => {
    const names = exportedTypes.map((name) => {
      const isMain = moduleNameOf(name) === file && !own.has(name);
      return [name, isFree(name) || isMain ? name : `${stemOfModule(file)}${name}`] as const;
    });
    const isPlain = names.every(([name, alias]) => name === alias);
    return { source: clientSource(file), ...(isPlain ? {} : { names: new Map(names) }) };
  });
  index.addExports(exports);
}

/** Returns `Contacts` of the module contacts.definitions. */
function stemOfModule(file: string): string {
  const [first = ''] = file.split('.');
  return first.replace(/(?:^|-)([a-zA-Z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
