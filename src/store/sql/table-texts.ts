import { ACCESS_KIND, MARKS, NO_OBJECT, PRUNED, principalScope } from '../../capability/scopes.js';
import { NOTE_MOVED, RAISE_SHARE_VERSION } from '../../capability/share-version.js';
import type { Dialect } from './dialect-port.js';
import type { Fragment } from './fragment.js';
import { isGranted } from './granted.js';
import { PRINCIPAL_TEXTS } from './principal-rows.js';
import { OWN_KIND } from './records.js';
import type { Row } from './row-codec.js';

/** The statements on the engine's own tables, which both databases share. */

export type Parameter = string | number | null;

/** Runs statements of one transaction that read. */
export interface TableReader {
  /** Returns all rows of a fixed statement. */
  all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]>;

  /** Returns all rows of a composed statement. */
  query(fragment: Fragment): Promise<readonly Row[]>;

  /** Throws where the transaction is over, or the time of its work. */
  check(): void;
}

/** The same of those that write. Each write is begun before the call returns. */
export interface TableWriter extends TableReader {
  write(text: string, ...parameters: readonly Parameter[]): Promise<void>;
}

export const REFERENCE_COLUMNS = '"toType", "toId", "fromType", "fromId", "property"';

const REFERENCE = 'value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM ROWS(?)';
const BLOB_REFERENCE = 'value ->> 0, value ->> 1, value ->> 2 FROM ROWS(?)';

const SELECT_BLOBS = `SELECT "id", "type", "size", "uploaderId", "unreferencedSince" IS NULL
 FROM "JmapBlob" WHERE "accountId" = ? AND "id" IN ?`;

/** References to a blob "b". */
const TO_BLOB = `FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "b"."accountId" AND "r"."blobId" = "b"."id"`;

const VALUE_OCTETS = `SELECT CAST(coalesce(sum(octet_length("values")), 0) AS BIGINT)
 FROM "JmapUserValue" WHERE "accountId" = ? AND "type" = ?`;

const VALUE_OCTETS_OF = `${VALUE_OCTETS} AND "userId" = ? AND "objectId" IN ?`;

const SELECT_RECORDS = `SELECT "number", "objectId", "kind", "at", "properties", "scopes",
 "scopesBefore" FROM "JmapChange"`;

const SCOPE_OCTETS =
  'coalesce(octet_length("scopes"), 0) + coalesce(octet_length("scopesBefore"), 0)';

/** Octets of scopes after which a page of records ends. */
const MAX_RECORD_OCTETS = 4_000_000;

/** The scopes of a user's groups, behind SELECT. */
const SCOPE_OF_GROUP = `'${principalScope('')}' || "groupId" FROM "JmapMember" WHERE "userId" = ?`;

/** The groups of a user, behind SELECT. */
const GROUP_OF_USER = `"groupId" FROM "JmapMember" WHERE "userId" = ?`;

/** The condition that a user, or one of its groups, was given a scope. */
function isTheirs(account: string, scope: string): string {
  return isGranted(String.raw, { account, isTheirs: '"_g"."principalId" IN THEIRS(?, ?)', scope });
}

