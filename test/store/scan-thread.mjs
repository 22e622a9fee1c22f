import { existsSync, readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

/**
 * The thread that scans, from its sources, which Node alone can't run. Tests hold it with files
 * beside the database: `.hold` keeps it in a statement that has the file's text, `.die` ends it
 * there.
 */
const { file } = workerData;
register();
const { SqliteDatabase } = await import('../../src/database/sqlite/index.ts');
const { prepare } = SqliteDatabase.prototype;
const pause = new Int32Array(new SharedArrayBuffer(4));

function held(text) {
  const part = textOf(`${file}.hold`);
  return part !== '' && text.includes(part);
}

/** The file may go at any moment: then it holds nothing. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

SqliteDatabase.prototype.prepare = function (text) {
  const statement = prepare.call(this, text);
  const { all } = statement;
  statement.all = (...parameters) => {
    while (held(text)) Atomics.wait(pause, 0, 0, 2);
    if (existsSync(`${file}.die`)) process.exit(1);
    return all.apply(statement, parameters);
  };
  return statement;
};

await import('../../src/store/sqlite/scans/worker.ts');
