import type { DataTypeDefinition } from '../capability/definition.js';
import type { ConvertedProperty, EvolutionDefinition } from '../capability/evolution.js';
import { namedFailure } from '../methods/hook-errors.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';
import { HookBudget } from './budget.js';
import { convertedValue, objectGiven } from './judge.js';
import { readColumns } from './kept-changes.js';
import { nameHook } from './timed.js';

/** How long the conversions of one task may take, ms. */
export const CONVERTING = 60_000;

/** The type of kept objects, and its conversions. */
export interface KeptConversions {
  readonly type: DataTypeDefinition;
  /** Of all types, in the order of their migrations. */
  readonly evolutions: readonly EvolutionDefinition[];
  readonly accountId: string;
  /** HOOK_TIMEOUT, ms: of a function without a limit of its own. */
  readonly timeout: number;
  /** By `performance.now()`, of all conversions of the task. */
  readonly deadline: number;
}

type ConvertFunction = Extract<EvolutionDefinition['convert'], (...args: never[]) => unknown>;

/**
 * Converts the values of an object, by column, that a version has kept which knew migrations up to
 * `reached`: files of `evolve/` do the same with rows. Rejects if a function throws or gives what
 * the type can't have.
 */
export async function convertKept(
  values: JsonObject,
  reached: number,
  conversions: KeptConversions,
): Promise<JsonObject> {
  const { evolutions, type } = conversions;
  let converted = values;
  for (const evolution of evolutions) {
    if (evolution.table !== type.table || evolution.migration <= reached) continue;
    // A version that has the new columns may have deleted the file already.
    const { after } = evolution;
    const isAfter = ({ column, initial }: ConvertedProperty): boolean =>
      initial !== undefined && values[column] !== undefined;
    if (!Object.values(after).some(isAfter))
      converted = await convert(converted, evolution, conversions);
  }
  return converted;
}

async function convert(
  values: JsonObject,
  evolution: EvolutionDefinition,
  { type, accountId, timeout, deadline }: KeptConversions,
): Promise<JsonObject> {
  const what = `${type.name} of ${evolution.file}`;
  const hook = nameHook<ConvertFunction>(what, evolution.convert);
  const object = readColumns({ ...type, properties: evolution.before }, values) as never;
  const budget = new HookBudget(timeout, deadline);
  const { signal } = budget;
  const said = await budget
    .run(hook, async () => hook.run(object, { accountId, signal }))
    .catch((error: unknown) => {
      throw namedFailure(what, error);
    });
  const given = objectGiven(what, 'the object', said ?? {});
  const converted: Record<string, JsonValue> = { ...values };
  for (const [name, { column, initial }] of Object.entries(evolution.after)) {
    const value = given[name];
    const property = type.properties.find((one) => one.column === column);
    if (value !== undefined)
      converted[column] = property ? convertedValue(what, type, property, value) : value;
    else if (initial !== undefined) converted[column] ??= initial;
  }
  return converted;
}
