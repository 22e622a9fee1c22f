import type { Column, Provider, Table } from './prisma-datamodel.js';
import { fieldName, indexName, modelName } from './prisma-names.js';

/**
 * Prints tables as Prisma models. `forClient`: with doc comments, relations, and times as DateTime.
 * Migrations are made without: the database has no foreign keys, and times are integers.
 */
export function printModels(tables: readonly Table[], forClient: boolean): string {
  return tables.map((table) => printModel(table, forClient)).join('\n');
}

export function printDatasource(provider: Provider, hasRelations = false): string {
  // No address: the server hands the connection to the client, and migrations are made without a
  // database.
  const lines = hasRelations
    ? `  provider = "${provider}"\n  relationMode = "prisma"`
    : `  provider = "${provider}"`;
  return `datasource db {\n${lines}\n}\n`;
}

function printModel(table: Table, forClient: boolean): string {
  const model = modelName(table.model ?? table.name);
  const columns = orderColumns(table.columns);
  const fields = columns.map((column) => printField(table, column, forClient));
  const nameWidth = Math.max(...fields.map(([name]) => name.length));
  const typeWidth = Math.max(...fields.map(([, type]) => type.length));
  const lines: string[] = [];
  if (forClient) lines.push(...docComment(table.description, ''));
  lines.push(`model ${model} {`);
  for (const [index, column] of columns.entries()) {
    if (forClient) lines.push(...docComment(column.description, '  '));
    const [name, type, attributes] = fields[index] ?? ['', '', ''];
    lines.push(`  ${name.padEnd(nameWidth)} ${type.padEnd(typeWidth)} ${attributes}`.trimEnd());
  }
  if (forClient) lines.push(...relationLines({ ...table, columns }));
  const blocks = blockAttributes({ ...table, columns }, model);
  if (blocks.length > 0) lines.push('', ...blocks);
  lines.push('}', '');
  return lines.join('\n');
}

function printField(
  table: Table,
  column: Column,
  forClient: boolean,
): [name: string, type: string, rest: string] {
  const name = fieldOf(column);
  const attributes: string[] = [];
  if (table.key.length === 1 && table.key[0] === column.name) attributes.push('@id');
  if (column.unique === true) attributes.push('@unique');
  if (name !== column.name) attributes.push(`@map(${JSON.stringify(column.name)})`);
  // The last one: the reader takes the rest of the line.
  const isTime = forClient && column.isTime === true;
  if (column.default !== undefined && !isTime) attributes.push(`@default(${column.default})`);
  const type = isTime ? 'DateTime' : column.type;
  return [name, `${type}${column.nullable ? '?' : ''}`, attributes.join(' ')];
}

/** Returns the lines of a model's relations. The client never writes, so no action matters. */
function relationLines({ columns, relations = [] }: Table): readonly string[] {
  const fields = new Map(columns.map((column) => [column.name, fieldOf(column)]));
  return relations.map(({ name, field, model, columns: own, references = [], isOptional }) => {
    const quoted = JSON.stringify(name);
    if (own === undefined) return `  ${field} ${model}[] @relation(${quoted})`;
    const from = own.map((column) => fields.get(column) ?? column).join(', ');
    const keys = `fields: [${from}], references: [${references.join(', ')}]`;
    const actions = 'onDelete: Restrict, onUpdate: Restrict';
    return `  ${field} ${model}${isOptional ? '?' : ''} @relation(${quoted}, ${keys}, ${actions})`;
  });
}

/**
 * Returns columns in an order that Prisma takes: it refuses a field whose name an earlier field has
 * as its column. Such a field comes first; where two have each other's, one gets another name.
 */
function orderColumns(columns: readonly Column[]): readonly Column[] {
  if (columns.every(({ name, field = name }) => field === name)) return columns;
  const named = new Map(columns.map((column) => [column.field ?? column.name, column]));
  const ordered: Column[] = [];
  const begun = new Set<string>();
  const knotted = new Set<string>();
  const visit = (column: Column): void => {
    begun.add(column.name);
    const other = named.get(column.name);
    if (other !== undefined && other.name !== column.name) {
      if (!begun.has(other.name)) visit(other);
      else if (!ordered.includes(other)) knotted.add(other.name);
    }
    const { field = column.name } = column;
    ordered.push(knotted.has(column.name) ? { ...column, field: `${field}_` } : column);
  };
  for (const column of columns) if (!begun.has(column.name)) visit(column);
  return ordered;
}

function fieldOf({ name, field }: Pick<Column, 'name' | 'field'>): string {
  return fieldName(field ?? name);
}

function blockAttributes(table: Table, model: string): string[] {
  const lines: string[] = [];
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  const fieldsOf = (names: readonly string[]): string =>
    names.map((name) => fieldOf(columns.get(name) ?? { name })).join(', ');
  if (table.key.length > 1) lines.push(`  @@id([${fieldsOf(table.key)}])`);
  for (const names of table.indexes) {
    const name = indexName(table.name, names);
    const map = name === undefined ? '' : `, map: ${JSON.stringify(name)}`;
    lines.push(`  @@index([${fieldsOf(names)}]${map})`);
  }
  if (model !== table.name) lines.push(`  @@map(${JSON.stringify(table.name)})`);
  return lines;
}

/**
 * Returns a description as `///` lines. It ends up in a comment of the client's code, which it must
 * not end.
 */
function docComment(description: string | undefined, indent: string): string[] {
  if (description === undefined || description.trim() === '') return [];
  return description
    .trim()
    .split(/\s*[\r\n\u0085\u2028\u2029]+\s*/u)
    .map((line) => `${indent}/// ${line.replaceAll('*/', '* /')}`);
}