const SHARED = Object.freeze({
  objectCount: `SELECT "objects" FROM "JmapState" WHERE "accountId" = ? AND "type" = ?`,

  // A bare parameter behind LIMIT has SQLite plan the statement anew for each value.
  changes: `SELECT "number", "objectId", "kind", "at", "properties" FROM "JmapChange"
 WHERE "accountId" = ? AND "type" = ? AND "number" > ? ORDER BY "number" LIMIT CAST(? AS BIGINT)`,

  // Scopes may be long: they are read of those records alone that the answer has.
  viewRecords: `${SELECT_RECORDS} WHERE "accountId" = ? AND "type" = ? AND "number" > ?
 AND "number" <= (SELECT max("number") FROM (SELECT "number",
 sum("octets") OVER (ORDER BY "number" ROWS UNBOUNDED PRECEDING) - "octets" AS "before"
 FROM (SELECT "number", ${SCOPE_OCTETS} AS "octets" FROM "JmapChange"
 WHERE "accountId" = ? AND "type" = ? AND "number" > ?
 ORDER BY "number" LIMIT CAST(? AS BIGINT)) AS "some") AS "counted"
 WHERE "before" < ${MAX_RECORD_OCTETS}) ORDER BY "number"`,

  objectRecords: `${SELECT_RECORDS} WHERE "accountId" = ? AND "type" = ?
 AND "kind" NOT IN (${ACCESS_KIND}, ${OWN_KIND}) AND "number" > ?
 ORDER BY "number" LIMIT CAST(? AS BIGINT)`,

  // No index has the kinds: the records are read where a principal of the view is concerned.
  accessRecords: `${SELECT_RECORDS}
 WHERE "accountId" = ? AND "type" = ? AND "kind" = ${ACCESS_KIND} AND "number" > CASE
 WHEN EXISTS (SELECT 1 FROM "JmapScope" WHERE "accountId" = ? AND "type" = ?
 AND "objectId" = '${NO_OBJECT}' AND "scope" IN SCOPES(?, ?) AND "number" > ?)
 THEN CAST(? AS BIGINT) ELSE ${Number.MAX_SAFE_INTEGER} END AND "number" < ?
 ORDER BY "number" DESC LIMIT CAST(? AS BIGINT)`,

  existingPrincipals: `SELECT "id" FROM "JmapUser" WHERE "id" IN ? AND NOT EXISTS (SELECT 1
 FROM "JmapAccount" AS "a" WHERE "a"."id" = ? AND "a"."ownerId" = "JmapUser"."id")
 UNION ALL SELECT "id" FROM "JmapGroup" WHERE "id" IN ?`,

  sharesHeld: `SELECT NULL, "scope" FROM "JmapGrant"
 WHERE "accountId" = ? AND "principalId" IN THEIRS(?, ?)
 UNION ALL SELECT "groupId", NULL FROM "JmapMember" WHERE "userId" = ?`,

  givenScopes: `SELECT "scope" FROM "JmapGrant" WHERE "accountId" = ? AND "principalId" = ?
 AND "scope" > ? ORDER BY "scope" LIMIT CAST(? AS BIGINT)`,

  holdGroups: `SELECT "id" FROM "JmapGroup" WHERE "id" IN ?HOLDING`,

  membersOf: `SELECT "groupId", "userId" FROM "JmapMember" WHERE "groupId" IN ?
 LIMIT CAST(? AS BIGINT)`,

  // Of rows with the ranges of the scopes that shares of objects give.
  grantsAt: `SELECT "g"."principalId", "g"."scope" FROM ROWS(?) CROSS JOIN "JmapGrant" AS "g"
 WHERE "g"."accountId" = ? AND "g"."scope" >= value ->> 0 AND "g"."scope" < value ->> 1`,

  // Of rows with principals and the ranges of the scopes that shares of a table's objects give.
  grantees: `SELECT value ->> 0, value ->> 1 FROM ROWS(?) WHERE EXISTS (SELECT 1
 FROM "JmapGrant" AS "g" WHERE "g"."accountId" = ? AND "g"."principalId" = value ->> 0
 AND "g"."scope" >= value ->> 1 AND "g"."scope" < value ->> 2)`,

  raiseShareVersion: RAISE_SHARE_VERSION,

  noteMoved: NOTE_MOVED,

  deleteGrants: `DELETE FROM "JmapGrant" WHERE "accountId" = ?
 AND ("principalId", "scope") IN (SELECT value ->> 0, value ->> 1 FROM ROWS(?))`,

  insertGrants: `INSERT INTO "JmapGrant" ("accountId", "principalId", "scope")
 SELECT CAST(? AS TEXT), value ->> 0, value ->> 1 FROM ROWS(?) WHERE TRUE ON CONFLICT DO NOTHING`,

  scopesOf: `SELECT "objectId", "scope" FROM "JmapScope" WHERE "accountId" = ? AND "type" = ?
 AND "objectId" IN ? AND NOT "gone" ORDER BY "objectId", "scope"`,

  marksHeld: `SELECT "objectId", "scope" FROM "JmapScope" AS "s"
 WHERE "accountId" = ? AND "type" = ? AND "objectId" IN ? AND NOT "gone"
 AND substr("scope", 1, 1) IN (${MARKS.map((mark) => `'${mark}'`).join(', ')})
 AND (substr("scope", 2) IN SCOPES(?, ?) OR EXISTS (SELECT 1 FROM "JmapGrant" AS "g"
 WHERE "g"."accountId" = "s"."accountId" AND "g"."principalId" IN THEIRS(?, ?)
 AND "g"."scope" = substr("s"."scope", 2))) ORDER BY "objectId", "scope"`,

  objectsWith: `SELECT "objectId", "scope" FROM "JmapScope" WHERE "accountId" = ? AND "type" = ?
 AND NOT "gone" AND "objectId" IN (SELECT DISTINCT "objectId" FROM "JmapScope"
 WHERE "accountId" = ? AND "type" = ? AND NOT "gone" AND "scope" IN ?
 ORDER BY "objectId" LIMIT CAST(? AS BIGINT)) ORDER BY "objectId", "scope"`,

  // The greatest number of each scope is at the end of its part of the index.
  viewNumber: `SELECT max("last") FROM (SELECT (SELECT max("number") FROM "JmapScope" AS "s"
 WHERE "s"."accountId" = ? AND "s"."type" = ? AND "s"."scope" = "held"."scope") AS "last"
 FROM (SELECT value ->> 0 AS "scope" FROM ROWS(?)
 UNION ALL SELECT ${SCOPE_OF_GROUP} UNION ALL SELECT "scope" FROM
 (SELECT value ->> 0 AS "begin", value ->> 1 AS "end" FROM ROWS(?)) AS "range"
 CROSS JOIN "JmapGrant" WHERE "accountId" = ? AND "principalId" IN THEIRS(?, ?)
 AND "scope" >= "range"."begin" AND "scope" < "range"."end") AS "held") AS "numbers"`,

  prunedNumber: `SELECT max("number") FROM "JmapScope"
 WHERE "accountId" = ? AND "type" = ? AND "objectId" = '${PRUNED}'
 AND ("scope" IN SCOPES(?, ?) OR ${isTheirs('?', '"JmapScope"."scope"')})`,

  writeScopes: `INSERT INTO "JmapScope"
 ("accountId", "type", "objectId", "scope", "number", "gone")
 SELECT CAST(? AS TEXT), CAST(? AS TEXT), value ->> 0, value ->> 1, CAST(value ->> 2 AS BIGINT),
 CAST(value ->> 3 AS BOOLEAN) FROM ROWS(?) WHERE TRUE
 ON CONFLICT ("accountId", "type", "objectId", "scope") DO UPDATE SET
 "number" = excluded."number", "gone" = excluded."gone"`,

  // Null where they have too many octets: then none of them is read.
  userValues: `SELECT "objectId", CASE WHEN (${VALUE_OCTETS_OF}) <= CAST(? AS BIGINT)
 THEN "values" END FROM "JmapUserValue"
 WHERE "accountId" = ? AND "type" = ? AND "userId" = ? AND "objectId" IN ?`,

  valueOctets: VALUE_OCTETS,

  valueOctetsAt: `${VALUE_OCTETS} AND "objectId" IN ?`,

  valueOctetsOf: VALUE_OCTETS_OF,

  writeUserValues: `INSERT INTO "JmapUserValue"
 ("accountId", "type", "objectId", "userId", "values")
 SELECT CAST(? AS TEXT), CAST(? AS TEXT), value ->> 0, CAST(? AS TEXT), value ->> 1
 FROM ROWS(?) WHERE TRUE ON CONFLICT ("accountId", "type", "objectId", "userId") DO UPDATE SET
 "values" = excluded."values"`,

  deleteUserValues: `DELETE FROM "JmapUserValue"
 WHERE "accountId" = ? AND "type" = ? AND "objectId" IN ?`,

  keptAnswer: `SELECT "arguments", "answer" FROM "JmapOnce"
 WHERE "accountId" = ? AND "key" = ? AND "at" >= ?`,

  keepAnswer: `INSERT INTO "JmapOnce" ("accountId", "key", "arguments", "answer", "at")
 VALUES (?, ?, ?, ?, ?) ON CONFLICT ("accountId", "key") DO UPDATE SET
 "arguments" = excluded."arguments", "answer" = excluded."answer", "at" = excluded."at"`,

  keepTasks: `INSERT INTO "JmapTask"
 ("accountId", "id", "kind", "payload", "due", "attempts")
 SELECT CAST(? AS TEXT), value ->> 0, value ->> 1, value ->> 2, CAST(? AS BIGINT), 0
 FROM ROWS(?) WHERE TRUE`,

  task: `SELECT "id" FROM "JmapTask" WHERE "accountId" = ? AND "id" = ?`,

  endTask: `DELETE FROM "JmapTask" WHERE "accountId" = ? AND "id" = ?`,

  ownReferences: `SELECT ${REFERENCE_COLUMNS} FROM "JmapReference"
 WHERE "accountId" = ? AND "fromType" = ? AND "property" IN ? AND "fromId" IN ?`,

  deleteReferences: `DELETE FROM "JmapReference" WHERE "accountId" = ?
 AND (${REFERENCE_COLUMNS}) IN (SELECT ${REFERENCE})`,

  insertReferences: `INSERT INTO "JmapReference" ("accountId", ${REFERENCE_COLUMNS})
 SELECT CAST(? AS TEXT), ${REFERENCE} WHERE TRUE ON CONFLICT DO NOTHING`,

  blobs: `${SELECT_BLOBS} ORDER BY "id"`,

  visibleBlobs: `${SELECT_BLOBS}
 AND ("unreferencedSince" IS NULL OR "uploaderId" = ?) ORDER BY "id"`,

  blobsOfView: `${SELECT_BLOBS} AND ("uploaderId" = ? OR EXISTS (SELECT 1
 FROM "JmapBlobReference" AS "r" WHERE "r"."accountId" = "JmapBlob"."accountId"
 AND "r"."blobId" = "JmapBlob"."id" AND ("r"."type" IN ? OR EXISTS (SELECT 1
 FROM "JmapScope" AS "s" WHERE "s"."accountId" = "r"."accountId" AND "s"."type" = "r"."type"
 AND "s"."objectId" = "r"."objectId" AND NOT "s"."gone" AND ("s"."scope" IN SCOPES(?, ?)
 OR ${isTheirs('"s"."accountId"', '"s"."scope"')}))))) ORDER BY "id"`,

  // An existing blob (a copy of a copy) stays; if nothing refers to it, it lives on from now.
  insertBlobs: `INSERT INTO "JmapBlob"
 ("accountId", "id", "type", "size", "uploaderId", "created", "unreferencedSince")
 SELECT CAST(? AS TEXT), value ->> 0, value ->> 1, CAST(value ->> 2 AS BIGINT), value ->> 3,
 CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ROWS(?) WHERE TRUE
 ON CONFLICT ("accountId", "id") DO UPDATE SET "unreferencedSince" = excluded."unreferencedSince"
 WHERE "JmapBlob"."unreferencedSince" IS NOT NULL`,

  blobReferences: `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = ? AND "blobId" IN ? AND "type" IN ? ORDER BY "objectId", "type", "blobId"`,

  blobUses: `SELECT "id", "size", (SELECT count(*) FROM (SELECT 1 ${TO_BLOB}
 AND "r"."type" IN ? LIMIT CAST(? AS BIGINT)) AS "few")
 FROM "JmapBlob" AS "b" WHERE "accountId" = ? AND "id" IN ?`,

  blobOctets: `SELECT CAST(coalesce(sum("size"), 0) AS BIGINT) FROM "JmapBlob" AS "b"
 WHERE "accountId" = ? AND EXISTS (SELECT 1 ${TO_BLOB} AND "r"."type" IN ?)`,

  // The range has both databases read an index, where the project has one for it.
  surplusBlobs: `SELECT "id" FROM (SELECT "id", sum("size") OVER (ORDER BY "id" IN ? DESC,
 "unreferencedSince" DESC, "id" DESC ROWS UNBOUNDED PRECEDING) AS "total" FROM "JmapBlob" AS "b"
 WHERE "accountId" = ? AND "uploaderId" = ? AND "unreferencedSince" >= 0
 AND NOT EXISTS (SELECT 1 ${TO_BLOB})) AS "unreferenced" WHERE "total" > CAST(? AS BIGINT)`,

  deleteBlobs: `DELETE FROM "JmapBlob" WHERE "accountId" = ? AND "id" IN ?`,

  ownBlobReferences: `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = ? AND "type" = ? AND "objectId" IN ?`,

  deleteBlobReferences: `DELETE FROM "JmapBlobReference" WHERE "accountId" = ?
 AND ("blobId", "type", "objectId") IN (SELECT ${BLOB_REFERENCE})`,

  insertBlobReferences: `INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
 SELECT CAST(? AS TEXT), ${BLOB_REFERENCE} WHERE TRUE ON CONFLICT DO NOTHING`,

  noteUnreferenced: `UPDATE "JmapBlob" SET "unreferencedSince" = CASE
 WHEN EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "JmapBlob"."accountId" AND "r"."blobId" = "JmapBlob"."id") THEN NULL
 ELSE coalesce("unreferencedSince", CAST(? AS BIGINT)) END WHERE "accountId" = ? AND "id" IN ?`,
});

