import { isAggregate } from '../../../src/capability/aggregates.js';
import type {
  AggregateDefinition,
  ComputedDefinition,
} from '../../../src/capability/definition.js';
import { recordedReferencesOf } from '../../../src/capability/named-references.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { ReleasedType } from './lineage.js';

/** `key`: a column, or the key of a reference. */
export type Source = readonly [table: string, key: string];

/**
 * The columns that a property of the type is computed from. They are compared by table and column,
 * which a rename keeps.
 */
export type SourcesOf = (computed: ComputedDefinition, type: string) => readonly Source[];

export function sourcesOf(
  types: readonly Pick<ReleasedType, 'name' | 'table' | 'properties'>[],
): SourcesOf {
  const named = new Map(types.map((type) => [type.name, type]));
  const source = (type: string, property: string): Source => {
    const of = named.get(type);
    const column = of?.properties.find(({ name }) => name === property)?.column;
    return [of?.table ?? type, column ?? property];
  };
  return (computed, own) => {
    switch (computed.kind) {
      case 'from':
        return computed.properties.map((name) => source(own, name));
      case 'on':
        return computed.sources.map(({ type, property }) => source(type, property));
      default:
        return aggregateSources(computed, named.get(computed.type), source);
    }
  };
}

/** Returns the reference that an aggregate follows, then the other columns that it reads. */
function aggregateSources(
  { type, by, of, where = [] }: AggregateDefinition,
  counted: Pick<ReleasedType, 'table' | 'properties'> | undefined,
  source: (type: string, property: string) => Source,
): readonly Source[] {
  const references = recordedReferencesOf(counted?.properties ?? []);
  const reference = references.find(({ name }) => name === by);
  const [table, column] = source(type, by ?? '');
  return [
    ...(by === undefined ? [] : [[table, reference?.key ?? column] as const]),
    ...(of === undefined ? [] : [source(type, of)]),
    ...where.map(({ property }) => source(type, property)),
  ];
}

/** Returns how a property is computed, as canonical JSON that no rename changes. */
export function wayOf(computed: ComputedDefinition, sources: readonly Source[]): string {
  if (!isAggregate(computed)) return canonicalJson([computed.kind, ...sources]);
  const { by, of, where = [] } = computed;
  const values = where.map(({ property: _, ...condition }) => condition);
  // A count of all that refers to an object is as it was before there were other aggregates.
  const isPlain = computed.kind === 'count' && by !== undefined && of === undefined;
  const more =
    isPlain && where.length === 0 ? [] : [{ by: by !== undefined, of: of !== undefined, values }];
  return canonicalJson([computed.kind, ...sources, ...more] as JsonValue);
}
