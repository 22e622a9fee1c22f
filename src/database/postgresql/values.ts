import pg from 'pg';

const { builtins } = pg.types;

/** Reads one column of a row. */
export type Parser = (text: string) => unknown;

const asIs: Parser = (text) => text;

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [builtins.BOOL, (text) => text === 't'],
  [builtins.INT2, Number],
  [builtins.INT4, Number],
  // What the engine writes is within a double's whole numbers.
  [builtins.INT8, Number],
  [builtins.FLOAT8, Number],
]);

/** How the engine reads columns of a type: numbers and Booleans as such, all else as text (JSON too). */
export function parserOf(oid: number): Parser {
  return PARSERS.get(oid) ?? asIs;
}