/** Walks that each database has to be led through in its own way. */
export interface ReferenceWalks {
  /** Of roots, account, properties that lead on; account, properties that are references, limit. */
  readonly referrers: string;
  /** Of ids; twice account, type, property; limit. */
  readonly ancestors: string;
}

type TextName = keyof typeof SHARED | keyof typeof PRINCIPAL_TEXTS | keyof ReferenceWalks;

export type TableTexts = Readonly<Record<TextName, string>>;

/** Returns the statements in a database's words. */
export function tableTexts(dialect: Dialect, walks: ReferenceWalks): TableTexts {
  const texts = Object.entries({ ...SHARED, ...PRINCIPAL_TEXTS, ...walks });
  const translated = texts.map(([key, text]) => [key, tableText(dialect, text)]);
  return Object.freeze(Object.fromEntries(translated) as TableTexts);
}

/**
 * Returns a database's text of a statement. In `text` a parameter is `?`; `IN ?` compares with the
 * texts of a JSON list; `ROWS(?)` has a row `value` for each element of a JSON list. `IN THEIRS(?,
 * ?)` compares with a user, who is both parameters, and its groups. `IN SCOPES(?, ?)` compares with
 * the texts of a JSON list, and with the scopes of the user's groups. `HOLDING` is `holding`.
 */
