import { parseArgs } from 'node:util';
import { filesEntered } from './path-counts.js';

const HELP = `usage: npm run bench -- path [--files]

Counts the files of src and generated that one warm request enters.

  --files  names them
`;

async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      files: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  process.stdout.write('| request | files | at most | of them in src |\n|---|---|---|---|\n');
  const found = await filesEntered();
  for (const { name, most, files } of found) {
    const own = files.filter((file) => file.startsWith('src/'));
    process.stdout.write(`| ${name} | ${files.length} | ${most} | ${own.length} |\n`);
  }
  if (!values.files) return;
  for (const { name, files } of found) process.stdout.write(`\n${name}\n  ${files.join('\n  ')}\n`);
}

await main(process.argv.slice(2));
