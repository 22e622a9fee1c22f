import type { JSONSchema7 } from 'json-schema';
import { mapInner } from '../../../src/descriptor/model/inner-schemas.js';
import type {
  EmittedFiles,
  KeptProperty,
  Model,
  ModelCapability,
  ModelEvolution,
} from '../../../src/descriptor/model.js';
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
    const { migration, file, type, table, before, after } = evolution;
    const number = digits(migration);
    const source = { from: `./${file.replace(/\.ts$/, '.js')}`, as: `evolve${number}` };
    const old = new Set(before.map(({ column }) => column));
    const now = types.find((one) => one.table === table)?.properties ?? [];
    return {
      migration,
      file,
      table,
      before: before.map(definitionOf),
      after: Object.fromEntries(
        after.map((property) => {
          const { name, column } = property;
          // The defaults of today: those that a client sees of what nobody has converted.
          const own = now.find((one) => one.column === column) ?? property;
          const initial = own.default ?? leastOf(own);
          return [name, old.has(column) ? { column } : { column, initial }];
        }),
      ),
      convert: new Code(`${module.all(source)}.evolution.${type}`),
    };
  });
}

function leastOf(property: KeptProperty): unknown {
  return property.nullable || property.optional === true ? null : leastValue(property);
}

/** Returns a property whose values a conversion gets. */
function definitionOf(property: KeptProperty): object {
  const { name, column, kind, nullable, optional, role } = property;
  const more = { optional, role, required: false, access: 'internal', default: null };
  return { name, column, kind, nullable, ...more };
}
