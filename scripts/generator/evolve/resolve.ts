import { EVOLVED } from '../../../src/capability/evolution.js';
import { didYouMean } from '../../../src/descriptor/check/did-you-mean.js';
import { deepFreeze } from '../../../src/descriptor/model/freeze.js';
import type {
  EvolveFile,
  KeptProperty,
  Model,
  ModelDrop,
  ModelEvolution,
  ModelProperty,
  ModelType,
  Problem,
} from '../../../src/descriptor/model.js';
import type { History } from '../migrations/history.js';
import { type ModelSnapshot, type SnapshotType, snapshotProperty } from '../migrations/snapshot.js';
import { wrong } from './read.js';

type Judged = {
  readonly evolutions: readonly ModelEvolution[];
  readonly problems: readonly Problem[];
};

/** Returns the number of the migration that is not released, whether one is needed or not. */
export function nextNumber(histories: readonly Pick<History, 'last'>[]): number {
  return Math.max(...histories.map(({ last }) => last)) + 1;
}

/**
 * Returns a placed model with the conversions of its files: each of their types has the property
 * that tells how far an object is converted.
 */
export function withEvolutions(model: Model, histories: readonly History[]): Model {
  const { evolutions } = judgeEvolutions(model, histories);
  if (evolutions.length === 0) return model;
  const next = nextNumber(histories);
  return deepFreeze({
    ...model,
    capabilities: model.capabilities.map((capability) => {
      const own = evolutions.filter(({ table }) =>
        capability.types.some((type) => type.table === table),
      );
      if (own.length === 0) return capability;
      const types = capability.types.map((type) =>
        withMark(
          type,
          own.filter(({ table }) => table === type.table).map(({ migration }) => migration),
          next,
        ),
      );
      return { ...capability, types, evolutions: own };
    }),
  });
}

function withMark(type: ModelType, numbers: readonly number[], next: number): ModelType {
  if (numbers.length === 0) return type;
  const mark: ModelProperty = {
    ...{ name: EVOLVED, column: EVOLVED, kind: 'integer', nullable: false, required: false },
    ...{ default: Math.max(...numbers), access: 'internal', blobs: [], texts: [], references: [] },
    ...{ description: 'How far the object is converted.', schema: { type: 'integer' } },
    at: type.at,
  };
  const properties = [...type.properties, mark];
  return { ...type, properties, ...(numbers.includes(next) ? { converts: true as const } : {}) };
}

/** Returns the conversions of a model's files, and what is wrong with the files. */
export function judgeEvolutions(model: Model, histories: readonly History[]): Judged {
  const problems: Problem[] = [];
  const next = nextNumber(histories);
  const files = model.evolveFiles ?? [];
  const evolutions = files.flatMap((file, at): readonly ModelEvolution[] => {
    const start = { file: file.file, line: 1, column: 1 };
    const { migration } = file;
    const twin = files.slice(0, at).find((other) => other.migration === migration);
    const reason = twin === undefined ? refusedNumber(file, histories, next) : describeTwin(twin);
    if (reason !== undefined) {
      problems.push(wrong(start, reason));
      return [];
    }
    return file.types.flatMap((type) => {
      const found = evolutionOf(file, type, { model, histories, next });
      if (typeof found !== 'string') return [found];
      problems.push(wrong(type.at, found));
      return [];
    });
  });
  return { evolutions, problems };
}

function describeTwin({ file }: EvolveFile): string {
  return `${file} has the same number: put both into one file.`;
}

function refusedNumber(
  { migration }: EvolveFile,
  histories: readonly History[],
  next: number,
): string | undefined {
  const number = digits(migration);
  if (migration > next)
    return `there is no migration ${number}: the next one has the number ${digits(next)}.`;
  if (stateBefore(migration, histories) === undefined)
    return `no migration stands before ${number}: there are no objects to convert.`;
  const states = histories.flatMap(({ states }) => states.get(migration) ?? []);
  const isKnown = states.some(({ evolves = [] }) =>
    evolves.some((one) => one.migration === migration),
  );
  if (migration === next || isKnown) return undefined;
  return (
    `the migration ${number} was released without it. Begin the file's name with ` +
    `${digits(next)}, the number of the next migration.`
  );
}

export function digits(number: number): string {
  return String(number).padStart(4, '0');
}

/** Returns the conversion of a type, or why there is none. */
function evolutionOf(
  { migration, file }: EvolveFile,
  { name }: ModelDrop,
  context: {
    readonly model: Model;
    readonly histories: readonly History[];
    readonly next: number;
  },
): ModelEvolution | string {
  const { model, histories, next } = context;
  const types = model.capabilities.flatMap((capability) => capability.types);
  const released = histories.flatMap(({ states }) => states.get(migration) ?? [])[0];
  const after = migration === next || released === undefined ? types : typesIn(released);
  const own = after.find((type) => type.name === name);
  if (own === undefined) {
    const known = after.map((type) => type.name);
    return `there is no type ${name} behind the migration.${didYouMean(name, known)}`;
  }
  const { table } = own;
  if (!types.some((type) => type.table === table))
    return `the type ${name} is gone. Take ${name} out of the file, or delete the file.`;
  const old = typesIn(stateBefore(migration, histories)).find((type) => type.table === table);
  if (old === undefined) return `the type ${name} is new: it has no objects to convert.`;
  const properties: readonly KeptProperty[] =
    'at' in own ? own.properties.map(snapshotProperty) : own.properties;
  return {
    ...{ migration, file, type: name, table },
    before: old.properties.filter(isRead),
    after: properties.filter(isConverted),
  };
}

function typesIn(state: ModelSnapshot | undefined): readonly SnapshotType[] {
  return state?.capabilities.flatMap(({ types }) => types) ?? [];
}

/** Returns the last model that was released before a migration. */
function stateBefore(number: number, histories: readonly History[]): ModelSnapshot | undefined {
  const all = histories.flatMap(({ states }) => [...states]).filter(([at]) => at < number);
  return all.sort(([a], [b]) => b - a)[0]?.[1];
}

/** A conversion never gets a secret, of which there is a hash or ciphertext, nor users' values. */
function isRead({ secret, perUser, column }: KeptProperty): boolean {
  return secret === undefined && perUser !== true && column !== EVOLVED;
}

function isConverted(property: KeptProperty): boolean {
  const { role, computed } = property;
  return isRead(property) && role === undefined && computed === undefined;
}
