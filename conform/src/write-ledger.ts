import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LEDGER_BEGIN, LEDGER_END, withLedger } from './ledger.js';
import { requirements } from './requirements/index.js';

/** Puts the ledger into docs/conformance.md, between its marks. */
const page = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const made = withLedger(await readFile(page, 'utf8'), requirements);
if (made === null) throw new Error(`${page} needs "${LEDGER_BEGIN}" and "${LEDGER_END}".`);
await writeFile(page, made);
