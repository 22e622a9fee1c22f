import pg from 'pg';

const { builtins } = pg.types;

const asIs = (text: string): string => text;

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [builtins.BOOL, (text) => text === 't'],
  [builtins.INT2, Number],
  [builtins.INT4, Number],
  // What the engine writes is within a double's whole numbers.
  [builtins.INT8, Number],
  [builtins.FLOAT8, Number],
]);

/** How the engine reads columns: numbers and Booleans as such, all else as text (JSON too). */
export const engineTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => PARSERS.get(oid) ?? asIs) as typeof pg.types.getTypeParser,
};
