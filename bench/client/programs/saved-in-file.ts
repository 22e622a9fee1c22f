import { sqliteFile } from '@jmapsmith/client/sqlite';
import { quantile } from '../../quantile.js';
import { measureSaved } from './saved.js';

/** Run as `node saved-in-file.mjs FILE WRITES`; prints the median, ms. */

const [file = '', count = ''] = process.argv.slice(2);
const times = await measureSaved(sqliteFile(file), Number(count));
process.stdout.write(JSON.stringify(quantile(times, 0.5)));
