import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { renderPage } from './page.js';
import { readSections } from './requirements.js';

/**
 * Writes docs/reference/conformance.md from the ledger; with `--check` only says whether it is
 * current.
 */
const page = fileURLToPath(new URL('../../docs/reference/conformance.md', import.meta.url));
const text = renderPage(readSections());
if (!process.argv.includes('--check')) await writeFile(page, text);
else if ((await readFile(page, 'utf8').catch(() => '')) !== text) {
  process.stderr.write(
    'docs/reference/conformance.md is not what conform/ledger/requirements.yaml says: ' +
      'run npm run page --workspace conform.\n',
  );
  process.exitCode = 1;
}
