import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isCurrent } from './build-stamp.mjs';
import { endWithLauncher } from './launcher.mjs';

/**
 * `node scripts/run.mjs ENTRY [ARGUMENT...]`: builds when needed, then runs dist/ENTRY.js in this
 * very process, so that signals reach it and its exit code is ours. The build's own words go to
 * stderr: stdout is the program's.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [entry, ...args] = process.argv.slice(2);

if (entry === undefined) {
  process.stderr.write(
    'Usage: node scripts/run.mjs ENTRY [ARGUMENT...], for instance src/server/main\n',
  );
  process.exitCode = 2;
} else {
  // Before a build: a launcher that ends meanwhile is not seen later.
  if (entry === 'src/server/main') endWithLauncher();
  if (await ready()) await runEntry(join(root, 'dist', `${entry}.js`));
}

async function runEntry(file) {
  if (existsSync(file)) {
    process.argv = [process.argv[0], file, ...args];
    await import(pathToFileURL(file).href);
  } else {
    process.stderr.write(`run: there is no ${entry}.ts\n`);
    process.exitCode = 2;
  }
}

async function ready() {
  if (isCurrent(root)) return true;
  // Loaded only when there is something to build: most starts have nothing.
  const { build } = await import('./build-project.mjs');
  const { reportFailure } = await import('./build-tools.mjs');
  try {
    await build(root);
    return true;
  } catch (error) {
    process.exitCode = reportFailure(error);
    return false;
  }
}
