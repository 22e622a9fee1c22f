import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { EvolutionDefinition } from '../capability/evolution.js';
import {
  type BackfillDatabase,
  type RowKey,
  unconvertedRows,
} from '../database/backfill-database.js';
import type { Log } from '../runtime/log.js';
import { convertBatch, type Refused } from './convert.js';
import type { RecomputeServices } from './recompute.js';
import { type Batch, batches, endOf } from './row-batches.js';

/**
 * The conversions of files in `evolve/` (docs/reference/evolution.md). A note in JmapMeta keeps how
 * far each is. The server that converts holds the note, and another one takes it over if that
 * server ends.
 */

export interface ConversionOptions extends RecomputeServices {
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
  /** The first refused objects of the last walk, and how many there were. */
  readonly refused?: readonly Refused[];
  readonly refusedCount?: number;
  /** The server that converts, and until when (epoch ms) others leave it alone. */
  readonly by?: string;
  readonly until?: number;
}

/** How long a server holds a note without a sign of life, and how often others look, ms. */
const HOLD = 15_000;
const PAUSE = 500;

/** Refused objects that a note names. */
const NAMED = 100;
/** Characters of a reason. */
const REASON = 500;

export function conversionKey({ migration, table }: EvolutionDefinition): string {
  return `evolve:${String(migration).padStart(4, '0')}/${table}`;
}

export class Conversions {
  readonly #options: ConversionOptions;
  readonly #byTable: ReadonlyMap<string, DataTypeDefinition>;
  readonly #own = randomUUID();

  constructor(options: ConversionOptions) {
    this.#options = options;
    const types = [...options.registry.dataTypes.values()];
    this.#byTable = new Map(types.map((type) => [type.table, type]));
  }

  /** Does what is left of all conversions, in order of migration. `follow`: told of each batch. */
  async finish(follow: (batch: Batch) => Promise<void>): Promise<void> {
    for (const evolution of this.#options.registry.evolutions) {
      const type = this.#byTable.get(evolution.table);
      if (type !== undefined) await this.#finish(evolution, type, follow);
    }
  }

  /** Converts objects of a batch that the version before has written. */
  async follow(batch: Batch): Promise<void> {
    const { database, registry } = this.#options;
    for (const evolution of registry.evolutions) {
      if (evolution.table !== batch.type.table) continue;
      const { refused } = await convertBatch(this.#options, batch, evolution, true);
      if (refused.length === 0) continue;
      this.#tell(batch.type, evolution, refused);
      const key = conversionKey(evolution);
      const note: ConversionNote = { file: evolution.file, ...listed([], refused) };
      await database.swap(key, await database.note(key), JSON.stringify(note));
    }
  }

  async #finish(
    evolution: EvolutionDefinition,
    type: DataTypeDefinition,
    follow: (batch: Batch) => Promise<void>,
  ): Promise<void> {
    const { database, log, shared } = this.#options;
    const key = conversionKey(evolution);
    for (let waited = false; ; ) {
      const text = await database.note(key);
      if (text === null) return;
      const note = JSON.parse(text) as ConversionNote;
      if (shared && note.by !== undefined && (note.until ?? 0) > Date.now()) {
        if (!waited) log.info({ type: type.name, file: note.file }, 'another server converts');
        waited = true;
        await delay(PAUSE);
        continue;
      }
      // The other server has just tried all objects.
      if (waited && note.by === undefined) return;
      if (await this.#walk({ evolution, type, follow }, key, text)) return;
    }
  }

  /** Resolves to false where another server has taken the conversion over. */
  async #walk({ evolution, type, follow }: Work, key: string, text: string): Promise<boolean> {
    const { database, log } = this.#options;
    const start = JSON.parse(text) as ConversionNote;
    const isResumed = start.by !== undefined;
    const rows = unconvertedRows(type.table, evolution.migration);
    let held: ConversionNote = {
      file: evolution.file,
      after: isResumed ? (start.after ?? null) : null,
      done: isResumed ? (start.done ?? 0) : 0,
      of: isResumed && start.of !== undefined ? start.of : await database.count(rows),
      ...(isResumed ? listed(start.refused ?? [], [], start.refusedCount) : {}),
    };
    let value = text;
    const keep = async (next: ConversionNote): Promise<boolean> => {
      const holding = { ...next, by: this.#own, until: Date.now() + HOLD };
      const old = value;
      held = holding;
      value = JSON.stringify(holding);
      return database.swap(key, old, value);
    };
    if (!(await keep(held))) return false;
    const record = await this.#isRecorded(type);
    for await (const batch of batches(database, { type, rows, after: held.after ?? null })) {
      const { refused } = await convertBatch(this.#options, batch, evolution, record);
      this.#tell(type, evolution, refused);
      await follow(batch);
      const { refused: before = [], refusedCount = 0, done = 0 } = held;
      const next = { ...held, after: endOf(batch), done: done + batch.ids.length };
      if (!(await keep({ ...next, ...listed(before, refused, refusedCount) }))) return false;
      log.info(
        { type: type.name, file: evolution.file, objects: held.done, of: held.of },
        'converted objects',
      );
    }
    return this.#end(type, key, value);
  }

  /** Forgets the note, unless objects are left: the next start tries those again. */
  async #end(type: DataTypeDefinition, key: string, value: string): Promise<boolean> {
    const { database, log } = this.#options;
    const { file, refused = [], refusedCount = 0 } = JSON.parse(value) as ConversionNote;
    if (refusedCount === 0) {
      await database.forget(key);
      return true;
    }
    log.warn(
      { type: type.name, file, count: refusedCount },
      'some objects are not converted: the next start tries them again',
    );
    return database.swap(key, value, JSON.stringify({ file, refused, refusedCount }));
  }

  /** Where old states are refused at the end, there is nobody to tell by records. */
  async #isRecorded({ table }: DataTypeDefinition): Promise<boolean> {
    return (await this.#options.database.note(`reset:${table}`)) === null;
  }

  #tell(
    type: DataTypeDefinition,
    { file }: EvolutionDefinition,
    refused: readonly Refused[],
  ): void {
    const { log } = this.#options;
    for (const { accountId: account, id, reason } of refused.slice(0, NAMED))
      log.warn({ type: type.name, file, account, id, reason }, 'an object is not converted');
  }
}

interface Work {
  readonly evolution: EvolutionDefinition;
  readonly type: DataTypeDefinition;
  readonly follow: (batch: Batch) => Promise<void>;
}

/** Returns the members of a note that tell of refused objects: none if there are none. */
function listed(
  before: readonly Refused[],
  more: readonly Refused[],
  count = 0,
): Pick<ConversionNote, 'refused' | 'refusedCount'> {
  const refusedCount = count + more.length;
  if (refusedCount === 0) return {};
  const short = more.map((one) => ({ ...one, reason: one.reason.slice(0, REASON) }));
  return { refused: [...before, ...short].slice(0, NAMED), refusedCount };
}
