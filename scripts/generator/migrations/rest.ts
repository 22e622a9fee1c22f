import type { BackfillStep } from '../../../src/database/backfill.js';
import type { Provider } from '../emit/prisma-datamodel.js';
import type { TypeEffect } from './effects.js';
import type { TableRename } from './renames.js';
import { section } from './shared-rows.js';
import { text } from './sql.js';

/**
 * What a migration leaves to the server's next start, as rows of JmapMeta (src/database/rest.ts reads
 * them): `compute:Type/property` for values that a hook file computes, `follow:Type` where the version
 * before may go on writing rows without what is derived from them, `reset:Type` where it may go on
 * giving clients states that the new version must refuse.
 */
const KINDS = ['compute', 'follow', 'reset'] as const;

export function restSql(
  effects: readonly TypeEffect[],
  backfill: readonly BackfillStep[],
  provider: Provider,
): string {
  const filled = new Set(backfill.map(({ table }) => table));
  const notes = effects.flatMap((effect) => {
    const { type, seen, computed, counts, references, blobs } = effect;
    const derived =
      filled.has(type.table) || blobs || computed.length + counts.length + references.length > 0;
    return [
      ...computed.map(({ name }) => [`compute:${type.name}/${name}`, "''"] as const),
      ...(derived ? [[`follow:${type.name}`, now(provider)] as const] : []),
      ...(seen ? [[`reset:${type.name}`, "''"] as const] : []),
    ];
  });
  return section(
    'What the server does at its next start.',
    notes.map(
      ([key, value]) =>
        `INSERT INTO "JmapMeta" ("key", "value") VALUES (${text(key)}, ${value}) ON CONFLICT DO NOTHING;`,
    ),
  );
}

/** What an earlier migration has left of a type or property follows its new name. */
export function renamedRestSql(renames: readonly TableRename[]): string {
  const statements = renames.flatMap(({ from, to, columns }) => [
    ...(from === to
      ? []
      : KINDS.map((kind) =>
          kind === 'compute'
            ? `UPDATE "JmapMeta" SET "key" = ${text(`compute:${to}/`)} || substr("key", ${`compute:${from}/`.length + 1}) ` +
              `WHERE substr("key", 1, ${`compute:${from}/`.length}) = ${text(`compute:${from}/`)};`
            : rekey(`${kind}:${from}`, `${kind}:${to}`),
        )),
    ...columns
      .filter(({ computed }) => computed)
      .map((column) => rekey(`compute:${to}/${column.from}`, `compute:${to}/${column.to}`)),
  ]);
  return section('What is left to do follows the names.', statements);
}

/** Nothing is left to do for types that are given up. */
export function removedRestSql(types: readonly string[]): string {
  return section(
    'Nothing is left to do for them.',
    types.map((type) => {
      const keys = [text(`follow:${type}`), text(`reset:${type}`)].join(', ');
      const prefix = `compute:${type}/`;
      return `DELETE FROM "JmapMeta" WHERE "key" IN (${keys}) OR substr("key", 1, ${prefix.length}) = ${text(prefix)};`;
    }),
  );
}

function rekey(from: string, to: string): string {
  return `UPDATE "JmapMeta" SET "key" = ${text(to)} WHERE "key" = ${text(from)};`;
}

/** Milliseconds since 1970. */
function now(provider: Provider): string {
  return provider === 'sqlite'
    ? `CAST(CAST(unixepoch('subsec') * 1000 AS INTEGER) AS TEXT)`
    : `CAST(CAST(extract(epoch FROM now()) * 1000 AS BIGINT) AS TEXT)`;
}
