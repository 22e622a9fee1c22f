import type { Aggregate } from '../../capability/aggregates.js';
import type {
  DataTypeDefinition,
  PropertyDefinition,
  UniqueDefinition,
} from '../../capability/definition.js';
import { recordedReferencesOf } from '../../capability/named-references.js';
import { holdsBlobs } from '../../capability/places.js';
import type { JsonValue } from '../../protocol/json.js';
import type {
  BlobReference,
  BlobRow,
  BlobUse,
  BlobView,
  ChangeRecordAt,
  FilterNode,
  FirstOfGroup,
  GroupsOfPlan,
  KeptAnswer,
  ObjectIds,
  ObjectLinks,
  ObjectSelection,
  PlanShape,
  QueryPage,
  QueryPlan,
  QueryWindow,
  Ranked,
  ReferenceName,
  ReferenceRecord,
  Snapshot,
  StoredObject,
  ValuesById,
  WhichObjects,
} from '../port.js';
import { ownScopes } from './access-records.js';
import { AccessSnapshot } from './access-snapshot.js';
import { aggregateQuery, aggregateValues, type HeldValue, heldQuery } from './aggregate-queries.js';
import type { Dialect, SqlContext } from './dialect-port.js';
import type { WindowOf } from './engine-port.js';
import type { Fragment, SqlValue } from './fragment.js';
import {
  countQuery,
  countsQuery,
  countsRanks,
  fewQuery,
  keysOfQuery,
  rankQuery,
  ranksQuery,
  windowQuery,
} from './query-statements.js';
import { blobOf, changesOf, useOf } from './records.js';
import type { Row } from './row-codec.js';
import {
  descendantsQuery,
  firstsQuery,
  type ShapedPlan,
  shapedCount,
  shapedRanks,
  shapedWindow,
} from './shaped-queries.js';
import { mayBeStale, staleIds, storedQuery } from './stale.js';
import { type TableReader, textList } from './table-texts.js';
import { holdersQuery } from './unique-holders.js';
import { userValuesOf } from './user-value-rows.js';

/** Octets of existing objects that one call may have in memory at once. */
const WORKING_OCTETS = 100_000_000;

/**
 * Reads within one transaction of a connection. Each operation is one statement (`links`, `rank`,
 * `ranks`, `page`: at most two), begun before the call returns. A synchronous engine has run it by
 * then; the promise only carries the result. Callers use names, engines storage names
 * (storage-names.ts).
 */
export class SqlSnapshot<C extends TableReader> extends AccessSnapshot<C> implements Snapshot {
  async stateNumber(type: DataTypeDefinition): Promise<number> {
    this.check();
    return this.engine.state(this.scope, type.table);
  }

  async get(
    type: DataTypeDefinition,
    ids: WhichObjects,
    properties: readonly PropertyDefinition[],
    maxOctets = WORKING_OCTETS,
  ): Promise<readonly StoredObject[]> {
    this.check();
    const read = { type, properties, maxOctets };
    if ('first' in ids) return this.engine.firstObjects(this.scope, read, ids);
    return ids.length === 0 ? [] : this.engine.objects(this.scope, read, ids);
  }

