import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { EvolutionDefinition } from '../capability/evolution.js';
import {
  type BackfillDatabase,
  type BackfillNote,
  type RowKey,
  unconvertedRows,
} from '../database/backfill-database.js';
import { MigrationError } from '../database/migrations.js';
import type { Log } from '../runtime/log.js';
import {
  type ConversionServices,
  type Converted,
  convertBatch,
  convertHook,
  type Refused,
} from './convert.js';
import { type Batch, batches, endOf } from './row-batches.js';

/**
 * The conversions of files in `evolve/` (docs/reference/evolution.md). A note in JmapMeta keeps how
 * far each is. The server that converts holds the note, and another one takes it over if that
 * server ends.
 */

export interface ConversionOptions extends ConversionServices {
  readonly database: BackfillDatabase;
  readonly log: Log;
  /** Other servers may have the database open. */
  readonly shared: boolean;
}

/** The value of a note, as JSON. */
export interface ConversionNote {
  /** `evolve/0007-split-name.ts` */
  readonly file?: string;
  /** The last object that was looked at. */
  readonly after?: RowKey | null;
  /** Objects that were looked at, and all that there were at the beginning. */
  readonly done?: number;
  readonly of?: number;
  /** The first objects that are refused, and how many of them there are. */
  readonly refused?: readonly Refused[];
  readonly refusedCount?: number;
  /** The server that converts, and until when (epoch ms) others leave it alone. */
  readonly by?: string;
  readonly until?: number;
}

/**
 * How long a server holds a note without a sign of life, beside the time of the function, and how
 * often others look, ms. If `computeOn` takes longer, another server takes the note. It waits for
 * the account, and finds the objects converted.
 */
const HOLD = 15_000;
const PAUSE = 500;

/** Refused objects that the log and a note name. */
const NAMED = 100;
/** Characters of a reason. */
const REASON = 500;

export function conversionKey({ migration, table }: EvolutionDefinition): string {
  return `${CONVERSION}${String(migration).padStart(4, '0')}/${table}`;
}

/** Returns how many objects notes tell of that could not be converted. */
export function countRefused(notes: readonly BackfillNote[]): number {
  return notes
    .filter(({ key }) => key.startsWith(CONVERSION))
    .map(({ value }) => JSON.parse(value) as ConversionNote)
    .reduce((sum, { refused = [], refusedCount = refused.length }) => sum + refusedCount, 0);
}

const CONVERSION = 'evolve:';

export class Conversions {
  readonly #options: ConversionOptions;
  readonly #byTable: ReadonlyMap<string, DataTypeDefinition>;
  readonly #own = randomUUID();
  /** By note. */
  readonly #refusals = new Map<string, Refusals>();

  constructor(options: ConversionOptions) {
    this.#options = options;
    const types = [...options.registry.dataTypes.values()];
    this.#byTable = new Map(types.map((type) => [type.table, type]));
  }

  /** Does what is left of all conversions, in order of migration. */
  async finish(): Promise<void> {
    for (const evolution of this.#options.registry.evolutions) {
      const type = this.#byTable.get(evolution.table);
      if (type !== undefined) await this.#finish({ evolution, type });
    }
  }

  /** Converts objects of a batch that the previous version has written. */
  async follow(batch: Batch): Promise<void> {
    for (const evolution of this.#options.registry.evolutions) {
      if (evolution.table !== batch.type.table) continue;
      const { changed } = this.#refusalsOf(conversionKey(evolution));
      for (let { ids } = batch; ids.length > 0; ) {
        const done = await this.#convert({ ...batch, ids }, evolution, true);
        for (const id of done.converted) changed.add(placeOf({ ...batch, id }));
        for (const one of done.refused) changed.add(placeOf(one));
        ids = done.rest;
      }
    }
  }

  /** Notes what is refused, once all of a type is followed. */
  async settle(type: DataTypeDefinition): Promise<void> {
    const { database, registry } = this.#options;
    for (const evolution of registry.evolutions) {
      const key = conversionKey(evolution);
      const { named, changed } = this.#refusalsOf(key);
      if (evolution.table !== type.table || changed.size === 0) continue;
      const text = await database.note(key);
      const note = text === null ? {} : (JSON.parse(text) as ConversionNote);
      // A server that converts notes all that is refused.
      if (note.by !== undefined) continue;
      for (const one of note.refused ?? [])
        if (!changed.has(placeOf(one))) named.set(placeOf(one), one);
      if (text !== null || named.size > 0) await this.#end({ evolution, type }, text);
      changed.clear();
    }
  }

  async #finish(work: Work): Promise<void> {
    const { database, log, shared } = this.#options;
    const key = conversionKey(work.evolution);
    for (let waited = false; ; ) {
      const text = await database.note(key);
      if (text === null) return;
      const note = JSON.parse(text) as ConversionNote;
      if (shared && note.by !== undefined && (note.until ?? 0) > Date.now()) {
        if (!waited) log.info({ type: work.type.name, file: note.file }, 'another server converts');
        waited = true;
        await delay(PAUSE);
        continue;
      }
      // The other server has just tried all objects.
      if (waited && note.by === undefined) return;
      if (await this.#walk(work, text)) return;
    }
  }

