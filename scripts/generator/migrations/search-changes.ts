import type { SearchIndexDefinition } from '../../../src/capability/definition.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Change } from './compose.js';
import { FORGET_ACCOUNT, postgresqlSearchSql, type SearchSql, sqliteSearchSql } from './search.js';
import type { SnapshotSearch } from './snapshot.js';

/** The parts of a migration that are about search indexes (search.ts says when each is needed). */
export interface SearchChanges {
  readonly before: readonly string[];
  readonly triggers: readonly string[];
  readonly after: readonly string[];
  /** PostgreSQL, for tables that exist: outside of a transaction. */
  readonly concurrent: readonly string[];
}

/**
 * Returns the SQL that changes search indexes. `rewritten`: tables that SQLite copies, which drops
 * their triggers.
 */
export function searchSql(
  { provider, model, snapshot, clean, left }: Change,
  rewritten: ReadonlySet<string>,
): SearchChanges {
  const old = searchedBefore(snapshot?.model?.capabilities ?? []);
  const sqlOf = provider === 'sqlite' ? sqliteSearchSql : postgresqlSearchSql;
  const before: string[] = [];
  const triggers: string[] = [];
  const after: string[] = [];
  const concurrent: string[] = [];
  // A table that stays for the previous version keeps its index, and takes it along when it goes.
  const kept = new Set(left.filter(({ whole }) => whole === true).map(({ table }) => table));
  let guarded = false;
  for (const { table, search } of typesIn(model)) {
    const was = old.get(table);
    if (search === undefined) continue;
    const now = sqlOf({ table, search });
    if (was !== undefined && same(was, search)) {
      kept.add(table);
      guarded = true;
      if (provider === 'sqlite' && was.hasPieces !== true) after.push(lines(now.takePieces));
      else if (rewritten.has(table)) triggers.push(lines(now.triggers));
      continue;
    }
    const exists = clean.some(({ name }) => name === table);
    if (provider === 'postgresql' && exists) {
      after.push(lines(now.create.filter((statement) => !isIndex(statement))));
      concurrent.push(...now.create.filter(isIndex).map(inConcurrence));
    } else after.push(lines(now.create), ...(exists ? [lines(now.fill)] : []));
  }
  if (guarded && rewritten.has('JmapAccount')) triggers.push(lines([FORGET_ACCOUNT]));
  for (const [table, search] of old)
    if (!kept.has(table)) before.push(lines(sqlOf({ table, search }).drop));
  return { before, triggers, after, concurrent };
}

export function searchChanged(change: Change): boolean {
  const { before, after } = searchSql(change, new Set());
  return before.length > 0 || after.length > 0;
}

function searchedBefore(
  capabilities: readonly {
    readonly types: readonly { readonly table: string; readonly search?: unknown }[];
  }[],
): ReadonlyMap<string, SnapshotSearch> {
  return new Map(
    capabilities
      .flatMap(({ types }) => types)
      .flatMap(({ table, search }) =>
        search === undefined ? [] : [[table, search as SnapshotSearch] as const],
      ),
  );
}

/** Returns whether two indexes are the same. The order of columns is nothing: names find them. */
function same(a: SearchIndexDefinition, b: SearchIndexDefinition): boolean {
  const columns = (search: SearchIndexDefinition) => [...search.columns].sort().join();
  return a.name === b.name && columns(a) === columns(b);
}

function isIndex(statement: string): boolean {
  return statement.startsWith('CREATE INDEX ');
}

function inConcurrence(statement: string): string {
  return statement.replace('CREATE INDEX ', 'CREATE INDEX CONCURRENTLY ');
}

function lines(statements: SearchSql['create']): string {
  return statements.map((statement) => `\n${statement}\n`).join('');
}
