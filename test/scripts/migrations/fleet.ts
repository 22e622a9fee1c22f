import { expect } from 'vitest';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { casemapKey, fold } from '../../../src/text/index.js';
import type { Drawn, DrawnProperty } from './drawn.js';
import type { Evolving } from './evolving.js';

/** A release: the drawn model, and its types as the generator has placed them. */
export interface Release {
  readonly drawn: Drawn;
  readonly placed: Model;
  /** Something had to be applied for it. */
  readonly isMigrated: boolean;
}

interface Row {
  readonly id: string;
  /** By key of the property: what the newest version reads. */
  values: Map<number, JsonValue>;
  /**
   * The version before wrote it, and nobody has followed it: since this migration, or an earlier
   * one.
   */
  late: 'now' | 'before' | false;
}

/** Writes and reads as the servers of two versions would, and knows what each is to find. */
export class Fleet {
  readonly #db: Evolving;
  readonly #rows = new Map<number, Row[]>();
  #count = 0;

  constructor(db: Evolving) {
    this.#db = db;
  }

  /** Two objects of each type: one with null where it may be, one without. */
  async write(of: Release, seen: Release = of): Promise<void> {
    for (const type of of.drawn.types) {
      for (const full of [true, false]) {
        this.#count += 1;
        const id = `r${this.#count}`;
        const values = new Map(
          type.properties.map((one) => [one.key, full || !one.nullable ? this.#value(one) : null]),
        );
        await this.#insert(typeAt(of, type.key), type.properties, id, values);
        const now = seen.drawn.types.find(({ key }) => key === type.key);
        if (now === undefined) continue;
        const row = {
          id,
          values: new Map(values),
          late: seen === of ? (false as const) : ('now' as const),
        };
        advance(row, type.properties, now.properties);
        this.#rows.set(type.key, [...(this.#rows.get(type.key) ?? []), row]);
      }
    }
  }

  /**
   * All objects have another version's properties from now on; shadows and records are as it wants
   * them.
   */
  async follow(to: Release): Promise<void> {
    for (const type of to.drawn.types) {
      for (const row of this.#rows.get(type.key) ?? []) {
        if (!row.late) continue;
        // As a server of the new version would within 10 s; one that is stopped before that
        // doesn't.
        if (Number(row.id.slice(1)) % 4 < 2) continue;
        const placed = typeAt(to, type.key);
        await this.#derive(placed, row.id, type.properties, row.values);
        row.late = false;
      }
    }
  }

  /** The migration is applied: what objects are from now on. */
  migrated(from: Release, to: Release): void {
    for (const key of [...this.#rows.keys()]) {
      const old = from.drawn.types.find((type) => type.key === key);
      const now = to.drawn.types.find((type) => type.key === key);
      if (old === undefined || now === undefined) this.#rows.delete(key);
      else
        for (const row of this.#rows.get(key) ?? []) {
          advance(row, old.properties, now.properties);
          if (row.late === 'now' && to.isMigrated) row.late = 'before';
        }
    }
  }

  /** Every object has every value; shadows and records are those of the values. */
  async check(at: Release): Promise<void> {
    for (const own of at.drawn.types) {
      const type = typeAt(at, own.key);
      const found = new Map(
        (await this.#db.rows(`SELECT * FROM "${type.table}"`)).map((row) => [row['id'], row]),
      );
      const rows = this.#rows.get(own.key) ?? [];
      expect([...found.keys()].sort()).toEqual(rows.map(({ id }) => id).sort());
      for (const row of rows) {
        const stored = found.get(row.id) ?? {};
        for (const one of own.properties) {
          const { column, name } = propertyAt(type, one);
          const value = row.values.get(one.key) ?? null;
          const read = readBack(stored[column], one.kind);
          const where = `${own.name}.${name} of ${row.id}`;
          if (row.late === 'now' && read === null) continue;
          expect({ where, value: read }).toEqual({ where, value });
        }
        for (const { column, property, transform } of row.late ? [] : type.shadows) {
          const own_ = stored[property.column];
          const value = own_ === null ? null : transformed(String(own_), transform);
          const where = `${own.name}: ${column} of ${row.id}`;
          expect({ where, value: stored[column] }).toEqual({ where, value });
        }
      }
      if (type.search !== undefined && !this.#db.isShared) await this.#search(type);
    }
  }

  /** The version's statements, which name its columns, do what they did. */
  async serves(at: Release, beside: Release): Promise<void> {
    for (const own of at.drawn.types) {
      const other = beside.drawn.types.find(({ key }) => key === own.key);
      const takesNull = (other?.properties ?? []).flatMap(({ key, nullable }) =>
        nullable ? [key] : [],
      );
      const type = typeAt(at, own.key);
      const columns = columnsOf(type);
      const rows = await this.#db.rows(
        `SELECT ${columns.map((name) => `"${name}"`).join(', ')} FROM "${type.table}"`,
      );
      for (const row of rows)
        for (const one of own.properties) {
          const { column, nullable, default: value } = propertyAt(type, one);
          const where = `${own.name}.${one.name} of ${String(row['id'])}`;
          if (!nullable && value === undefined && !takesNull.includes(one.key))
            expect({ where, value: row[column] }).not.toEqual({ where, value: null });
        }
      await this.#db.run(
        `UPDATE "${type.table}" SET ${columns.map((name) => `"${name}" = "${name}"`).join(', ')}`,
      );
    }
  }

  async #search({ table, search }: ModelType): Promise<void> {
    if (search === undefined) return;
    for (const column of search.columns) {
      const rows = await this.#db.rows(
        `SELECT "id", "${column}" AS "text" FROM "${table}" WHERE length("${column}") > 2
          ORDER BY "id"`,
      );
      for (const { id, text: whole } of rows) {
        // Positions are not kept: one trigram at a time.
        const needle = text(`{${column}} : "${String(whole).slice(0, 3).replaceAll('"', '""')}"`);
        const hits = await this.#db.rows(
          `SELECT "r"."id" FROM "${search.name}" JOIN "${search.name}_row" AS "r"
           ON "r"."docid" = "${search.name}"."rowid" WHERE "${search.name}" MATCH ${needle}`,
        );
        expect(hits.map((hit) => hit['id'])).toContain(id);
      }
    }
  }

