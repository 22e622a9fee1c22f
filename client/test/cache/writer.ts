import { sqliteFile } from '../../src/cache/sqlite-store.js';
import { connect } from '../../src/index.js';
import { todos } from '../support/schema.js';

/**
 * A program that writes without the network, and says when that is saved. Its arguments are the
 * server, a token, the file of its store, and a text.
 */
const [url = '', token = '', file = '', text = ''] = process.argv.slice(2);

let isOnline = true;
const client = await connect(todos, {
  ...{ url, token, store: sqliteFile(file) },
  fetch: (input, init) =>
    isOnline ? fetch(input, init) : Promise.reject(new TypeError('offline')),
});
isOnline = false;
if (await client.account().Todo.create({ text }).saved) process.stdout.write('saved\n');
setInterval(() => undefined, 1000);
