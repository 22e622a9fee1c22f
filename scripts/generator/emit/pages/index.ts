import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmittedFiles } from '../../../../src/descriptor/model.js';
import { PACKAGE_ROOT } from '../../../../src/server/package-root.js';
import { preambleText } from '../preamble.js';
import { codeTables } from './code-tables.js';
import { descriptorTables, propertyTables, queryTables } from './language-tables.js';

/** Lines of Markdown by the name that a template calls them by. */
export type Tables = Readonly<Record<string, readonly string[]>>;

const FOLDER = 'scripts/generator/emit/pages';

/**
 * Returns the reference pages of the package itself: what a template here says, with tables from
 * the rows that the generator works by.
 */
export function emitPages(): EmittedFiles {
  return new Map([
    page('descriptors', descriptorTables()),
    page('properties', propertyTables()),
    page('queries', queryTables()),
    page('errors', codeTables()),
  ]);
}

function page(name: string, tables: Tables): readonly [string, string] {
  const path = `${FOLDER}/${name}.md`;
  const template = readFileSync(join(PACKAGE_ROOT, path), 'utf8');
  return [
    `docs/reference/${name}.md`,
    `<!-- ${preambleText(path)} -->\n\n${withTables(template, tables, path)}`,
  ];
}

/** Replaces each line `{{NAME}}` by the table of that name. Every table has its line. */
export function withTables(template: string, tables: Tables, path: string): string {
  const rest = new Set(Object.keys(tables));
  const text = template.replaceAll(/^\{\{(.+)\}\}$/gm, (_, name: string) => {
    const lines = tables[name];
    if (lines === undefined) throw new Error(`${path}: there is no table "${name}".`);
    rest.delete(name);
    return lines.join('\n').trimEnd();
  });
  if (rest.size > 0) throw new Error(`${path} leaves out: ${[...rest].join(', ')}.`);
  return text;
}
