import type { ComputedDefinition } from '../../../src/capability/definition.js';
import type { Table } from '../emit/prisma-datamodel.js';
import { canonicalJson } from '../model/hash.js';
import type { Model, ModelProperty, ModelType } from '../model.js';
import type { Snapshot } from './history.js';
import { isShadow } from './refusals.js';
import type { TableRename } from './renames.js';

/** A property of the released state, as far as it is known; under its new name. */
interface Before {
  readonly visible: boolean;
  readonly kind?: string;
  readonly reference?: string;
  /** Undefined: unknown. */
  readonly blob?: boolean;
  /** How it is computed, as canonical JSON. */
  readonly computed?: string;
}

/** A type that the released state has, compared with what it is now. */
export interface TypeEffect {
  readonly type: ModelType;
  /** Clients would see other objects than they know. */
  readonly seen: boolean;
  /** Reference properties whose rows in JmapReference must be made anew. */
  readonly references: readonly ModelProperty[];
  /** Names of properties that were references. */
  readonly formerReferences: readonly string[];
  /** Its rows in JmapBlobReference must be made anew. */
  readonly blobs: boolean;
  /** Computed counts that are new, or count something else now. */
  readonly counts: readonly ModelProperty[];
  /** Properties that a hook file computes which are new, or are computed from something else now. */
  readonly computed: readonly ModelProperty[];
}

/**
 * What changes in types that exist, beside their tables. `altered`: column names by table whose
 * values this migration drops or fills.
 */
export function effectsOf(
  snapshot: Snapshot,
  renames: readonly TableRename[],
  model: Model,
  altered: ReadonlyMap<string, ReadonlySet<string>>,
): readonly TypeEffect[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return types.flatMap((type) => {
    const rename = renames.find(({ to }) => to === type.table);
    const oldName = rename?.from ?? type.table;
    const table = snapshot.tables.find(({ name }) => name === oldName);
    if (table === undefined) return [];
    const before = propertiesBefore(snapshot, table, renames, rename);
    const effect = compare(type, before, altered.get(type.table) ?? new Set());
    const renamed = (rename?.columns ?? []).some(({ to }) => before.get(to)?.visible);
    return [renamed ? { ...effect, seen: true } : effect];
  });
}

function propertiesBefore(
  snapshot: Snapshot,
  table: Table,
  renames: readonly TableRename[],
  rename: TableRename | undefined,
): ReadonlyMap<string, Before> {
  const named = (name: string) => rename?.columns.find(({ from }) => from === name)?.to ?? name;
  const known = snapshot.model?.capabilities
    .flatMap(({ types }) => types)
    .find((type) => type.table === table.name);
  if (known === undefined) {
    // Of a migration before there were snapshots: columns alone, and there were no references.
    const own = table.columns.filter(({ name }) => name !== 'accountId' && !isShadow(name, table));
    return new Map(own.map(({ name }) => [named(name), { visible: true }]));
  }
  const typeNamed = (name: string) => renames.find(({ from }) => from === name)?.to ?? name;
  return new Map(
    known.properties.map(({ column, kind, access, blob, reference, computed }) => [
      named(column),
      {
        visible: isVisible(access),
        kind,
        blob,
        ...(computed === undefined
          ? {}
          : { computed: canonicalJson(underNewNames(computed, table.name, renames)) }),
        ...(reference === undefined
          ? {}
          : { reference: `${reference.form} ${typeNamed(reference.type)}` }),
      },
    ]),
  );
}

function compare(
  type: ModelType,
  before: ReadonlyMap<string, Before>,
  altered: ReadonlySet<string>,
): TypeEffect {
  const now = new Map(type.properties.map((property) => [property.column, property]));
  const recomputed = ({ column, computed }: ModelProperty): boolean =>
    computed !== undefined &&
    (altered.has(column) || before.get(column)?.computed !== canonicalJson(computed));
  const gone = [...before].filter(([name]) => !now.has(name));
  const changed = type.properties.filter((property) => {
    const old = before.get(property.column);
    if (old === undefined || altered.has(property.column) || recomputed(property))
      return isVisible(property.access);
    return (
      old.visible !== isVisible(property.access) ||
      (old.kind !== undefined && old.kind !== property.kind)
    );
  });
  return {
    type,
    seen: changed.length > 0 || gone.some(([, { visible }]) => visible),
    references: type.properties.filter(({ column, reference }) => {
      const old = before.get(column);
      if (reference === undefined || old === undefined) return false;
      return old.reference !== `${reference.form} ${reference.type}` || altered.has(column);
    }),
    formerReferences: [...before]
      .filter(([name, { reference }]) => reference !== undefined && !now.get(name)?.reference)
      .map(([name]) => name),
    blobs:
      gone.some(([, { blob }]) => blob === true) ||
      type.properties.some(({ column, blob }) => {
        const old = before.get(column);
        return old?.blob !== undefined && (old.blob !== blob || (blob && altered.has(column)));
      }),
    counts: type.properties.filter(
      (property) => property.computed?.kind === 'count' && recomputed(property),
    ),
    computed: type.properties.filter(
      (property) => property.computed?.kind !== 'count' && recomputed(property),
    ),
  };
}

/** What has another name now. */
export interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly { readonly from: string; readonly to: string }[];
}

/** The released way of computing a property of the type `own`, by the names that things have now. */
export function underNewNames(
  computed: ComputedDefinition,
  own: string,
  renames: readonly Renamed[],
): ComputedDefinition {
  const of = (table: string) => renames.find(({ from }) => from === table);
  const property = (table: string, name: string) =>
    of(table)?.columns.find(({ from }) => from === name)?.to ?? name;
  const type = (name: string) => of(name)?.to ?? name;
  switch (computed.kind) {
    case 'from': {
      const properties = computed.properties.map((name) => property(own, name));
      return { kind: 'from', properties };
    }
    case 'count': {
      const by = property(computed.type, computed.by);
      return { kind: 'count', type: type(computed.type), by };
    }
    case 'on': {
      const sources = computed.sources.map((source) => ({
        type: type(source.type),
        property: property(source.type, source.property),
      }));
      return { kind: 'on', sources };
    }
  }
}

function isVisible(access: ModelProperty['access']): boolean {
  return access !== 'internal' && access !== 'secret';
}