  /** Resolves to false where another server has taken the conversion over. */
  async #walk(work: Work, text: string): Promise<boolean> {
    const { evolution, type } = work;
    const { database, log } = this.#options;
    const key = conversionKey(evolution);
    const start = JSON.parse(text) as ConversionNote;
    const isResumed = start.by !== undefined;
    const left = unconvertedRows(type.table, evolution.migration);
    const { named } = this.#refusalsOf(key);
    named.clear();
    for (const one of isResumed ? (start.refused ?? []) : []) named.set(placeOf(one), one);
    let held: ConversionNote = {
      file: evolution.file,
      after: isResumed ? (start.after ?? null) : null,
      done: isResumed ? (start.done ?? 0) : 0,
      of: isResumed && start.of !== undefined ? start.of : await database.count(left),
    };
    let value = text;
    const { limit } = convertHook(type, evolution);
    const hold = HOLD + (limit ?? this.#options.hookServices.timeout);
    const keep = async (next: ConversionNote, time = hold): Promise<boolean> => {
      const refused = named.size === 0 ? {} : { refused: [...named.values()] };
      const holding = { ...next, ...refused, by: this.#own, until: Date.now() + time };
      const old = value;
      held = next;
      value = JSON.stringify(holding);
      return database.swap(key, old, value);
    };
    if (!(await keep(held))) return false;
    const record = await this.#isRecorded(type);
    for await (const batch of batches(database, { type, rows: left, after: held.after ?? null })) {
      for (let { ids } = batch; ids.length > 0; ) {
        const converting = this.#convert({ ...batch, ids }, evolution, record);
        const { rest } = await converting.catch(async (error: unknown) => {
          // The next start need not wait for this one.
          if (error instanceof MigrationError) await keep(held, 0);
          throw error;
        });
        const after = rest.length === 0 ? endOf(batch) : (held.after ?? null);
        const done = (held.done ?? 0) + ids.length - rest.length;
        if (!(await keep({ ...held, after, done }))) return false;
        ids = rest;
        const { of } = held;
        log.info({ type: type.name, file: evolution.file, objects: done, of }, 'converted objects');
      }
    }
    return this.#end(work, value);
  }

  /** Converts objects in one transaction, and names in the log what is refused. */
  async #convert(
    batch: Batch,
    evolution: EvolutionDefinition,
    record: boolean,
  ): Promise<Converted> {
    const { log } = this.#options;
    const { named } = this.#refusalsOf(conversionKey(evolution));
    const done = await convertBatch(this.#options, batch, evolution, record);
    for (const id of done.converted) named.delete(placeOf({ ...batch, id }));
    for (const { accountId, id, reason } of done.refused) {
      const place = placeOf({ accountId, id });
      if (named.has(place) || named.size === NAMED) continue;
      named.set(place, { accountId, id, reason: reason.slice(0, REASON) });
      const what = { type: batch.type.name, file: evolution.file, account: accountId, id };
      log.warn({ ...what, reason }, 'an object is not converted');
    }
    return done;
  }

  /** Forgets the note, unless objects are left: the next start tries those again. */
  async #end({ evolution, type }: Work, text: string | null): Promise<boolean> {
    const { database, log } = this.#options;
    const key = conversionKey(evolution);
    const { file } = evolution;
    const { named } = this.#refusalsOf(key);
    const refusedCount = await database.count(unconvertedRows(type.table, evolution.migration));
    if (refusedCount === 0) {
      await database.forget(key);
      return true;
    }
    log.warn(
      { type: type.name, file, count: refusedCount },
      'some objects are not converted: the next start tries them again',
    );
    const refused = [...named.values()].slice(0, NAMED);
    return database.swap(key, text, JSON.stringify({ file, refused, refusedCount }));
  }

  /** Resolves to false if the migration makes clients refetch, so that no records are needed. */
  async #isRecorded({ table }: DataTypeDefinition): Promise<boolean> {
    return (await this.#options.database.note(`reset:${table}`)) === null;
  }

  #refusalsOf(key: string): Refusals {
    const refusals = this.#refusals.get(key) ?? { named: new Map(), changed: new Set() };
    this.#refusals.set(key, refusals);
    return refusals;
  }
}

interface Work {
  readonly evolution: EvolutionDefinition;
  readonly type: DataTypeDefinition;
}

/** The refused objects of a conversion, as far as this server names them. */
interface Refusals {
  readonly named: Map<string, Refused>;
  /** Places of objects that were followed since the note was written. */
  readonly changed: Set<string>;
}

function placeOf({ accountId, id }: Pick<Refused, 'accountId' | 'id'>): string {
  return `${accountId} ${id}`;
}
