import { createHash } from 'node:crypto';

/**
 * Names that Prisma takes for a model: its scalar types, its client, and what the client's code
 * uses of the language by these very names. Reserved words need no mention: they are lower-case,
 * types are not.
 */
const RESERVED_MODELS: ReadonlySet<string> = new Set([
  ...['Int', 'BigInt', 'Float', 'Boolean', 'String', 'DateTime', 'Json', 'Bytes', 'Decimal'],
  ...['Prisma', 'PrismaClient', 'Promise', 'Record', 'Date', 'Object', 'Array', 'Uint8Array'],
  ...['Omit', 'Pick', 'Partial', 'Exclude', 'Extract', 'Required', 'Readonly', 'ReturnType'],
  ...['Symbol', 'Function', 'Error', 'Number', 'Map', 'Set', 'Iterable', 'GlobalThis', 'Awaited'],
]);

/** Words of a condition in the client's `where`, which a field of the same name would hide. */
const RESERVED_FIELDS: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);

const LEGAL = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * Names of properties that look like a shadow's suffix: an index over (a, casemap) and one over
 * a_casemap would be called alike.
 */
const SUFFIXES: ReadonlySet<string> = new Set(['folded', 'casemap', 'instant', 'null']);

/** PostgreSQL cuts identifiers after 63 octets. */
const MAX_IDENTIFIER = 63;

/**
 * Returns the Prisma model of a table: its name, unless Prisma keeps that for itself (`@@map` then
 * says the table's).
 */
export function modelName(table: string): string {
  return RESERVED_MODELS.has(table) ? `${table}_` : legalName(table);
}

/** Returns the Prisma field of a column: its name, unless that is none that it can use (`@map`). */
export function fieldName(column: string): string {
  return RESERVED_FIELDS.has(column) ? `${column}_` : legalName(column);
}

function legalName(name: string): string {
  if (LEGAL.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_');
  return LEGAL.test(plain) ? plain : `x${plain}`;
}

/**
 * Returns the name of an index where Prisma's own, `<table>_<columns>_idx`, would be cut and might
 * then clash with another's; undefined where Prisma's own fits.
 */
export function indexName(table: string, columns: readonly string[]): string | undefined {
  const name = `${table}_${columns.join('_')}_idx`;
  const isAmbiguous = columns.some((column) => SUFFIXES.has(column));
  if (Buffer.byteLength(name) <= MAX_IDENTIFIER && !isAmbiguous) return undefined;
  const whole = isAmbiguous ? `${table}_${columns.join()}_idx` : name;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 12);
  return `${table.slice(0, 40)}_${hash}_idx`;
}
