import type { BackfillStep } from '../../../src/database/migrations.js';
import type { Provider } from '../emit/prisma-datamodel.js';
import type { TypeEffect } from './effects.js';
import { section } from './shared-rows.js';
import { NOW, text } from './sql.js';

/**
 * A migration leaves tasks to the server's next start, as rows of JmapMeta, by table and column
 * (src/database/backfill-database.ts reads them):
 *
 * - `adopt:Todo` where objects may have undeclared values of names that are declared now
 * - `compute:Todo/place` for computed values: of a hook file, or counts and the like
 * - `normalize:Todo` where texts have another stored form from now on
 * - `follow:Todo` where the previous version may go on writing rows without their derived values,
 *   or without those that other objects have of them
 * - `reset:Todo` where it may go on giving clients states that the new version must refuse
 */

/**
 * Writes the notes for the types of a migration. `nullable`: tables in which the previous version
 * may still write null where there is none now.
 */
export function writeServerTasks(
  effects: readonly TypeEffect[],
  backfill: readonly BackfillStep[],
  nullable: readonly string[],
  provider: Provider,
): string {
  const filled = new Set([...backfill.map(({ table }) => table), ...nullable]);
  const notes = effects.flatMap((effect) => {
    const { type, seen, computed, references, blobs, reformed, isNewSource } = effect;
    const adopts = type.keepsUnknown === true && seen;
    const lists = [computed, references, reformed];
    const isConverted = type.converts === true;
    const derived =
      isConverted ||
      filled.has(type.table) ||
      adopts ||
      blobs ||
      isNewSource ||
      lists.some(({ length }) => length > 0);
    return [
      ...(adopts ? [[`adopt:${type.table}`, "''"] as const] : []),
      ...computed.map(({ column }) => [`compute:${type.table}/${column}`, "''"] as const),
      ...(reformed.length > 0 ? [[`normalize:${type.table}`, "''"] as const] : []),
      ...(derived ? [[`follow:${type.table}`, `CAST(${NOW[provider]} AS TEXT)`] as const] : []),
      ...(seen ? [[`reset:${type.table}`, "''"] as const] : []),
    ];
  });
  return section(
    'The tasks of the server at its next start.',
    notes.map(
      ([key, value]) =>
        `INSERT INTO "JmapMeta" ("key", "value") VALUES (${text(key)}, ${value}) ON CONFLICT DO ` +
        'NOTHING;',
    ),
  );
}

/** Removes the notes of types that are given up: nothing is left to do for them. */
export function removeServerTasks(tables: readonly string[]): string {
  return section(
    'Nothing is left to do for them.',
    tables.map((table) => {
      const kinds = ['adopt', 'follow', 'reset', 'normalize', 'rules'];
      const keys = kinds.map((kind) => text(`${kind}:${table}`)).join(', ');
      const prefixes = [`compute:${table}/`, `kept:${table}/`].map(
        (prefix) => ` OR substr("key", 1, ${prefix.length}) = ${text(prefix)}`,
      );
      return `DELETE FROM "JmapMeta" WHERE "key" IN (${keys})${prefixes.join('')};`;
    }),
  );
}
