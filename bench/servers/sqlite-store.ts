import type Database from 'better-sqlite3';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import type { Commits } from './commits.js';
import { fold, type ListQuery, type NewTodo, newId, type Store, type Todo } from './todos.js';

const TABLES = `
CREATE TABLE IF NOT EXISTS token (
  hash TEXT PRIMARY KEY, userId TEXT NOT NULL, expires INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS access (
  userId TEXT NOT NULL, accountId TEXT NOT NULL, readOnly INTEGER NOT NULL,
  PRIMARY KEY (userId, accountId)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (
  accountId TEXT NOT NULL, type TEXT NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY (accountId, type)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS change (
  accountId TEXT NOT NULL, type TEXT NOT NULL, number INTEGER NOT NULL,
  objectId TEXT NOT NULL, kind INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (accountId, type, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS todo (
  accountId TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, folded TEXT NOT NULL,
  done INTEGER NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
  PRIMARY KEY (accountId, id)
) WITHOUT ROWID;`;

type Row = [id: string, text: string, done: number, created: string, updated: string];

const CREATED = 0;
const UPDATED = 1;
const DESTROYED = 2;
const COLUMNS = 'id, text, done, created, updated';

/** By far the fastest way that better-sqlite3 has: arrays, made objects here. */
function toTodo([id, text, done, created, updated]: Row): Todo {
  return { id, text, done: done === 1, created, updated };
}

