import type { JSONSchema7 } from 'json-schema';
import type { PropertyDefinition } from '../../../src/capability/definition.js';
import type { EvolutionDefinition } from '../../../src/capability/evolution.js';
import { mapInner } from '../../../src/descriptor/model/inner-schemas.js';
import type {
  EmittedFiles,
  KeptProperty,
  Model,
  ModelCapability,
  ModelEvolution,
  ModelType,
} from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { digits } from '../evolve/resolve.js';
import { leastValue } from '../migrations/least-value.js';
import { Code } from './code.js';
import { GeneratedModule } from './generated-module.js';
import { JMAP } from './sources.js';
import { addWireTypes } from './wire-types.js';

/**
 * Returns the types that files of `evolve/` are written against: objects in front of a migration
 * and behind it. They stay the same when the model moves on.
 */
export async function emitEvolutions({ capabilities }: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of capabilities)
    for (const [migration, evolutions] of byMigration(capability)) {
      const path = `generated/${capability.name}/evolve-${digits(migration)}.ts`;
      const module = new GeneratedModule(path, evolutions[0]?.file ?? '');
      for (const evolution of evolutions) await addTypes(module, evolution);
      module.addInterface({
        name: 'Evolution',
        words: `The functions of ${evolutions[0]?.file} for the types of ${capability.name}.`,
        members: evolutions.map(({ type }) => ({
          name: type,
          type: `${module.type(JMAP, 'Convert')}<${type}Before, ${type}After>`,
        })),
      });
      files.set(path, module.toString());
    }
  return files;
}

function byMigration({
  evolutions = [],
}: ModelCapability): ReadonlyMap<number, readonly ModelEvolution[]> {
  const groups = new Map<number, ModelEvolution[]>();
  for (const one of evolutions)
    groups.set(one.migration, [...(groups.get(one.migration) ?? []), one]);
  return groups;
}

async function addTypes(module: GeneratedModule, evolution: ModelEvolution): Promise<void> {
  const { type, before, after, migration } = evolution;
  const required = before.filter(({ optional }) => optional !== true).map(({ name }) => name);
  await addWireTypes(module, [
    [`${type}Before`, objectOf(before, required, `A ${type} before migration ${migration}.`)],
    [`${type}After`, objectOf(after, [], `The properties that a conversion may change.`)],
  ]);
}

function objectOf(
  properties: readonly KeptProperty[],
  required: string[],
  description: string,
): JSONSchema7 {
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, inline(schema)])),
    required,
    additionalProperties: false,
  };
}

/** Returns a schema without titles: a shared definition may be another one by now. */
function inline({ title: _title, ...schema }: JSONSchema7): JSONSchema7 {
  return mapInner(schema, inline);
}

/** Returns the conversions as the capability's definition holds them; imports their files. */
export function evolutionsOf(
  module: GeneratedModule,
  { evolutions, types }: ModelCapability,
): unknown {
  return evolutions?.map((evolution) => {
    const { migration, file, type } = evolution;
    const as = `evolve${digits(migration)}`;
    const source = { from: `./${file.replace(/\.ts$/, '.js')}`, as };
    const convert = new Code(`${module.all(source)}.evolution.${type}`);
    return { ...evolutionValue(evolution, types), convert };
  });
}

/** Returns a conversion without its function. `types`: those of today. */
export function evolutionValue(
  { migration, file, table, before, after }: ModelEvolution,
  types: readonly ModelType[],
): Omit<EvolutionDefinition, 'convert'> {
  const old = new Set(before.map(({ column }) => column));
  const now = types.find((one) => one.table === table)?.properties ?? [];
  const targets = after.map(({ name, column, ...property }) => {
    // Clients see the default of today in objects that are not converted.
    const own = now.find((one) => one.column === column) ?? { name, column, ...property };
    const isNew = !old.has(column) && own.defaultNow !== true;
    return [name, isNew ? { column, initial: own.default ?? leastOf(own) } : { column }] as const;
  });
  const properties = before.map(definitionOf);
  return { migration, file, table, before: properties, after: Object.fromEntries(targets) };
}

function leastOf(property: KeptProperty): JsonValue {
  return property.nullable || property.optional === true ? null : leastValue(property);
}

/** Returns a property whose values a conversion gets. */
function definitionOf(property: KeptProperty): PropertyDefinition {
  const { name, column, kind, nullable, optional, role } = property;
  return {
    ...{ name, column, kind, nullable, required: false, access: 'internal', default: null },
    ...(optional === undefined ? {} : { optional }),
    ...(role === undefined ? {} : { role }),
  };
}