  async changes(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly ChangeRecordAt[]> {
    this.check();
    const { accountId } = this.scope;
    const rows = await this.all('changes', accountId, type.table, since, limit);
    return changesOf(type, rows);
  }

  async userValues(
    type: DataTypeDefinition,
    userId: string,
    ids: readonly string[],
    maxOctets = WORKING_OCTETS,
  ): Promise<ValuesById> {
    if (ids.length === 0) return new Map();
    const place = [this.scope.accountId, type.table, userId, textList(ids)] as const;
    const rows = await this.all('userValues', ...place, maxOctets, ...place);
    return userValuesOf(type, rows, () => this.slices());
  }

  async valueOctets(
    type: DataTypeDefinition,
    ids?: readonly string[],
    userId?: string,
  ): Promise<number> {
    const place = [this.scope.accountId, type.table] as const;
    const [row] =
      ids === undefined
        ? await this.all('valueOctets', ...place)
        : userId === undefined
          ? await this.all('valueOctetsAt', ...place, textList(ids))
          : await this.all('valueOctetsOf', ...place, userId, textList(ids));
    return (row?.[0] as number | undefined) ?? 0;
  }

  async page(
    type: DataTypeDefinition,
    plan: QueryPlan,
    window: QueryWindow,
    selection: ObjectSelection | null,
  ): Promise<QueryPage> {
    const context = this.#contextOf(type);
    const few = fewQuery(context, plan);
    const [row] = few === null ? [] : await this.#query(few);
    // A Boolean on PostgreSQL.
    const leads = Number(row?.[0] ?? 0) === 1;
    const compose: WindowOf = (list) =>
      hasShape(plan)
        ? shapedWindow(context, plan, window, list)
        : windowQuery(context, plan, window, { list, leads });
    this.check();
    return this.engine.page(this.scope, { type, compose, limit: window.limit, selection });
  }

  #contextOf(type: DataTypeDefinition): SqlContext {
    return { type, accountId: this.scope.accountId, dialect: this.engine.dialect };
  }

  async count(type: DataTypeDefinition, filter: FilterNode, shape?: PlanShape): Promise<number> {
    const context = this.#contextOf(type);
    const query =
      shape === undefined
        ? countQuery(context, filter)
        : shapedCount(context, { filter, sort: [], shape });
    const [row] = await this.#query(query);
    return row?.[0] as number;
  }

  async rank(type: DataTypeDefinition, plan: QueryPlan, id: string): Promise<number | null> {
    const context = this.#contextOf(type);
    if (hasShape(plan)) return (await this.ranks(type, plan, [id]))[0]?.index ?? null;
    const [target] = await this.#query(keysOfQuery(context, plan, [id]));
    if (target === undefined) return null;
    const keys = keysOf(target, context.dialect);
    const [row] = await this.#query(rankQuery(context, plan, keys));
    return row?.[0] as number;
  }

  async ranks(
    type: DataTypeDefinition,
    plan: QueryPlan,
    ids: readonly string[],
    depth: number | null = null,
  ): Promise<readonly Ranked[]> {
    this.check();
    if (ids.length === 0) return [];
    const context = this.#contextOf(type);
    const isSimple = !hasShape(plan);
    if (isSimple && depth === null && countsRanks(plan, ids.length, context.dialect)) {
      return this.#countRanks(context, plan, ids);
    }
    const query = isSimple
      ? ranksQuery(context, plan, ids, depth)
      : shapedRanks(context, plan, ids, depth);
    const rows = await this.#query(query);
    return rows.map((row) => ({ id: idOf(row), index: row[1] as number }));
  }

  async firsts(
    type: DataTypeDefinition,
    plan: QueryPlan,
    groups: GroupsOfPlan,
  ): Promise<readonly FirstOfGroup[]> {
    this.check();
    if (groups.groups.length === 0) return [];
    const rows = await this.#query(firstsQuery(this.#contextOf(type), plan, groups));
    return rows.map((row) => ({ id: idOf(row), group: row[1] as string }));
  }

