import type { Reference } from '../../../src/capability/named-references.js';
import { rulesKey, scopesOfTable } from '../../../src/capability/scopes.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { Provider, Table } from '../emit/prisma-datamodel.js';
import type { TypeEffect } from './effects.js';
import type { Leftover } from './snapshot.js';
import { NOW, quoted, text } from './sql.js';
import { type PlaceInColumn, textsIn } from './texts-in.js';

/** Statements that bring the engine's own tables in line with the types, on either database. */

/** Longer text is no id (RFC 8620 1.2), and may have no room in the key's index. */
const MAX_ID = 255;

/** Where they know a type: by its table. */
const TYPE_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['JmapState', 'type'],
  ['JmapChange', 'type'],
  ['JmapScope', 'type'],
  ['JmapUserValue', 'type'],
  ['JmapBlobReference', 'type'],
  ['JmapReference', 'fromType'],
  ['JmapReference', 'toType'],
];

/** The columns that hold blobs for the previous version, and for it alone. */
type Held = (type: ModelType) => readonly PlaceInColumn[];

/** Returns the SQL that makes records about existing rows anew. */
export function effectsSql(
  effects: readonly TypeEffect[],
  model: Model,
  held: Held,
  provider: Provider,
): string {
  const tableOf = tablesByName(model);
  const statements = [
    ...effects.flatMap((effect) => referenceRows(effect, tableOf, provider)),
    ...effects.filter(({ blobs }) => blobs).flatMap(({ type }) => blobRows(type, held, provider)),
    ...(effects.some(({ blobs }) => blobs) ? blobAges(provider) : []),
  ];
  return section('Rows of the engine about the rows that exist.', statements);
}

/**
 * Returns the SQL after which old states of the types in these tables, and of no other, are
 * answered with cannotCalculateChanges. A state below the counter is answered from the record
 * behind it, and there is none (`requireUnbroken` in src/methods/states.ts). A type without a
 * change has no row yet, but clients have seen its state "0".
 */
export function resetSql(tables: readonly string[]): string {
  return section(
    'Clients would see other objects than they know: their old states are refused.',
    tables.flatMap((type) => [
      `UPDATE "JmapState" SET "number" = "number" + 1 WHERE "type" = ${text(type)};`,
      `INSERT INTO "JmapState" ("accountId", "type", "number")
  SELECT "id", ${text(type)}, 1 FROM "JmapAccount" WHERE true ON CONFLICT DO NOTHING;`,
      `DELETE FROM "JmapChange" WHERE "type" = ${text(type)};`,
    ]),
  );
}

/** The number behind every one that an account has seen. */
const NEXT_NUMBER = 'max("number") + 1';

/**
 * Returns the SQL for types with names that others had: they begin behind every number that the
 * account has seen. The counters of types that are given up stay for that.
 */
export function reusedNamesSql(tables: readonly string[]): string {
  return section(
    'Clients may hold states of other types that had these names: they are refused.',
    tables.flatMap((type) => [
      `INSERT INTO "JmapState" ("accountId", "type", "number")
  SELECT "accountId", ${text(type)}, ${NEXT_NUMBER} FROM "JmapState" WHERE true GROUP BY "accountId"
  ON CONFLICT ("accountId", "type") DO UPDATE SET "number" = excluded."number";`,
      `DELETE FROM "JmapChange" WHERE "type" = ${text(type)};`,
    ]),
  );
}

/**
 * Returns the SQL that counts the objects of types from before JmapState.objects, which came after
 * the first release.
 */
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

/**
 * Returns the SQL that removes records of types whose tables go. Their counters stay, at 0 objects.
 */
export function removedTypesSql(
  types: readonly string[],
  tables: ReadonlySet<string>,
  provider: Provider,
): string {
  const statements = types.flatMap((type) => [
    ...TYPE_COLUMNS.filter(([table]) => tables.has(table)).map(([table, column]) =>
      table === 'JmapState'
        ? `UPDATE "JmapState" SET "objects" = 0 WHERE "type" = ${text(type)};`
        : `DELETE FROM ${quoted(table)} WHERE ${quoted(column)} = ${text(type)};`,
    ),
    ...(tables.has('JmapGrant') ? [deleteGrants(type)] : []),
    ...(tables.has('JmapScope') ? [forgetRules(type)] : []),
  ]);
  return section(
    'Rows of the engine about the types that are given up.',
    types.length === 0 ? [] : [...statements, ...blobAges(provider)],
  );
}

/** Returns the SQL that ends the shares of a type's objects. */
function deleteGrants(type: string): string {
  const [begin, end] = scopesOfTable(type);
  return `DELETE FROM "JmapGrant" WHERE "scope" >= ${text(begin)} AND "scope" < ${text(end)};`;
}

/** Returns the SQL after which a type of the same name counts as one whose rules are new. */
function forgetRules(type: string): string {
  return `DELETE FROM "JmapMeta" WHERE "key" = ${text(rulesKey(type))};`;
}