  /**
   * Returns the engine's records of all objects that the version has written or followed, a line
   * each.
   */
  records(at: Release, late = false): ReadonlySet<string> {
    const records = new Set<string>();
    for (const own of at.drawn.types) {
      const type = typeAt(at, own.key);
      for (const row of this.#rows.get(own.key) ?? [])
        for (const one of own.properties) {
          const value = row.values.get(one.key) ?? null;
          if (value === null || (row.late && !late)) continue;
          const { column } = propertyAt(type, one);
          if (one.target !== undefined)
            records.add(
              `${type.table}/${column} ${row.id} -> ${typeAt(at, one.target).table} ` +
                `${String(value)}`,
            );
          // The one blob that exists.
          if (one.blob && value === 'blob') records.add(`${type.table} ${row.id} ${String(value)}`);
        }
    }
    return records;
  }

  /** These records, and maybe others. */
  async has(records: ReadonlySet<string>): Promise<void> {
    const stored = await this.#stored();
    expect([...records].filter((record) => !stored.has(record))).toEqual([]);
  }

  /** None but these; of objects that are to be followed they may be missing. */
  async hasNoOthers(at: Release): Promise<void> {
    const all = this.records(at, true);
    await this.has(this.records(at));
    expect([...(await this.#stored())].filter((record) => !all.has(record))).toEqual([]);
  }

  async #stored(): Promise<ReadonlySet<string>> {
    const references = await this.#db.rows(`SELECT * FROM "JmapReference"`);
    const blobs = await this.#db.rows(`SELECT * FROM "JmapBlobReference"`);
    return new Set([
      ...references.map(
        (row) =>
          `${row['fromType']}/${row['property']} ${row['fromId']} -> ${row['toType']} ` +
          `${row['toId']}`,
      ),
      ...blobs.map((row) => `${row['type']} ${row['objectId']} ${row['blobId']}`),
    ]);
  }

  #value(one: DrawnProperty): JsonValue {
    if (one.blob) return 'blob';
    if (one.target !== undefined) return `x${this.#count}`;
    switch (one.kind) {
      case 'string':
        return `Straße ${this.#count}`;
      case 'integer':
        return this.#count;
      case 'boolean':
        return this.#count % 2 === 0;
      case 'json':
        return [`${this.#count}`];
    }
  }

  async #insert(
    type: ModelType,
    properties: readonly DrawnProperty[],
    id: string,
    values: ReadonlyMap<number, JsonValue>,
  ): Promise<void> {
    const own = properties.map((one) => {
      const { column } = propertyAt(type, one);
      return [column, literal(values.get(one.key) ?? null, one.kind)] as const;
    });
    const shadows = shadowValues(type, properties, values);
    const all = [
      ...([
        ['accountId', "'a'"],
        ['id', `'${id}'`],
        ['created', '1'],
        ['updated', '2'],
      ] as const),
      ...own,
      ...shadows,
    ];
    await this.#db.run(
      `INSERT INTO "${type.table}" (${all.map(([name]) => `"${name}"`).join(', ')})
       VALUES (${all.map(([, value]) => value).join(', ')})`,
    );
    await this.#link(type, id, properties, values);
  }