export function openStore(file: string, commits: (db: Database.Database) => Commits): Store {
  const db = new SqliteDatabase(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('cache_size = -32768');
  db.pragma('temp_store = MEMORY');
  db.exec(TABLES);
  const write = commits(db);

  const access = db
    .prepare<[string, number, string], number>(
      `SELECT readOnly FROM token JOIN access USING (userId)
       WHERE hash = ? AND (expires IS NULL OR expires > ?) AND accountId = ?`,
    )
    .pluck();
  const count = db
    .prepare<[string, number], number>(
      `INSERT INTO state VALUES (?, 'Todo', ?)
       ON CONFLICT DO UPDATE SET number = number + excluded.number RETURNING number`,
    )
    .pluck();
  const stateOf = db
    .prepare<[string], number>(`SELECT number FROM state WHERE accountId = ? AND type = 'Todo'`)
    .pluck();
  const record = db.prepare(`INSERT INTO change VALUES (?, 'Todo', ?, ?, ?, ?)`);
  const insert = db.prepare('INSERT INTO todo VALUES (?, ?, ?, ?, ?, ?, ?)');
  const change = db
    .prepare<unknown[], Row>(
      `UPDATE todo SET text = coalesce(?, text), folded = coalesce(?, folded),
       done = coalesce(?, done), updated = ? WHERE accountId = ? AND id = ? RETURNING ${COLUMNS}`,
    )
    .raw();
  const one = db
    .prepare<[string, string], Row>(`SELECT ${COLUMNS} FROM todo WHERE accountId = ? AND id = ?`)
    .raw();
  const many = db
    .prepare<[string, string], Row>(
      `SELECT ${COLUMNS} FROM todo
       WHERE accountId = ? AND id IN (SELECT value FROM json_each(?))`,
    )
    .raw();
  const records = db
    .prepare<[string, number, number], [number, string, number]>(
      `SELECT number, objectId, kind FROM change
       WHERE accountId = ? AND type = 'Todo' AND number > ? ORDER BY number LIMIT ?`,
    )
    .raw();
  const prepared = new Map<string, Database.Statement<unknown[], unknown[]>>();
  const statement = (sql: string): Database.Statement<unknown[], unknown[]> => {
    let known = prepared.get(sql);
    if (known === undefined) {
      known = db.prepare<unknown[], unknown[]>(sql).raw();
      prepared.set(sql, known);
    }
    return known;
  };

  const state = (accountId: string): number => stateOf.get(accountId) ?? 0;
  const getMany = (accountId: string, ids: readonly string[]): Todo[] =>
    many.all(accountId, JSON.stringify(ids)).map(toTodo);

  /** Ids with what became of them, and how far that reaches. */
  const net = (accountId: string, since: number, limit: number) => {
    const kinds = new Map<string, number>();
    let reached = since;
    for (const [number, id, kind] of records.all(accountId, since, limit)) {
      // An object that was created since then stays so, whatever was changed afterwards.
      if (!(kind === UPDATED && kinds.get(id) === CREATED)) kinds.set(id, kind);
      reached = number;
    }
    return { kinds, reached };
  };

  return {
    access(tokenHash, accountId) {
      const readOnly = access.get(tokenHash, Date.now(), accountId);
      return readOnly === undefined ? null : { readOnly: readOnly === 1 };
    },

    create: (accountId, wanted) =>
      write(() => {
        const now = Date.now();
        const time = new Date(now).toISOString();
        const last = count.get(accountId, wanted.length) ?? 0;
        let number = last - wanted.length;
        const todos = wanted.map(({ text, done = false }: NewTodo): Todo => {
          const id = newId(now);
          number += 1;
          insert.run(accountId, id, text, fold(text), done ? 1 : 0, time, time);
          record.run(accountId, number, id, CREATED, now);
          return { id, text, done, created: time, updated: time };
        });
        return { state: String(last), todos };
      }),

    update: (accountId, id, { text, done }) =>
      write(() => {
        const now = Date.now();
        const row = change.get(
          text ?? null,
          text === undefined ? null : fold(text),
          done === undefined ? null : Number(done),
          new Date(now).toISOString(),
          accountId,
          id,
        );
        if (row === undefined) return null;
        const number = count.get(accountId, 1) ?? 0;
        record.run(accountId, number, id, UPDATED, now);
        return { state: String(number), todo: toTodo(row) };
      }),

    get(accountId, id) {
      const row = one.get(accountId, id);
      return row === undefined ? null : toTodo(row);
    },

    getMany: (accountId, ids) => ({
      state: String(state(accountId)),
      todos: getMany(accountId, ids),
    }),

    list(accountId, query) {
      const { where, values, order } = conditions(accountId, query);
      const rows = statement(
        `SELECT ${COLUMNS} FROM todo WHERE ${where} ORDER BY ${order} LIMIT ?`,
      ).all(...values, query.limit ?? 100) as Row[];
      return { state: String(state(accountId)), todos: rows.map(toTodo) };
    },

    changes(accountId, since, limit) {
      const current = state(accountId);
      const { kinds, reached } = net(accountId, since, limit);
      const live: string[] = [];
      const destroyed: string[] = [];
      for (const [id, kind] of kinds) (kind === DESTROYED ? destroyed : live).push(id);
      return {
        state: String(reached),
        hasMore: reached < current,
        todos: getMany(accountId, live),
        destroyed,
      };
    },

    queryChanges(accountId, since, query) {
      const { kinds } = net(accountId, since, 10_000);
      const removed: string[] = [];
      const live: string[] = [];
      for (const [id, kind] of kinds) {
        if (kind !== CREATED) removed.push(id);
        if (kind !== DESTROYED) live.push(id);
      }
      const { where, values, order } = conditions(accountId, query);
      const rows =
        live.length === 0
          ? []
          : (statement(
              `SELECT id, n FROM (
                 SELECT id, row_number() OVER (ORDER BY ${order}) - 1 AS n FROM todo WHERE ${where}
               ) WHERE id IN (SELECT value FROM json_each(?)) ORDER BY n`,
            ).all(...values, JSON.stringify(live)) as [string, number][]);
      const added = rows.map(([id, index]) => ({ id, index }));
      return { state: String(state(accountId)), removed, added };
    },

    close: () => void db.close(),
  };
}

function conditions(accountId: string, { text, done, sort }: ListQuery) {
  let where = 'accountId = ?';
  const values: unknown[] = [accountId];
  // The values that are cheap to compare come first.
  if (done !== undefined) {
    where += ' AND done = ?';
    values.push(done ? 1 : 0);
  }
  if (text !== undefined) {
    where += ' AND instr(folded, ?) > 0';
    values.push(fold(text));
  }
  // Ids ascend with the time of creation.
  const order = sort === 'text' ? 'folded, id' : sort === '-created' ? 'id DESC' : 'id';
  return { where, values, order };
}

/** The token that the benchmark uses, and the accounts that it reaches. */
export function seed(file: string, hash: string, accounts: readonly string[]): void {
  const db = new SqliteDatabase(file);
  db.exec(TABLES);
  db.prepare('INSERT OR REPLACE INTO token VALUES (?, ?, NULL)').run(hash, 'bench');
  for (const account of accounts)
    db.prepare('INSERT OR REPLACE INTO access VALUES (?, ?, 0)').run('bench', account);
  db.close();
}