/** Returns the SQL that removes the records of what the migration before left, which goes now. */
export function clearedSql(
  leftovers: readonly Leftover[],
  model: Model,
  existing: ReadonlySet<string>,
  held: Held,
  provider: Provider,
): string {
  const types = typesIn(model);
  const referring = leftovers.flatMap(({ table, references = [] }) =>
    references.map((key) => deleteReferences(table, key)),
  );
  const holding = leftovers.flatMap(({ table, blobs }) =>
    blobs === true ? types.filter((type) => type.table === table) : [],
  );
  const whole = leftovers.filter((one) => one.whole === true).map(({ table }) => table);
  return (
    section('Rows of the engine about the properties that went.', [
      ...referring,
      ...holding.flatMap((type) => blobRows(type, held, provider)),
      ...(holding.length === 0 ? [] : blobAges(provider)),
    ]) + removedTypesSql(whole, existing, provider)
  );
}

/**
 * Returns the SQL that removes the values that users have under some names of a table. Quotas have
 * counted them: the next start counts anew.
 */
export function droppedValuesSql(leftovers: readonly Leftover[], provider: Provider): string {
  const dropped = leftovers.filter(({ values = [] }) => values.length > 0);
  const statements = dropped.flatMap(({ table, values = [] }) => {
    const ofType = `"type" = ${text(table)}`;
    const holding = values.map((name) => `"values" LIKE ${text(`%"${name}":%`)}`).join(' OR ');
    const left =
      provider === 'sqlite'
        ? `json_remove("values", ${values.map((name) => text(`$."${name}"`)).join(', ')})`
        : `coalesce((SELECT '{' || string_agg(to_json("key")::text || ':' || "value"::text, ',')
  || '}' FROM json_each("values"::json)
  WHERE "key" NOT IN (${values.map(text).join(', ')})), '{}')`;
    return [
      `UPDATE "JmapUserValue" SET "values" = ${left} WHERE ${ofType} AND (${holding});`,
      `DELETE FROM "JmapUserValue" WHERE ${ofType} AND "values" = '{}';`,
    ];
  });
  return section(
    'The values of users that went.',
    statements.length === 0 ? [] : [...statements, COUNT_QUOTAS],
  );
}

const COUNT_QUOTAS = `INSERT INTO "JmapMeta" ("key", "value") VALUES ('quotas', '')
  ON CONFLICT DO NOTHING;`;

/** Returns SQL under a line that says what it is for; nothing for nothing. */
export function section(title: string, statements: readonly string[]): string {
  return statements.length === 0 ? '' : `\n-- ${title}\n${statements.join('\n')}\n`;
}

type TableOf = (type: string) => string;

function tablesByName(model: Model): TableOf {
  const types = typesIn(model);
  const tables = new Map(types.map(({ name, table }) => [name, table]));
  return (type) => tables.get(type) ?? type;
}

function referenceRows(
  { type, references, formerReferences }: TypeEffect,
  tableOf: TableOf,
  provider: Provider,
): readonly string[] {
  const keys = [...formerReferences, ...references.map(({ key }) => key)];
  return [
    ...keys.map((key) => deleteReferences(type.table, key)),
    ...references.map((reference) => insertReferences(type, reference, tableOf, provider)),
  ];
}

function deleteReferences(table: string, key: string): string {
  const where = `"fromType" = ${text(table)} AND "property" = ${text(key)}`;
  return `DELETE FROM "JmapReference" WHERE ${where};`;
}

function insertReferences(
  type: ModelType,
  { property, type: target, place, key }: Reference<ModelProperty>,
  tableOf: TableOf,
  provider: Provider,
): string {
  const { joins, conditions, value } = textsIn({ column: property.column, place }, provider);
  const columns = '"accountId", "toType", "toId", "fromType", "property", "fromId"';
  const to = `${text(tableOf(target))}, ${value}`;
  const origin = `${text(type.table)}, ${text(key)}, "t"."id"`;
  const isId = `length(${value}) BETWEEN 1 AND ${MAX_ID}`;
  return `INSERT INTO "JmapReference" (${columns})
  SELECT DISTINCT "t"."accountId", ${to}, ${origin}
  FROM ${quoted(type.table)} AS "t"${joins}
  WHERE ${[...conditions, isId].join(' AND ')};`;
}

function blobRows(type: ModelType, held: Held, provider: Provider): readonly string[] {
  const own = type.properties.flatMap(({ column, blobs }) =>
    blobs.map((place) => ({ column, place })),
  );
  return [
    `DELETE FROM "JmapBlobReference" WHERE "type" = ${text(type.table)};`,
    ...[...own, ...held(type)].map((each) => {
      const { joins, conditions, value } = textsIn(each, provider);
      const from = `${quoted(type.table)} AS "t"${joins}`;
      return `INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
  SELECT "t"."accountId", "b"."id", ${text(type.table)}, "t"."id" FROM ${from}
  JOIN "JmapBlob" AS "b" ON "b"."accountId" = "t"."accountId" AND "b"."id" = ${value}
  WHERE ${['true', ...conditions].join(' AND ')} ON CONFLICT DO NOTHING;`;
    }),
  ];
}

/** Returns the SQL by which a blob without references grows old from now on, and no other does. */
function blobAges(provider: Provider): readonly string[] {
  const held = `EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
  WHERE "r"."accountId" = "JmapBlob"."accountId" AND "r"."blobId" = "JmapBlob"."id")`;
  return [
    `UPDATE "JmapBlob" SET "unreferencedSince" = ${NOW[provider]}
  WHERE "unreferencedSince" IS NULL AND NOT ${held};`,
    `UPDATE "JmapBlob" SET "unreferencedSince" = NULL
  WHERE "unreferencedSince" IS NOT NULL AND ${held};`,
  ];
}
