import type { Provider, Table } from '../emit/prisma-datamodel.js';
import type { ModelProperty, ModelType } from '../model.js';
import type { TypeEffect } from './effects.js';
import { TYPE_COLUMNS } from './renames.js';
import { quoted, text } from './sql.js';

/** Statements that bring the engine's own tables in line with the types, on either database. */

/** References first: counts read them. */
export function effectsSql(effects: readonly TypeEffect[], provider: Provider): string {
  const statements = [
    ...effects.flatMap((effect) => referenceRows(effect, provider)),
    ...effects.filter(({ blobs }) => blobs).flatMap(({ type }) => blobRows(type)),
    ...(effects.some(({ blobs }) => blobs) ? blobAges(provider) : []),
    ...effects.flatMap(countRows),
  ];
  return section('What the engine keeps of the rows that exist.', statements);
}

/**
 * Old states of these types, and of no other, are answered with cannotCalculateChanges: a state
 * below the counter is answered from the record behind it, and there is none (see
 * src/accounts/reset-states.ts). A type without a change has no row yet, but clients have seen its
 * state "0".
 */
export function resetSql(types: readonly string[]): string {
  return section(
    'Clients would see other objects than they know: their old states are refused.',
    types.flatMap((type) => [
      `UPDATE "JmapState" SET "number" = "number" + 1 WHERE "type" = ${text(type)};`,
      `INSERT INTO "JmapState" ("accountId", "type", "number")
  SELECT "id", ${text(type)}, 1 FROM "JmapAccount" WHERE true ON CONFLICT DO NOTHING;`,
      `DELETE FROM "JmapChange" WHERE "type" = ${text(type)};`,
    ]),
  );
}

/** JmapState.objects came after the first release: what the types before it hold is counted. */
export function objectCountsSql(tables: readonly Table[]): string {
  return section(
    'How many objects there are.',
    tables
      .filter(({ name }) => !name.startsWith('Jmap'))
      .map(
        ({ name }) => `UPDATE "JmapState" SET "objects" = (
  SELECT count(*) FROM ${quoted(name)} AS "t" WHERE "t"."accountId" = "JmapState"."accountId"
) WHERE "type" = ${text(name)};`,
      ),
  );
}

/** The rows of types that are given up. */
export function removedTypesSql(
  types: readonly string[],
  tables: ReadonlySet<string>,
  provider: Provider,
): string {
  const statements = types.flatMap((type) =>
    TYPE_COLUMNS.filter(([table]) => tables.has(table)).map(
      ([table, column]) => `DELETE FROM ${quoted(table)} WHERE ${quoted(column)} = ${text(type)};`,
    ),
  );
  return section(
    'What the engine keeps of the types that are given up.',
    types.length === 0 ? [] : [...statements, ...blobAges(provider)],
  );
}

/** SQL under a line that says what it is for; nothing for nothing. */
export function section(title: string, statements: readonly string[]): string {
  return statements.length === 0 ? '' : `\n-- ${title}\n${statements.join('\n')}\n`;
}

function referenceRows(
  { type, references, formerReferences }: TypeEffect,
  provider: Provider,
): readonly string[] {
  const names = [...formerReferences, ...references.map(({ name }) => name)];
  return [
    ...names.map(
      (name) =>
        `DELETE FROM "JmapReference" WHERE "fromType" = ${text(type.name)} AND "property" = ${text(name)};`,
    ),
    ...references.map((property) => insertReferences(type, property, provider)),
  ];
}

function insertReferences(type: ModelType, property: ModelProperty, provider: Provider): string {
  const { reference, column, name } = property;
  if (reference === undefined) return '';
  const own = `"t".${quoted(column)}`;
  const [from, target] =
    reference.form === 'single' ? ['', own] : itemsOf(own, reference.form, provider);
  return `INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType", "property", "fromId")
  SELECT DISTINCT "t"."accountId", ${text(reference.type)}, ${target}, ${text(type.name)}, ${text(name)}, "t"."id"
  FROM ${quoted(type.table)} AS "t"${from} WHERE ${target} IS NOT NULL;`;
}

/** A list's items, or a set's keys: what is joined, and the id in it. */
function itemsOf(
  column: string,
  form: 'list' | 'set',
  provider: Provider,
): readonly [from: string, target: string] {
  if (provider === 'sqlite') {
    const part = form === 'list' ? 'value' : 'key';
    return [`, json_each(${column}) AS "item"`, `"item"."${part}"`];
  }
  const [reader, kind, empty] =
    form === 'list'
      ? ['jsonb_array_elements_text', 'array', '[]']
      : ['jsonb_object_keys', 'object', '{}'];
  const safe = `CASE jsonb_typeof(${column}) WHEN '${kind}' THEN ${column} ELSE '${empty}' END`;
  return [`, ${reader}(${safe}) AS "item"("id")`, '"item"."id"'];
}

function blobRows(type: ModelType): readonly string[] {
  return [
    `DELETE FROM "JmapBlobReference" WHERE "type" = ${text(type.name)};`,
    ...type.properties
      .filter(({ blob }) => blob)
      .map(
        ({ column }) => `INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
  SELECT "t"."accountId", "b"."id", ${text(type.name)}, "t"."id" FROM ${quoted(type.table)} AS "t"
  JOIN "JmapBlob" AS "b" ON "b"."accountId" = "t"."accountId" AND "b"."id" = "t".${quoted(column)}
  WHERE true ON CONFLICT DO NOTHING;`,
      ),
  ];
}

/** A blob that lost its last reference grows old from now on; one that has one doesn't. */
function blobAges(provider: Provider): readonly string[] {
  const now =
    provider === 'sqlite'
      ? `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
      : `CAST(extract(epoch FROM now()) * 1000 AS BIGINT)`;
  const held = `EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
  WHERE "r"."accountId" = "JmapBlob"."accountId" AND "r"."blobId" = "JmapBlob"."id")`;
  return [
    `UPDATE "JmapBlob" SET "unreferencedSince" = ${now}
  WHERE "unreferencedSince" IS NULL AND NOT ${held};`,
    `UPDATE "JmapBlob" SET "unreferencedSince" = NULL
  WHERE "unreferencedSince" IS NOT NULL AND ${held};`,
  ];
}

function countRows({ type, counts }: TypeEffect): readonly string[] {
  return counts.flatMap(({ column, computed }) =>
    computed?.kind !== 'count'
      ? []
      : [
          `UPDATE ${quoted(type.table)} SET ${quoted(column)} = (SELECT count(*) FROM "JmapReference" AS "r"
  WHERE "r"."accountId" = ${quoted(type.table)}."accountId" AND "r"."toType" = ${text(type.name)}
  AND "r"."toId" = ${quoted(type.table)}."id" AND "r"."fromType" = ${text(computed.type)}
  AND "r"."property" = ${text(computed.by)});`,
        ],
  );
}
