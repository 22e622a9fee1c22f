import { typesByTable } from '../../../src/descriptor/model/types-in.js';
import type { Location, Model, Problem } from '../../../src/descriptor/model.js';
import type { Table } from '../emit/prisma-datamodel.js';

/**
 * The octets that PostgreSQL keeps of an identifier; a table's name has its key's suffix (`_pkey`)
 * to spare.
 */
const MAX_COLUMN = 63;
const MAX_TABLE = 58;

/**
 * Returns names that a database could not tell apart or would cut: SQLite's take no notice of case,
 * PostgreSQL's end after 63 octets.
 */
export function nameProblems(tables: readonly Table[], model: Model): readonly Problem[] {
  const problems: Problem[] = [];
  const taken = new Map<string, string>();
  const types = typesByTable(model);
  for (const table of tables) {
    const report = (at: Location, message: string) =>
      problems.push({ at, code: 'database-name', message });
    const type = types.get(table.name);
    const at = type?.at ?? { file: 'capabilities', line: 1, column: 1 };
    const other = taken.get(table.name.toLowerCase());
    if (other !== undefined)
      report(at, `The tables ${other} and ${table.name} differ in case alone: rename a type.`);
    taken.set(table.name.toLowerCase(), table.name);
    if (Buffer.byteLength(table.name) > MAX_TABLE)
      report(at, `The type's name ${table.name} is longer than ${MAX_TABLE} octets.`);
    columnProblems(table, (column, message) => {
      const property = type?.properties.find((candidate) => column.startsWith(candidate.column));
      const exact = type?.properties.find((candidate) => candidate.column === column);
      report((exact ?? property)?.at ?? at, message);
    });
  }
  return problems;
}

function columnProblems(table: Table, report: (column: string, message: string) => void): void {
  const taken = new Map<string, string>();
  for (const { name } of table.columns) {
    const other = taken.get(name.toLowerCase());
    if (other !== undefined)
      report(
        name,
        other === name
          ? `${table.name}: the column ${name} is there twice; the engine keeps that name: ` +
              'rename the property.'
          : `${table.name}: the columns ${other} and ${name} differ in case alone: rename a ` +
              'property.',
      );
    taken.set(name.toLowerCase(), name);
    if (Buffer.byteLength(name) > MAX_COLUMN)
      report(name, `${table.name}: the column ${name} is longer than ${MAX_COLUMN} octets.`);
  }
}
