import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type { Expected } from '../../database/sqlite/writer.js';
import type { StoredObject } from '../port.js';
import type { Answer, ObjectScope, Scope } from '../sql/engine.js';
import { quote } from '../sql/fragment.js';
import { collector, type Row } from '../sql/objects.js';
import { readStateOfAccount } from './changes.js';
import type { Connection } from './connection.js';
import { idOf, isRow, rowInText, type TextRow } from './instant.js';
import { readerOf, readObjects } from './objects.js';

/** Objects that are read ahead at once. */
const MOST = 64;

/** What is known of an account: by table, and of objects by id. */
interface Known {
  readonly states: Map<string, number>;
  readonly rows: Map<string, Map<string, Row>>;
}

/** What the writer tells of the group whose works run. */
export interface Group {
  /** Another one for each transaction and after each work that is undone; null where none runs. */
  readonly group: object | null;
  /** What the works that wait will read first. */
  expected(accountId: string): Iterable<Expected>;
}

/**
 * What works that share a transaction have read and written of states, and the objects that those behind
 * them will read, read with the first one's: they have the lock, so nobody else changes it meanwhile.
 */
export class GroupReads {
  readonly #writer: Group;
  #group: object | null = null;
  readonly #accounts = new Map<string, Known>();

  constructor(writer: Group) {
    this.#writer = writer;
  }

  /** Null where the connection is not a group's. */
  of(accountId: string): Known | null {
    const { group } = this.#writer;
    if (group !== this.#group) {
      this.#accounts.clear();
      this.#group = group;
    }
    if (group === null) return null;
    let known = this.#accounts.get(accountId);
    if (known === undefined) {
      known = { states: new Map(), rows: new Map() };
      this.#accounts.set(accountId, known);
    }
    return known;
  }

  /** Ids of a table that the works behind will read, these not among them. */
  expected(accountId: string, table: string, own: readonly string[]): readonly string[] {
    const ids = new Set<string>();
    for (const expected of this.#writer.expected(accountId)) {
      if (expected.table !== table || ids.size + expected.ids.length > MOST) continue;
      for (const id of expected.ids) ids.add(id);
    }
    for (const id of own) ids.delete(id);
    return [...ids];
  }

  /** Something else has written. */
  forget(): void {
    this.#accounts.clear();
  }
}

/** At most one statement. */
export function readStateInGroup(scope: Scope<Connection>, table: string): number {
  const known = scope.connection.group?.of(scope.accountId);
  let state = known?.states.get(table);
  if (state === undefined) {
    state = readStateOfAccount(scope, table);
    known?.states.set(table, state);
  }
  return state;
}

/** At most one statement, but where an object that others wait for is none or too large: then two. */
export function readObjectsInGroup(
  scope: ObjectScope<Connection>,
  type: DataTypeDefinition,
  ids: readonly string[],
  properties: readonly PropertyDefinition[],
  maxOctets: number,
): Answer<readonly StoredObject[]> {
  const known =
    properties === type.properties ? scope.connection.group?.of(scope.accountId) : undefined;
  if (known === undefined || known === null) {
    return readObjects(scope, type, ids, properties, maxOctets);
  }
  const rows = known.rows.get(type.table) ?? readAhead(scope, type, ids);
  known.rows.set(type.table, rows);
  const found = ids.map((id) => rows.get(id));
  if (!found.every((row) => row !== undefined)) {
    return readObjects(scope, type, ids, properties, maxOctets);
  }
  const collected = collector(readerOf(type, properties), maxOctets, scope.slices());
  for (const row of found) collected.take(row);
  return collected.objects();
}

const statements = new WeakMap<DataTypeDefinition, string | null>();

/** Once for each group and table: these objects, and what those behind will read. */
function readAhead(
  { connection, accountId }: Scope<Connection>,
  type: DataTypeDefinition,
  own: readonly string[],
): Map<string, Row> {
  const rows = new Map<string, Row>();
  let statement = statements.get(type);
  if (statement === undefined) {
    const row = rowInText(type, type.properties, MOST);
    statement =
      row === null
        ? null
        : `SELECT json_group_array(${row}) FROM ${quote(type.table)}
 WHERE "accountId" = ? AND "id" IN (SELECT value FROM json_each(?))`;
    statements.set(type, statement);
  }
  if (statement === null || own.length > MOST) return rows;
  const others = connection.group?.expected(accountId, type.table, own) ?? [];
  if (others.length === 0) return rows;
  const [text] = connection.one(statement, accountId, JSON.stringify([...own, ...others]));
  for (const row of JSON.parse(text as string) as readonly TextRow[]) {
    if (isRow(row)) rows.set(idOf(row), row);
  }
  return rows;
}

/** Before objects are written. */
export function forgetObjects(
  { connection, accountId }: Scope<Connection>,
  { table }: DataTypeDefinition,
  ids: Iterable<string>,
): void {
  const rows = connection.group?.of(accountId)?.rows.get(table);
  if (rows === undefined || rows.size === 0) return;
  for (const id of ids) rows.delete(id);
}