  async #derive(
    type: ModelType,
    id: string,
    properties: readonly DrawnProperty[],
    values: ReadonlyMap<number, JsonValue>,
  ): Promise<void> {
    const own = properties.map((one) => {
      const { column } = propertyAt(type, one);
      return [column, literal(values.get(one.key) ?? null, one.kind)] as const;
    });
    const all = [...own, ...shadowValues(type, properties, values)];
    if (all.length > 0)
      await this.#db.run(
        `UPDATE "${type.table}" SET ${all.map(([name, value]) => `"${name}" = ${value}`).join(', ')}
         WHERE "id" = '${id}'`,
      );
    await this.#link(type, id, properties, values);
  }

  async #link(
    type: ModelType,
    id: string,
    properties: readonly DrawnProperty[],
    values: ReadonlyMap<number, JsonValue>,
  ): Promise<void> {
    for (const one of properties) {
      const value = values.get(one.key) ?? null;
      if (value === null) continue;
      const { column, blobs } = propertyAt(type, one);
      if (one.target !== undefined)
        await this.#db.run(
          `INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType", "property",
            "fromId")
           VALUES ('a', '${this.#tables.get(one.target) ?? ''}', '${String(value)}',
             '${type.table}', '${column}', '${id}')
           ON CONFLICT DO NOTHING`,
        );
      if (blobs.length > 0 && value === 'blob')
        await this.#db.run(
          `INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
           VALUES ('a', '${String(value)}', '${type.table}', '${id}') ON CONFLICT DO NOTHING`,
        );
    }
  }

  /** By key of the type. */
  #tables = new Map<number, string>();

  knows(at: Release): void {
    for (const { key } of at.drawn.types) this.#tables.set(key, typeAt(at, key).table);
  }
}

/** Returns the row that the next version makes of a row. */
function advance(row: Row, old: readonly DrawnProperty[], now: readonly DrawnProperty[]): void {
  const before = row.values;
  row.values = new Map(
    now.map((one) => {
      const was = old.find(({ key }) => key === one.key);
      const kept = was !== undefined && was.generation === one.generation;
      const value = kept ? (before.get(one.key) ?? null) : (one.default ?? null);
      return [one.key, value === null && !one.nullable ? (one.default ?? null) : value];
    }),
  );
}

export function typeAt({ drawn, placed }: Release, key: number): ModelType {
  const name = drawn.types.find((one) => one.key === key)?.name;
  const found = placed.capabilities.flatMap(({ types }) => types).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
}

function propertyAt(type: ModelType, { name }: DrawnProperty): ModelProperty {
  const found = type.properties.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no property ${name}`);
  return found;
}

/** All that a version's statements name. */
export function columnsOf({ properties, shadows }: ModelType): readonly string[] {
  return [
    'accountId',
    ...properties.map(({ column }) => column),
    ...shadows.map((one) => one.column),
  ];
}

function shadowValues(
  type: ModelType,
  properties: readonly DrawnProperty[],
  values: ReadonlyMap<number, JsonValue>,
): readonly (readonly [string, string])[] {
  return type.shadows.map(({ column, property, transform }) => {
    const one = properties.find(({ name }) => name === property.name);
    const value = values.get(one?.key ?? -1) ?? null;
    return [column, value === null ? 'NULL' : text(transformed(String(value), transform))] as const;
  });
}

function transformed(value: string, transform: string): string {
  return transform === 'fold' ? fold(value) : casemapKey(value);
}

function literal(value: JsonValue, kind: DrawnProperty['kind']): string {
  if (value === null) return 'NULL';
  if (kind === 'json') return text(JSON.stringify(value));
  return kind === 'string' ? text(String(value)) : String(value);
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function readBack(value: unknown, kind: DrawnProperty['kind']): unknown {
  if (value === undefined) return 'no column';
  if (value === null) return null;
  if (kind === 'boolean') return Boolean(value);
  return kind === 'json' && typeof value === 'string' ? JSON.parse(value) : value;
}