function tableText(dialect: Dialect, text: string): string {
  let position = 0;
  const next = (): string => {
    position += 1;
    return dialect.placeholder(position);
  };
  const inText = (found: string): string => found.replace('?', next);
  return text.replace(/IN (THEIRS|SCOPES)\(\?, \?\)|IN \?|ROWS\(\?\)|HOLDING|\?/g, (found) => {
    switch (found) {
      case 'IN ?':
        return dialect.isIn(next());
      case 'ROWS(?)':
        return dialect.rowsOf(next());
      case 'IN THEIRS(?, ?)':
        return dialect.isInSelect(
          `SELECT CAST(${next()} AS TEXT) UNION ALL SELECT ${inText(GROUP_OF_USER)}`,
        );
      case 'IN SCOPES(?, ?)':
        return dialect.isInSelect(
          `${dialect.textsOf(next())} UNION ALL SELECT ${inText(SCOPE_OF_GROUP)}`,
        );
      case 'HOLDING':
        return dialect.holding;
      default:
        return next();
    }
  });
}

/**
 * Returns a JSON list of a client's texts. U+FFFF takes the place of U+0000, which jsonb refuses:
 * no stored text has either, so both find nothing.
 */
export function textList(texts: readonly string[]): string {
  return JSON.stringify(texts.map((text) => text.replaceAll('\0', '\uffff')));
}
