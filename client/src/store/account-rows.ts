import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Change as RowChange, Table } from '../persist/port.js';
import type { TypeTable } from '../schema/tables.js';
import { loseList, type ServerList } from './list-state.js';
import { type Alias, BLOB, type Change, type Coverage, type Replica } from './replica.js';

export interface AccountRowsOptions {
  readonly accountId: string;
  readonly tables: readonly TypeTable[];
  /** Returns what a copy of a type is good for: under another version it is read anew. */
  readonly versionOf: (table: TypeTable) => string;
}

/** The rows that a copy of an account has in a store, but those of its log. */
export class AccountRows {
  /** The keys of all rows of the account begin so. */
  readonly prefix: string;
  /** The key of the row that counts the commits of its tabs. */
  readonly stepKey: string;
  readonly #options: AccountRowsOptions;
  readonly #replica: Replica;
  readonly #versions = new Map<string, string>();
  readonly #aliases = new Set<string>();
  /** Types with a row of their own: by these a later client finds the account. */
  readonly #noted = new Set<string>();

  constructor(options: AccountRowsOptions, replica: Replica) {
    const { accountId, tables, versionOf } = options;
    this.#options = options;
    this.#replica = replica;
    this.prefix = `${accountId} `;
    this.stepKey = `step ${accountId}`;
    for (const table of tables) this.#versions.set(table.name, versionOf(table));
  }

