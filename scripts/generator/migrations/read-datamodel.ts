import type { Column, ColumnType, Table } from '../emit/prisma-datamodel.js';

/** A table as a snapshot has it, with the line where its model begins. */
export interface ReadTable extends Table {
  readonly line: number;
}

/** A schema that is not in the emitter's form: somebody edited a snapshot. */
export class DatamodelError extends Error {
  override readonly name = 'DatamodelError';
  /** 1-based. */
  readonly line: number;

  constructor(line: number, text: string) {
    super(`a line that the generator would not write: ${text.trim()}`);
    this.line = line;
  }
}

interface Draft {
  readonly model: string;
  readonly line: number;
  table: string | undefined;
  readonly columns: Map<string, Column>;
  key: string[];
  readonly indexes: string[][];
}

const MODEL = /^model (\w+) \{$/;
/** Flag s: a default may hold U+2028, where `.` would stop. */
const FIELD = /^ {2}(\w+) +(String|Boolean|Int|BigInt|Float|Json|Bytes)(\??)((?: +@.*)?)$/s;
const BLOCK = /^ {2}@@(id|index)\(\[([\w, ]+)\](?:, map: "[^"]*")?\)$/;
const MAP = /^ {2}@@map\((".*")\)$/;

/**
 * Reads back what emit/prisma-text.ts prints: the tables, without descriptions. Other blocks
 * (generator, datasource) and comments are passed over.
 * @throws {DatamodelError}
 */
export function readDatamodel(text: string): readonly ReadTable[] {
  const tables: ReadTable[] = [];
  let draft: Draft | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const opening = MODEL.exec(line);
    if (opening?.[1] !== undefined) draft = startModel(opening[1], index + 1);
    else if (draft !== undefined && line === '}') {
      tables.push(finishModel(draft));
      draft = undefined;
    } else if (draft !== undefined) readLine(draft, line, index + 1);
  }
  return Object.freeze(tables);
}

function startModel(model: string, line: number): Draft {
  return { model, line, table: undefined, columns: new Map(), key: [], indexes: [] };
}

function finishModel(draft: Draft): ReadTable {
  return Object.freeze({
    name: draft.table ?? draft.model,
    line: draft.line,
    columns: [...draft.columns.values()],
    key: columnNames(draft, draft.key),
    indexes: draft.indexes.map((fields) => columnNames(draft, fields)),
  });
}

function columnNames(draft: Draft, fields: readonly string[]): string[] {
  return fields.map((field) => draft.columns.get(field)?.name ?? field);
}

function readLine(draft: Draft, line: string, number: number): void {
  if (line.trim() === '' || /^ *\/\//.test(line)) return;
  const map = MAP.exec(line);
  const block = BLOCK.exec(line);
  const field = FIELD.exec(line);
  if (map?.[1] !== undefined) draft.table = JSON.parse(map[1]) as string;
  else if (block?.[2] !== undefined) {
    const fields = block[2].split(', ');
    if (block[1] === 'id') draft.key = fields;
    else draft.indexes.push(fields);
  } else if (field?.[1] !== undefined) readField(draft, field[1], field, line, number);
  else throw new DatamodelError(number, line);
}

function readField(
  draft: Draft,
  name: string,
  [, , type, mark, attributes = '']: readonly (string | undefined)[],
  line: string,
  number: number,
): void {
  const match = /^( @id)?( @unique)?(?: @map\(("(?:[^"\\]|\\.)*")\))?(?: @default\((.*)\))?$/s.exec(
    attributes.replace(/^ +/, ' '),
  );
  if (match === null) throw new DatamodelError(number, line);
  const [, id, unique, mapped, fallback] = match;
  if (id !== undefined) draft.key = [name];
  draft.columns.set(
    name,
    Object.freeze({
      name: mapped === undefined ? name : (JSON.parse(mapped) as string),
      type: type as ColumnType,
      nullable: mark === '?',
      ...(unique === undefined ? {} : { unique: true }),
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  );
}
