import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/* Finds lines of code, comments and strings that are too wide; the formatter wraps only code. */

const WIDTH = 100;

/** Folders whose lines are checked. */
const FOLDERS = ['bench', 'bin', 'client', 'conform', 'scripts', 'src', 'test'];

const CODE = /\.(?:ts|mts|mjs|cjs|js)$/;

/** Written files: scripts/make-text-tables.ts's tables, and outputs that tests compare by bytes. */
const WRITTEN = /^(?:src\/text\/tables|test\/golden\/(?:client|output))\//;

/** Lines that can't be broken: a module's name, a link, a regular expression. */
const UNBREAKABLE = /^import .* from '|^\} from '|https?:\/\/\S{40}|^\s*\/[^/*]/;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns a message for each line of a file that is too wide. */
function findWideLines(file) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    line.length > WIDTH && !UNBREAKABLE.test(line)
      ? [`${file}:${index + 1}:${WIDTH + 1}: the line has ${line.length} columns, not ${WIDTH}`]
      : [],
  );
}

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS], {
  cwd: root,
  encoding: 'utf8',
});
const deleted = execFileSync('git', ['ls-files', '-d', ...FOLDERS], {
  cwd: root,
  encoding: 'utf8',
});
const gone = new Set(deleted.split('\n'));
const files = listed.split('\n').filter((file) => CODE.test(file) && !WRITTEN.test(file));
const found = files.filter((file) => !gone.has(file)).flatMap(findWideLines);
if (found.length > 0) process.stderr.write(`${found.join('\n')}\n`);
process.exitCode = found.length > 0 ? 1 : 0;
