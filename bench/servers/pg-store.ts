import pg from 'pg';
import { remembered } from './remembered.js';
import { fold, type ListQuery, newId, type Store, type Todo } from './todos.js';

const TABLES = `
CREATE TABLE token (hash text PRIMARY KEY, user_id text NOT NULL, expires timestamptz);
CREATE TABLE access (
  user_id text, account_id text, read_only boolean NOT NULL, PRIMARY KEY (user_id, account_id)
);
CREATE TABLE state (
  account_id text COLLATE "C", type text COLLATE "C", number bigint NOT NULL,
  PRIMARY KEY (account_id, type)
);
CREATE TABLE change (
  account_id text COLLATE "C", type text COLLATE "C", number bigint, object_id text NOT NULL,
  kind smallint NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (account_id, type, number)
);
CREATE TABLE todo (
  account_id text COLLATE "C", id text COLLATE "C", text text NOT NULL,
  folded text COLLATE "C" NOT NULL, done boolean NOT NULL,
  created timestamptz NOT NULL, updated timestamptz NOT NULL, PRIMARY KEY (account_id, id)
);`;

/** Each write is one statement, and so one round trip and one commit. */
const CREATE = `
WITH counted AS (
  INSERT INTO state AS s VALUES ($1, 'Todo', $2)
  ON CONFLICT (account_id, type) DO UPDATE SET number = s.number + excluded.number
  RETURNING number
), given AS (
  SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::boolean[])
  WITH ORDINALITY AS given (id, text, folded, done, n)
), stored AS (
  INSERT INTO todo SELECT $1, id, text, folded, done, $7, $7 FROM given
), recorded AS (
  INSERT INTO change SELECT $1, 'Todo', number - $2 + n, id, 0, $7 FROM given, counted
)
SELECT number FROM counted`;

const UPDATE = `
WITH changed AS (
  UPDATE todo SET text = coalesce($3, text), folded = coalesce($4, folded),
    done = coalesce($5, done), updated = $6
  WHERE account_id = $1 AND id = $2 RETURNING id, text, done, created, updated
), counted AS (
  UPDATE state SET number = number + 1
  WHERE account_id = $1 AND type = 'Todo' AND EXISTS (SELECT FROM changed) RETURNING number
), recorded AS (
  INSERT INTO change SELECT $1, 'Todo', number, $2, 1, $6 FROM counted
)
SELECT changed.*, number AS state FROM changed, counted`;

const STATE = `state s WHERE s.account_id = $1 AND s.type = 'Todo'`;

const MANY = `
SELECT s.number AS state, t.id, t.text, t.done, t.created, t.updated
FROM state s LEFT JOIN todo t ON t.account_id = s.account_id AND t.id = ANY ($2::text[])
WHERE s.account_id = $1 AND s.type = 'Todo'`;

/** With each record its object as it is now. */
const CHANGES = `
SELECT (SELECT number FROM ${STATE}) AS state, r.number AS reached, r.object_id, r.kind,
  t.id, t.text, t.done, t.created, t.updated
FROM (
  SELECT number, object_id, kind FROM change
  WHERE account_id = $1 AND type = 'Todo' AND number > $2 ORDER BY number LIMIT $3
) r LEFT JOIN todo t ON t.account_id = $1 AND t.id = r.object_id ORDER BY r.number`;

interface StateRow {
  readonly state: string;
}

/** Columns of an object are null where nothing was found. */
interface Row extends StateRow {
  readonly id: string | null;
  readonly text: string;
  readonly done: boolean;
  readonly created: string;
  readonly updated: string;
}

interface ChangeRow extends Row {
  readonly reached: string;
  readonly object_id: string;
}

interface RankRow extends StateRow {
  readonly object_id: string | null;
  readonly was_created: boolean;
  readonly n: number | null;
}

function toTodo({ id, text, done, created, updated }: Row): Todo {
  return { id: id ?? '', text, done, created, updated };
}

/**
 * "2026-11-22 01:07:11.12+00" as "2026-11-22T01:07:11.120Z". pg would make a Date of it, which then
 * is made text again: two thirds of what an object costs.
 */
function isoOfUtc(time: string): string {
  const fraction = time.slice(20, -3).padEnd(3, '0');
  return `${time.slice(0, 10)}T${time.slice(11, 19)}.${fraction}Z`;
}