  async descendants(
    type: DataTypeDefinition,
    reference: string,
    ids: readonly string[],
    limit: number,
  ): Promise<readonly string[]> {
    this.check();
    if (ids.length === 0) return [];
    const { key } = this.names.reference(type.name, reference);
    const query = descendantsQuery(this.#contextOf(type), key, ids, limit + 1);
    return (await this.#query(query)).map(idOf);
  }

  async existing(type: DataTypeDefinition, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const objects = await this.get(type, ids, [], Number.POSITIVE_INFINITY);
    return new Set(objects.map(({ id }) => id));
  }

  async objectCount(type: DataTypeDefinition): Promise<number> {
    const [row] = await this.all('objectCount', this.scope.accountId, type.table);
    return (row?.[0] as number | undefined) ?? 0;
  }

  async holders(
    type: DataTypeDefinition,
    unique: UniqueDefinition,
    keys: readonly (readonly JsonValue[])[],
  ): Promise<readonly { readonly id: string; readonly key: readonly JsonValue[] }[]> {
    this.check();
    if (keys.length === 0) return [];
    const { decoders } = this.engine;
    const query = holdersQuery(this.#contextOf(type), unique, keys);
    const decode = unique.properties.map(({ kind }) => decoders[kind]);
    return (await this.#query(query)).map((row) => ({
      id: idOf(row),
      key: decode.map((each, index) => each(row[index + 1])),
    }));
  }

  async referrers(
    targets: readonly ObjectIds[],
    through: readonly ReferenceName[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]> {
    const nonEmptyTargets = targets.filter(({ ids }) => ids.length > 0);
    const { all, through: leading } = this.names.leading(nonEmptyTargets, through);
    return this.#referrers(nonEmptyTargets, { leading, all }, limit);
  }

  async followers(
    targets: readonly ObjectIds[],
    through: readonly ReferenceName[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]> {
    const nonEmptyTargets = targets.filter(({ ids }) => ids.length > 0);
    const { through: leading } = this.names.leading(nonEmptyTargets, through);
    return this.#referrers(nonEmptyTargets, { leading, all: leading }, limit);
  }

  /** `leading`: the references that lead on; `all`: those that are returned. */
  async #referrers(
    targets: readonly ObjectIds[],
    { leading, all }: { readonly leading: readonly unknown[]; readonly all: readonly unknown[] },
    limit: number,
  ): Promise<readonly ReferenceRecord[]> {
    this.check();
    if (all.length === 0) return [];
    const roots = targets.flatMap(({ type, ids }) => {
      const table = this.names.table(type);
      return ids.map((id) => [table, id]);
    });
    const { accountId } = this.scope;
    const closure = [JSON.stringify(roots), accountId, JSON.stringify(leading)];
    const shown = [accountId, JSON.stringify(all), limit + 1];
    return this.names.references(await this.all('referrers', ...closure, ...shown));
  }

  async ancestors(
    type: DataTypeDefinition,
    reference: string,
    ids: readonly string[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]> {
    this.check();
    if (ids.length === 0) return [];
    const { table, key } = this.names.reference(type.name, reference);
    const parameters = [this.scope.accountId, table, key];
    const list = JSON.stringify(ids);
    return this.names.references(
      await this.all('ancestors', list, ...parameters, ...parameters, limit + 1),
    );
  }

  async blobs(
    ids: readonly string[],
    viewer?: string,
    part: BlobView | null = null,
  ): Promise<readonly BlobRow[]> {
    this.check();
    if (ids.length === 0) return [];
    const parameters = [this.scope.accountId, textList(ids)];
    if (viewer === undefined) return (await this.all('blobs', ...parameters)).map(blobOf);
    if (part === null) return (await this.all('visibleBlobs', ...parameters, viewer)).map(blobOf);
    const lists = [part.tables, ownScopes(part)].map((list) => JSON.stringify(list));
    const seen = [viewer, ...lists, part.userId, part.userId, part.userId];
    return (await this.all('blobsOfView', ...parameters, ...seen)).map(blobOf);
  }

  async blobReferences(
    blobIds: readonly string[],
    dataTypes: readonly string[],
  ): Promise<readonly BlobReference[]> {
    this.check();
    if (blobIds.length === 0 || dataTypes.length === 0) return [];
    const lists = [textList(blobIds), this.#tables(dataTypes)];
    return this.names.blobReferences(
      await this.all('blobReferences', this.scope.accountId, ...lists),
    );
  }

  async blobUses(
    blobIds: readonly string[],
    dataTypes: readonly string[],
    limit: number,
  ): Promise<readonly BlobUse[]> {
    this.check();
    if (blobIds.length === 0) return [];
    const parameters = [this.#tables(dataTypes), limit, this.scope.accountId] as const;
    return (await this.all('blobUses', ...parameters, textList(blobIds))).map(useOf);
  }

  async blobOctets(dataTypes: readonly string[]): Promise<number> {
    const { accountId } = this.scope;
    const [row] = await this.all('blobOctets', accountId, this.#tables(dataTypes));
    return (row?.[0] as number | undefined) ?? 0;
  }

  async links(type: DataTypeDefinition, ids: readonly string[]): Promise<ObjectLinks> {
    this.check();
    if (ids.length === 0) return { references: [], blobs: [] };
    const { table, properties } = type;
    const linking = recordedReferencesOf(properties);
    const keys = JSON.stringify(linking.map(({ key }) => key));
    const list = JSON.stringify(ids);
    const parameters = [this.scope.accountId, table] as const;
    const [references, blobs] = await Promise.all([
      linking.length === 0 ? [] : this.all('ownReferences', ...parameters, keys, list),
      properties.some(holdsBlobs) ? this.all('ownBlobReferences', ...parameters, list) : [],
    ]);
    return {
      references: this.names.references(references),
      blobs: this.names.blobReferences(blobs),
    };
  }

  async keptAnswer(key: string, since: number): Promise<KeptAnswer | null> {
    const [row] = await this.all('keptAnswer', this.scope.accountId, key, since);
    return row === undefined ? null : { arguments: row[0] as string, answer: row[1] as string };
  }

  async aggregate(
    aggregate: Aggregate,
    ids: readonly string[],
    except: readonly string[] = [],
  ): Promise<ReadonlyMap<string, JsonValue>> {
    this.check();
    if (ids.length === 0) return new Map();
    const query = aggregateQuery(aggregate, this.#contextOf(aggregate.source), ids, except);
    return aggregateValues(aggregate, await this.#query(query), this.engine.decoders);
  }

  async heldByOthers(
    aggregate: Aggregate,
    values: readonly HeldValue[],
    except: readonly string[],
  ): Promise<ReadonlySet<number>> {
    this.check();
    if (values.length === 0) return new Set();
    const query = heldQuery(aggregate, this.#contextOf(aggregate.source), values, except);
    return new Set((await this.#query(query)).map(([at]) => Number(at)));
  }

  async stale(
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
  ): Promise<ReadonlySet<string>> {
    if (objects.length === 0 || !mayBeStale(type)) return new Set();
    const ids = objects.map(({ id }) => id);
    const query = storedQuery(this.#contextOf(type), ids);
    return staleIds(type, objects, await this.#query(query));
  }

  async #countRanks(
    context: SqlContext,
    plan: QueryPlan,
    ids: readonly string[],
  ): Promise<readonly Ranked[]> {
    const found = await this.#query(keysOfQuery(context, plan, ids));
    if (found.length === 0) return [];
    const keys = found.map((row) => keysOf(row, context.dialect));
    const [counts] = await this.#query(countsQuery(context, plan, keys));
    return found.map((row, index) => ({ id: idOf(row), index: counts?.[index] as number }));
  }

  /** Returns the tables of types as JSON. */
  #tables(dataTypes: readonly string[]): string {
    return JSON.stringify(dataTypes.map((name) => this.names.table(name)));
  }

  async #query(query: Fragment): Promise<readonly Row[]> {
    this.check();
    return this.scope.connection.query(query);
  }
}

function hasShape(plan: QueryPlan): plan is ShapedPlan {
  return plan.shape !== undefined;
}

/** Returns the keys of a row `[id, ...keys]`, to be compared with. */
function keysOf([, ...keys]: Row, dialect: Dialect): readonly SqlValue[] {
  return keys.map((key) => (typeof key === 'boolean' ? dialect.boolean(key) : (key as SqlValue)));
}

function idOf(row: Row): string {
  return row[0] as string;
}
