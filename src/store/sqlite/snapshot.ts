import type { DataTypeDefinition } from '../../capability/definition.js';
import type { FilterNode, QueryPage, QueryPlan, QueryWindow, WantedObjects } from '../port.js';
import type { Dialect } from '../sql/dialect.js';
import type { Answer, Scope } from '../sql/engine.js';
import type { StorageNames } from '../sql/names.js';
import { fewQuery, windowQuery } from '../sql/query.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import { sqlite, sqliteBriefly } from './dialect.js';
import { reading } from './engine.js';
import { type Extent, type Extents, measureExtent } from './extents.js';
import { readPageIn, type SizedPage, type States } from './page.js';
import type { Reader } from './reader.js';

/** Reading within one transaction of a connection. */
export class SqliteSnapshot extends SqlSnapshot<Reader> {
  readonly #extents: Extents | null;
  /** States that were read in it, by table. */
  readonly #numbers = new Map<string, number>();

  /** `extents`, where it may scan: what is brief is composed so. */
  constructor(
    names: StorageNames,
    reader: Reader,
    accountId: string,
    extents: Extents | null = null,
  ) {
    super(reading, names, reader, accountId);
    this.#extents = extents;
  }

  override async page(
    type: DataTypeDefinition,
    plan: QueryPlan,
    window: QueryWindow,
    wanted: WantedObjects | null,
  ): Promise<QueryPage> {
    this.check();
    const extents = this.#extents;
    if (extents === null) return super.page(type, plan, window, wanted);
    const { accountId } = this.scope;
    const kept = window.position + window.limit;
    const states = extents.statesOf(accountId, type, plan, kept);
    const brief = states && (await readBriefPage(states, this.scope, type, plan, window, wanted));
    const page = brief ?? ((await super.page(type, plan, window, wanted)) as SizedPage);
    this.#numbers.set(type.table, page.number);
    const noted = extents.note(accountId, type, page);
    if (brief === null) extents.wanted(accountId, type, plan, kept);
    return noted;
  }

  override async count(type: DataTypeDefinition, filter: FilterNode): Promise<number> {
    const states = this.#extents?.statesOf(this.scope.accountId, type, { filter, sort: [] }, 0);
    if (states !== undefined && states !== null)
      this.#numbers.set(type.table, await this.stateNumber(type));
    return super.count(type, filter);
  }

  /** What the account holds, for scans that come. */
  measure(type: DataTypeDefinition): Promise<Extent> {
    this.check();
    return measureExtent(this.scope.connection, this.scope.accountId, type);
  }

  /** Only where the state is known is a scan known to be brief. */
  protected override dialectOf(type: DataTypeDefinition, plan: QueryPlan, kept: number): Dialect {
    const number = this.#numbers.get(type.table);
    if (number === undefined) return sqlite;
    const states = this.#extents?.statesOf(this.scope.accountId, type, plan, kept) ?? null;
    return states !== null && number >= states.from && number <= states.until
      ? sqliteBriefly
      : sqlite;
  }
}

/** A page that never asks for the time; null where it is none of a single statement, or not brief any more. */
export function readBriefPage(
  states: States,
  scope: Scope<Reader>,
  type: DataTypeDefinition,
  plan: QueryPlan,
  window: QueryWindow,
  wanted: WantedObjects | null,
): Answer<SizedPage | null> {
  const { accountId } = scope;
  if (fewQuery(type, accountId, plan, sqliteBriefly) !== null) return null;
  return readPageIn(
    states,
    scope,
    type,
    (list) => windowQuery(list, type, accountId, plan, window, sqliteBriefly),
    window.limit,
    wanted,
  );
}