export async function openStore(
  connectionString: string,
  hash: string,
  accounts: readonly string[],
): Promise<Store> {
  pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, isoOfUtc);
  const pool = new pg.Pool({ connectionString, max: 16, options: '-c timezone=UTC' });
  await pool.query(TABLES);
  await pool.query(`INSERT INTO token VALUES ($1, 'bench', NULL)`, [hash]);
  for (const account of accounts)
    await pool.query(`INSERT INTO access VALUES ('bench', $1, false)`, [account]);

  // A name: the text is parsed and planned once for each connection.
  const query = async <R>(name: string, text: string, values: unknown[]): Promise<R[]> =>
    (await pool.query({ name, text, values })).rows as R[];

  const todosOf = (rows: readonly Row[]) => ({
    state: rows[0]?.state ?? '0',
    todos: rows.filter(({ id }) => id !== null).map(toTodo),
  });

  return {
    access: remembered(async (tokenHash, accountId) => {
      const [row] = await query<{ read_only: boolean }>(
        'access',
        `SELECT read_only FROM token JOIN access USING (user_id)
         WHERE hash = $1 AND (expires IS NULL OR expires > now()) AND account_id = $2`,
        [tokenHash, accountId],
      );
      return row === undefined ? null : { readOnly: row.read_only };
    }),

    async create(accountId, wanted) {
      const now = new Date();
      const time = now.toISOString();
      const todos = wanted.map(({ text, done = false }): Todo => {
        return { id: newId(now.getTime()), text, done, created: time, updated: time };
      });
      const [row] = await query<{ number: string }>('create', CREATE, [
        accountId,
        todos.length,
        todos.map(({ id }) => id),
        todos.map(({ text }) => text),
        todos.map(({ text }) => fold(text)),
        todos.map(({ done }) => done),
        now,
      ]);
      return { state: row?.number ?? '0', todos };
    },

    async update(accountId, id, { text, done }) {
      const [row] = await query<Row>('update', UPDATE, [
        ...[accountId, id, text ?? null, text === undefined ? null : fold(text)],
        ...[done ?? null, new Date()],
      ]);
      return row === undefined ? null : { state: row.state, todo: toTodo(row) };
    },

    async get(accountId, id) {
      const [row] = await query<Row>(
        'get',
        'SELECT id, text, done, created, updated FROM todo WHERE account_id = $1 AND id = $2',
        [accountId, id],
      );
      return row === undefined ? null : toTodo(row);
    },

    getMany: async (accountId, ids) => todosOf(await query<Row>('many', MANY, [accountId, ids])),

    async list(accountId, asked) {
      const { name, where, values, order } = conditions(accountId, asked);
      const rows = await query<Row>(
        `list ${name}`,
        `SELECT s.number AS state, t.* FROM state s LEFT JOIN LATERAL (
           SELECT id, text, done, created, updated FROM todo
           WHERE ${where} ORDER BY ${order} LIMIT $2
         ) t ON true WHERE s.account_id = $1 AND s.type = 'Todo'`,
        [accountId, asked.limit ?? 100, ...values],
      );
      return todosOf(rows);
    },

    async changes(accountId, since, limit) {
      const rows = await query<ChangeRow>('changes', CHANGES, [accountId, since, limit]);
      const last = rows.at(-1);
      const byId = new Map(rows.map((row) => [row.object_id, row]));
      const distinct = [...byId.values()];
      return {
        state: last?.reached ?? String(since),
        hasMore: last !== undefined && last.reached !== last.state,
        todos: distinct.filter(({ id }) => id !== null).map(toTodo),
        destroyed: distinct.filter(({ id }) => id === null).map((row) => row.object_id),
      };
    },

    async queryChanges(accountId, since, asked) {
      const { name, where, values, order } = conditions(accountId, asked);
      const rows = await query<RankRow>(
        `query-changes ${name}`,
        `SELECT s.number AS state, r.object_id, r.was_created, k.n FROM state s
         LEFT JOIN (
           SELECT object_id, bool_or(kind = 0) AS was_created FROM change
           WHERE account_id = $1 AND type = 'Todo' AND number > $2 GROUP BY object_id
         ) r ON true
         LEFT JOIN (
           SELECT id, (row_number() OVER (ORDER BY ${order}))::int - 1 AS n FROM todo WHERE ${where}
         ) k ON k.id = r.object_id
         WHERE s.account_id = $1 AND s.type = 'Todo' ORDER BY k.n`,
        [accountId, since, ...values],
      );
      const changed = rows.filter(({ object_id }) => object_id !== null);
      return {
        state: rows[0]?.state ?? '0',
        removed: changed.filter((row) => !row.was_created).map((row) => row.object_id ?? ''),
        added: changed.flatMap(({ object_id, n }) =>
          n === null ? [] : [{ id: object_id ?? '', index: n }],
        ),
      };
    },

    close: () => pool.end(),
  };
}

/** $1 is the account, $2 what the statement itself needs. */
function conditions(_accountId: string, { text, done, sort }: ListQuery) {
  let where = 'account_id = $1';
  const values: unknown[] = [];
  if (done !== undefined) {
    values.push(done);
    where += ` AND done = $${values.length + 2}`;
  }
  if (text !== undefined) {
    values.push(fold(text));
    where += ` AND strpos(folded, $${values.length + 2}) > 0`;
  }
  const order = sort === 'text' ? 'folded, id' : sort === '-created' ? 'id DESC' : 'id';
  return { name: `${done !== undefined} ${text !== undefined} ${order}`, where, values, order };
}