  /** The types that this program knows. */
  get types(): readonly string[] {
    return [...this.#versions.keys()];
  }

  /** Returns whether this program knows a type. */
  knows(type: string): boolean {
    return this.#versions.has(type);
  }

  /** Returns the name of what a row is of. */
  nameOf(key: string): string {
    return key.slice(this.prefix.length);
  }

  /** Returns the types whose versions are others by now. */
  renew(): readonly string[] {
    const { tables, versionOf } = this.#options;
    const others = tables.filter(
      (table) => serverPart(this.#versions.get(table.name)) !== serverPart(versionOf(table)),
    );
    for (const table of others) this.#versions.set(table.name, versionOf(table));
    return others.map(({ name }) => name);
  }

  /** Returns the rows of a change that was made. */
  write({ objects, cursors, coverage, early, lists, aliases }: Change): RowChange[] {
    const rows: RowChange[] = [];
    for (const [type, ofType] of objects ?? []) {
      for (const [id, object] of ofType) rows.push(this.#row('objects', `${type} ${id}`, object));
    }
    for (const [key, alias] of aliases ?? []) rows.push(this.alias(key, alias));
    for (const [name, list] of lists ?? []) {
      rows.push(this.#row('lists', name, list as JsonValue));
    }
    const unknown = [...(objects?.keys() ?? [])].filter((type) => !this.#noted.has(type));
    const changed = [cursors?.keys() ?? [], coverage?.keys() ?? [], early?.keys() ?? [], unknown];
    for (const type of new Set(changed.flatMap((types) => [...types]))) {
      this.#noted.add(type);
      rows.push(this.#row('types', type, this.#stateOf(type)));
    }
    return rows;
  }

  alias(key: string, { type, id }: Alias): RowChange {
    this.#aliases.add(key);
    return this.#row('aliases', key, { type, id, at: Date.now() });
  }

  step(value?: number): RowChange {
    return { table: 'meta', key: this.stepKey, ...(value !== undefined && { value }) };
  }

  /** Returns the rows that take away what belongs to no object and to no list. */
  drop(): readonly RowChange[] {
    const { tables } = this.#options;
    return [
      ...[...this.#aliases].map((key) => this.#row('aliases', key)),
      ...tables.map(({ name }) => this.#row('types', name)),
      this.step(),
    ];
  }

  /** Returns the rows that take away what the account has, but its log. */
  empty(): readonly RowChange[] {
    const types = this.#options.tables.flatMap(({ name }) => [
      this.#row('types', name),
      ...Array.from(this.#replica.baseRows(name), ({ id }) => this.object(name, id)),
    ]);
    return [...types, ...Array.from(this.#replica.lists, ({ name }) => this.#row('lists', name))];
  }

  /**
   * Returns the change that rows of a store make. Other tabs tell what their copies of types are
   * good for. A tab that has read the store before goes on with what others have read since.
   */
  read(
    rows: readonly RowChange[],
    {
      areTold = false,
      hasRead = false,
    }: { readonly areTold?: boolean; readonly hasRead?: boolean },
  ): Change {
    const of = (table: Table): readonly RowChange[] => rows.filter((row) => row.table === table);
    const states = this.#readTypes(of('types'), areTold, hasRead);
    return {
      ...states,
      aliases: this.#readAliases(of('aliases')),
      objects: this.readObjects(of('objects')),
      lists: this.#readLists(of('lists'), areTold ? null : states.cursors),
    };
  }

  readObjects(rows: readonly RowChange[]): NonNullable<Change['objects']> {
    const objects = new Map(
      this.types.map((type) => [type, new Map<string, JsonObject | null>()] as const),
    );
    for (const { key, value: object } of rows) {
      const [type = '', id = ''] = this.nameOf(key).split(' ');
      objects.get(type)?.set(id, isJsonObject(object) ? object : null);
    }
    return objects;
  }

  /** Returns the row of an object, without its value. */
  object(type: string, id: string): RowChange {
    return this.#row('objects', `${type} ${id}`);
  }

  #readTypes(rows: readonly RowChange[], areTold: boolean, hasRead: boolean) {
    const cursors = new Map<string, string | null>();
    const coverage = new Map<string, Coverage>();
    const early = new Map<string, ReadonlySet<string>>();
    for (const { key, value: state } of rows) {
      const type = this.nameOf(key);
      if (!this.#versions.has(type)) continue;
      const { cursor, coverage: one, version, early: ids } = isJsonObject(state) ? state : {};
      early.set(type, new Set(ids as string[] | undefined));
      if (areTold && typeof version === 'string') this.#versions.set(type, version);
      const ours = this.#versions.get(type);
      const isOurs = hasRead ? serverPart(version) === serverPart(ours) : version === ours;
      cursors.set(type, isOurs && typeof cursor === 'string' ? cursor : null);
      // Lists that the server decides stay so, until it says how many objects there are now.
      if (one === 'known' || (isOurs && one === 'all')) coverage.set(type, one);
    }
    return { cursors, coverage, early };
  }

  /** A list of another version of its type shows what it has until it is there anew. */
  #readLists(
    rows: readonly RowChange[],
    cursors: ReadonlyMap<string, string | null> | null,
  ): NonNullable<Change['lists']> {
    const lists = new Map<string, ServerList | null>();
    for (const { key, value } of rows) {
      const list = value as unknown as ServerList | undefined;
      const isCurrent = cursors === null || typeof cursors.get(list?.type ?? '') === 'string';
      lists.set(
        this.nameOf(key),
        list === undefined || isCurrent ? (list ?? null) : loseList(list),
      );
    }
    return lists;
  }

  /** Objects of types that this program doesn't know have no key here. */
  #readAliases(rows: readonly RowChange[]): NonNullable<Change['aliases']> {
    const aliases = new Map<string, Alias>();
    for (const { key, value } of rows) {
      if (value === undefined) continue;
      const alias = value as unknown as Alias;
      this.#aliases.add(this.nameOf(key));
      if (alias.type === BLOB || this.#versions.has(alias.type))
        aliases.set(this.nameOf(key), alias);
    }
    return aliases;
  }

  #stateOf(type: string): JsonValue {
    const version = this.#versions.get(type) ?? '';
    const early = [...this.#replica.early(type)];
    return {
      cursor: this.#replica.cursor(type),
      coverage: this.#replica.coverage(type),
      version,
      ...(early.length > 0 && { early }),
    };
  }

  #row(table: RowChange['table'], key: string, value: JsonValue = null): RowChange {
    return { table, key: this.prefix + key, ...(value !== null && { value }) };
  }
}

/**
 * Returns the part of a version that is the server's. Tabs of several programs share a store: a
 * program reads types of its own form anew at its start, and goes on with what others read.
 */
function serverPart(version: JsonValue | undefined): string {
  const text = String(version);
  return text.slice(text.indexOf(' '));
}
