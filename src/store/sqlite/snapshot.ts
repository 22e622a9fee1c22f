import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryPage, QueryPlan, QueryWindow, WantedObjects } from '../port.js';
import type { Dialect } from '../sql/dialect.js';
import type { StorageNames } from '../sql/names.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import type { Sizes } from './brief.js';
import { sqlite } from './dialect.js';
import { reading } from './engine.js';
import type { SizedPage } from './page.js';
import type { Reader } from './reader.js';

/** Reading within one transaction of a connection. */
export class SqliteSnapshot extends SqlSnapshot<Reader> {
  readonly #sizes: Sizes | null;

  /** `sizes`, where it may scan: what is brief is composed so. */
  constructor(names: StorageNames, reader: Reader, accountId: string, sizes: Sizes | null = null) {
    super(reading, names, reader, accountId);
    this.#sizes = sizes;
  }

  override async page(
    type: DataTypeDefinition,
    plan: QueryPlan,
    window: QueryWindow,
    wanted: WantedObjects | null,
  ): Promise<QueryPage> {
    const page = (await super.page(type, plan, window, wanted)) as SizedPage;
    return this.#sizes?.note(this.scope.accountId, type.table, page) ?? page;
  }

  protected override dialectOf(type: DataTypeDefinition, plan: QueryPlan, kept: number): Dialect {
    return this.#sizes?.dialectOf(this.scope.accountId, type, plan, kept) ?? sqlite;
  }
}
