import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataTypeDefinition, ReferenceDefinition } from '../../src/capability/definition.js';
import type { StoredObject } from '../../src/store/port.js';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import { type Fragment, render } from '../../src/store/sql/fragment.js';
import { deleteTo, oldestOf, pageAfter } from '../../src/store/sql/prune.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { fill, postgresqlRig, type Rig, sqliteRig } from '../scale/rig.js';
import { definition } from '../scale/thing.js';
import { usePostgresql } from '../support/postgresql.js';

/**
 * Tests by the databases' own word what calls read beside queries. Every statement of /get, /set,
 * /changes, references, cascades, circles, blobs and pruning looks into an index of the account,
 * and scans no table.
 */

const ROWS = 12_000;
/** Of links; of fewer PostgreSQL rather reads all than it looks for a hundred, which it expects. */
const LINKS = 60_000;
const A = 'aone';
const soon = () => ({ deadline: performance.now() + 20_000 });

const REFERENCE: ReferenceDefinition = {
  type: 'Thing',
  place: [],
  onDestroy: 'cascade',
  acyclic: true,
};

/** The same type; its code refers to another of its objects, and its title names a blob. */
const Linked: DataTypeDefinition = {
  ...definition,
  properties: definition.properties.map((property) =>
    property.name === 'code'
      ? { ...property, references: [REFERENCE] }
      : property.name === 'title'
        ? { ...property, blob: true }
        : property,
  ),
};

const thing = (id: string, code: string | null): StoredObject => {
  const dates = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
  return { id, ...dates, title: 'b1', code, rank: 1, weight: 1, due: null, size: 1 };
};

/** Rows of the engine's own tables, as many as there are objects. */
async function links(rig: Rig, numbers: string): Promise<void> {
  await rig.exec(`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType",
    "property", "fromId")
 SELECT '${A}', 'Thing', 'r' || (10000000 + n / 10), 'Thing', 'code', 'r' || (10000000 + n)
 FROM ${numbers}`);
  await rig.exec(`INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId",
    "created", "unreferencedSince")
 SELECT '${A}', 'b' || n, 'text/plain', 1, 'u', 1, CASE n % 10 WHEN 0 THEN n ELSE NULL END
 FROM ${numbers}`);
  await rig.exec(`INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
 SELECT '${A}', 'b' || n, 'Thing', 'r' || (10000000 + n) FROM ${numbers} WHERE n % 10 <> 0`);
}

/** Everything that the port can do but queries. */
async function everything({ store }: Rig): Promise<void> {
  const ids = ['r10000005', 'r10000006'];
  const reference = { toType: 'Thing', toId: 'r10000005', fromType: 'Thing', reference: 'code' };
  const blob = { blobId: 'b1', dataType: 'Thing', objectId: 'r10000001' };
  await store.read(A, soon(), async (snapshot) => {
    await snapshot.stateNumber(Linked);
    await snapshot.objectCount(Linked);
    await snapshot.get(Linked, ids, Linked.properties, 1e9);
    await snapshot.get(Linked, ids.slice(1), Linked.properties, 1e9);
    await snapshot.get(Linked, { first: 50 }, Linked.properties, 1e9);
    await snapshot.existing(Linked, ids);
    await snapshot.changes(Linked, 100, 100);
    const through = [{ type: 'Thing', reference: 'code' }];
    await snapshot.referrers([{ type: 'Thing', ids }], through, 100);
    await snapshot.ancestors(Linked, 'code', ids, 100);
    await snapshot.blobs(['b1', 'b2']);
    await snapshot.blobs(['b1', 'b2'], 'u');
    await snapshot.blobReferences(['b1', 'b2'], ['Thing']);
    await snapshot.links(Linked, ids);
    await snapshot.stale(Linked, [thing('r10000005', 'c5')]);
    const [unique] = Linked.uniques ?? [];
    if (unique !== undefined) await snapshot.holders(Linked, unique, [['c1', 1]]);
  });
  await store.write(A, soon(), async (transaction) => {
    await transaction.writeRows('insert', Linked, [thing('s1', null)]);
    await transaction.writeRows('update', Linked, [thing('s1', 'c1')]);
    await transaction.destroy(Linked, ['s1']);
    await transaction.record(Linked, [{ objectId: 's1', kind: 'created' }]);
    await transaction.insertBlobs([{ id: 'bnew', type: 'text/plain', size: 1, uploaderId: 'u' }]);
    const records = [{ ...reference, fromId: 's1' }];
    await transaction.changeReferences(records, records);
    await transaction.changeBlobReferences([blob], [blob]);
  });
  await store.collectBlobs(2, 10);
}

const LOG = { accountId: A, type: 'Thing', after: 100 };
/** Of upkeep: what goes by parts of the log. */
const PRUNING: readonly Fragment[] = [pageAfter(LOG), oldestOf(LOG, 500), deleteTo(LOG, 600)];

function plansOf(open: () => Promise<Rig>, engine: 'sqlite' | 'postgresql'): void {
  let rig: Rig;
  const dialect = engine === 'sqlite' ? sqlite : postgresql;

  beforeAll(async () => {
    rig = await open();
    await fill(rig, engine, { [A]: ROWS, atwo: ROWS });
    const from =
      engine === 'sqlite'
        ? `(WITH RECURSIVE "all"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "all"
          WHERE n < ${LINKS}) SELECT n FROM "all")`
        : `generate_series(1, ${LINKS}) AS "numbers"(n)`;
    await links(rig, from);
    if (engine === 'postgresql') await rig.exec('VACUUM ANALYZE');
  });
  afterAll(() => rig?.close());

  it('is a part of an index of the account, for every statement', async () => {
    rig.statements.length = 0;
    await everything(rig);
    const texts = new Set([
      ...rig.statements,
      ...PRUNING.map((fragment) => render(fragment, dialect.placeholder)),
    ]);
    expect(texts.size).toBeGreaterThan(20);
    for (const text of texts) {
      const lines = (await rig.plan(text)).split('\n');
      for (const line of lines)
        expect(line, `${text}\n${lines.join('\n')}`).not.toMatch(WRONG[engine]);
      // Blobs of all accounts, and the pairs of a page, come from indexes of their own.
      const across = /unreferencedSince" < |FROM "JmapState" AS "s"/.test(text);
      const reads = lines.filter((line) => READS[engine].test(line));
      if (across) continue;
      for (const line of reads) expect(line, text).toMatch(/accountId/);
    }
  });
}

/** Tables that grow; JmapAccount and JmapState have a row for each account, or a few. */
const WRONG = {
  sqlite: /^SCAN (?!.*VIRTUAL)(Thing|JmapChange|JmapReference|JmapBlob|JmapBlobReference|r|b)\b/,
  postgresql: /Seq Scan on "(Thing|JmapChange|JmapReference|JmapBlob|JmapBlobReference)"/,
};
const READS = {
  sqlite: /^SEARCH (Thing|Jmap\w+|r|b|s|c) USING/,
  postgresql: /Index Cond: /,
};

describe('a read of SQLite', () => plansOf(() => sqliteRig([Linked]), 'sqlite'));

describe('a read of PostgreSQL', () => {
  const server = usePostgresql();
  plansOf(
    async () => postgresqlRig(await server().createDatabase('calls'), [Linked]),
    'postgresql',
  );
});
